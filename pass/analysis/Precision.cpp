//===- Precision.cpp - how exactly a function computes --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Precision.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

static unsigned mantissaBits(const Type *T) {
  T = T->getScalarType();
  return T->isFloatingPointTy()
             ? APFloat::semanticsPrecision(T->getFltSemantics())
             : 53;
}

unsigned verso::precisionOf(const Function &F) {
  unsigned Bits = 53;
  bool AnyCalled = false;
  SmallPtrSet<const Function *, 16> Seen{&F};
  SmallVector<const Function *, 16> Work{&F};
  auto Visit = [&](const Function &Callee) {
    if (Seen.insert(&Callee).second)
      Work.push_back(&Callee);
  };
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val())) {
      // Through a pointer any function may be called that has one.
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && Call->isIndirectCall() && !AnyCalled) {
        AnyCalled = true;
        for (const Function &Other : *F.getParent())
          if (Other.hasAddressTaken())
            Visit(Other);
      }
      Bits = std::min(Bits, mantissaBits(I.getType()));
      for (const Value *Op : I.operands()) {
        Bits = std::min(Bits, mantissaBits(Op->getType()));
        if (auto *Callee = dyn_cast<Function>(Op->stripPointerCasts()))
          Visit(*Callee);
      }
    }
  for (const Argument &A : F.args())
    Bits = std::min(Bits, mantissaBits(A.getType()));
  return Bits;
}
