//===- Communication.cpp - functions that others wait for -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Communication.h"
#include "rules/Staged.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

bool verso::mayCommunicate(const Function &F) {
  if (none_of(*F.getParent(), [](const Function &G) {
        return communicates(G);
      })) // As in most programs.
    return false;
  SmallVector<const User *, 32> Work{&F};
  SmallPtrSet<const Value *, 32> Seen{&F};
  while (!Work.empty()) {
    const User *U = Work.pop_back_val();
    auto *G = dyn_cast<Function>(U);
    if (G && communicates(*G))
      return true;
    auto Visit = [&](const User &From) {
      for (const Value *Operand : From.operands())
        if (isa<Constant>(Operand) && Seen.insert(Operand).second)
          Work.push_back(cast<User>(Operand));
    };
    Visit(*U);
    if (G)
      for (const Instruction &I : instructions(*G))
        Visit(I);
  }
  return false;
}
