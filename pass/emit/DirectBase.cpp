//===- DirectBase.cpp - where direct IDs count from -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/DirectBase.h"
#include "emit/Runtime.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral BaseName = "verso.direct";

Value *verso::directBase(IRBuilderBase &B, Value *Shadow) {
  FunctionCallee Callee = B.GetInsertBlock()->getModule()->getOrInsertFunction(
      BaseName, B.getPtrTy(), B.getPtrTy());
  return inert(B.CreateCall(Callee, {Shadow}));
}

/// Beyond user space by more than direct IDs reach.
Value *verso::unreachableBase(IRBuilderBase &B) {
  return B.CreateIntToPtr(B.getInt64(INT64_C(1) << 62), B.getPtrTy());
}

static bool isDirectBase(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->getName() == BaseName;
}

void verso::forbidDirectIds(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isDirectBase(I)) {
      IRBuilder<> B(&I);
      I.replaceAllUsesWith(unreachableBase(B));
      I.eraseFromParent();
    }
}

void verso::lowerDirectBases(Module &M) {
  Function *F = M.getFunction(BaseName);
  if (!F)
    return;
  for (User *U : make_early_inc_range(F->users())) {
    auto *Call = cast<CallInst>(U);
    IRBuilder<> B(Call);
    Value *First =
        B.CreateAnd(B.CreatePtrToInt(Call->getArgOperand(0), B.getInt64Ty()),
                    B.getInt64(~UINT64_C(7)));
    Value *Base = B.CreateSub(First, B.getInt64(VERSO_DIRECT_REACH));
    Call->replaceAllUsesWith(B.CreateIntToPtr(Base, B.getPtrTy()));
    Call->eraseFromParent();
  }
  F->eraseFromParent();
}
