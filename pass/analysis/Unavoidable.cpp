//===- Unavoidable.cpp - what runs whenever a request does ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Unavoidable.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral Avoidable = "verso.avoidable";

void verso::markAvoidable(Function &Twin) { Twin.addFnAttr(Avoidable); }

bool verso::isUnavoidable(const BasicBlock &Block) {
  const Function &F = *Block.getParent();
  if (F.hasFnAttribute(Avoidable))
    return false;
  SmallSetVector<const BasicBlock *, 32> Without;
  auto GoOn = [&](const BasicBlock *To) {
    if (To != &Block && !To->isLandingPad())
      Without.insert(To);
  };
  GoOn(&F.getEntryBlock());
  for (unsigned K = 0; K != Without.size(); ++K) {
    if (isa<ReturnInst>(Without[K]->getTerminator()))
      return false;
    for_each(successors(Without[K]), GoOn);
  }
  return true;
}
