//===- Versions.cpp - one of two functions, at run time -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Versions.h"
#include "emit/Runtime.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace verso;

Function *verso::emitVersions(Function &Like, EmitFor Condition, EmitFor Then,
                              EmitFor Otherwise) {
  LLVMContext &C = Like.getContext();
  Function *F =
      Function::Create(Like.getFunctionType(), GlobalValue::InternalLinkage, "",
                       Like.getParent());
  F->takeName(&Like);
  F->copyAttributesFrom(&Like);
  markOrdinary(*F);
  SmallVector<Value *, 16> Arguments;
  for (Argument &A : F->args())
    Arguments.push_back(&A);
  IRBuilder<> B(BasicBlock::Create(C, "entry", F));
  Value *Holds = Condition(B, Arguments);
  auto Emit = [&](const Twine &Name, EmitFor Call) {
    BasicBlock *Block = BasicBlock::Create(C, Name, F);
    IRBuilder<> Each(Block);
    Value *Result = Call(Each, Arguments);
    F->getReturnType()->isVoidTy() ? Each.CreateRetVoid()
                                   : Each.CreateRet(Result);
    return Block;
  };
  BasicBlock *First = Emit("then", Then);
  B.CreateCondBr(Holds, First, Emit("otherwise", Otherwise),
                 MDBuilder(C).createLikelyBranchWeights());
  return F;
}
