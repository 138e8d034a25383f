//===- BuilderAfter.cpp - a builder behind an instruction -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/BuilderAfter.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

static BasicBlock::iterator pointAfter(Instruction &I) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&I))
    return Invoke->getNormalDest()->getFirstInsertionPt();
  if (isa<PHINode>(I) || I.isEHPad())
    return I.getParent()->getFirstInsertionPt();
  return std::next(I.getIterator());
}

BuilderAfter::BuilderAfter(Instruction &I, Instruction *At)
    : IRBuilder<>(At ? At : &*pointAfter(I)) {
  SetCurrentDebugLocation(I.getDebugLoc());
}

void verso::emitIf(IRBuilderBase &B, Value *Condition, bool Unlikely,
                   function_ref<void(IRBuilder<> &)> Then) {
  if (auto *Known = dyn_cast<ConstantInt>(Condition)) {
    if (Known->isZero())
      return;
    IRBuilder<> Here(B.GetInsertBlock(), B.GetInsertPoint());
    Here.SetCurrentDebugLocation(B.getCurrentDebugLocation());
    return Then(Here);
  }
  Instruction *At = &*B.GetInsertPoint();
  MDNode *Weights =
      Unlikely ? MDBuilder(B.getContext()).createUnlikelyBranchWeights()
               : nullptr;
  IRBuilder<> ThenB(SplitBlockAndInsertIfThen(Condition, At,
                                              /*Unreachable=*/false, Weights));
  ThenB.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  Then(ThenB);
  B.SetInsertPoint(At);
}
