//===- KeptBlocks.cpp - what a module's array held before -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/KeptBlocks.h"
#include "emit/Location.h"
#include "emit/Runtime.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral Name = "__verso_kept";
static constexpr StringLiteral ArrayMark = "verso.array";

Value *verso::emitKept(IRBuilderBase &B, const GlobalVariable &Array,
                       Value *Bytes, Value *Was) {
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Callee =
      M.getOrInsertFunction(Name, B.getPtrTy(), B.getInt64Ty(), B.getPtrTy());
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setNoSync();
  F->addFnAttr(Attribute::NoCallback);
  F->addRetAttr(Attribute::NoAlias);
  CallInst *Call = B.CreateCall(Callee, {Bytes, Was});
  // Names are "_QM", module, "E", variable.
  auto [Module, Variable] = Array.getName().rsplit('E');
  Call->setMetadata(
      ArrayMark,
      MDNode::get(M.getContext(), MDString::get(M.getContext(), Variable)));
  return Call;
}

bool verso::isKept(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName() == Name;
}

void verso::checkKept(Function &F) {
  SmallVector<CallBase *, 4> Blocks;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && isKept(*Call))
      Blocks.push_back(Call);
  for (CallBase *Block : Blocks) {
    IRBuilder<> B(Block);
    Value *First = Block->getArgOperand(1), *Leads = B.getFalse();
    Value *End = B.CreatePtrAdd(First, Block->getArgOperand(0));
    for (Argument &A : F.args())
      if (A.getType()->isPointerTy())
        Leads = B.CreateOr(Leads, B.CreateAnd(B.CreateICmpUGE(&A, First),
                                              B.CreateICmpULT(&A, End)));
    auto *Array = cast<MDString>(Block->getMetadata(ArrayMark)->getOperand(0));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Leads, Block->getIterator(),
                                               /*Unreachable=*/false));
    callRuntime(
        B, RuntimeFunction::Fail,
        {B.CreateGlobalString(("'" + Array->getString() +
                               "' is an array of a module that the function "
                               "uses, and was given as an argument as well; "
                               "use the argument in its place, or give a copy")
                                  .str(),
                              "verso.reason"),
         emitLocation(B, *Block)});
  }
}

void verso::lowerKept(Module &M) {
  Function *F = M.getFunction(Name);
  if (!F)
    return;
  for (User *U : make_early_inc_range(F->users())) {
    auto *Call = cast<CallBase>(U);
    Call->replaceAllUsesWith(Call->getArgOperand(1));
    Call->eraseFromParent();
  }
  F->eraseFromParent();
}
