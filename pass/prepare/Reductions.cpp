//===- Reductions.cpp - reductions of vectors -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/Reductions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// The operation on two numbers; 0 if it is no reduction of numbers.
static Intrinsic::ID ofElements(Intrinsic::ID Reduction) {
  switch (Reduction) {
  case Intrinsic::vector_reduce_fmax:
    return Intrinsic::maxnum;
  case Intrinsic::vector_reduce_fmin:
    return Intrinsic::minnum;
  case Intrinsic::vector_reduce_fmaximum:
    return Intrinsic::maximum;
  case Intrinsic::vector_reduce_fminimum:
    return Intrinsic::minimum;
  default:
    return Intrinsic::not_intrinsic;
  }
}

/// llvm.vector.reduce.fadd(s, v)   =>   ((s + v[0]) + v[1]) + ...
static Value *takeApart(IntrinsicInst &Call) {
  const Intrinsic::ID Which = Call.getIntrinsicID();
  const Intrinsic::ID Binary = ofElements(Which);
  const bool IsSum = Which == Intrinsic::vector_reduce_fadd;
  if (!Binary && !IsSum && Which != Intrinsic::vector_reduce_fmul)
    return nullptr;
  Value *V = Call.getArgOperand(Binary ? 0 : 1);
  auto *T = dyn_cast<FixedVectorType>(V->getType());
  if (!T)
    return nullptr;
  IRBuilder<> B(&Call);
  B.setFastMathFlags(Call.getFastMathFlags());
  Value *Result = Binary ? nullptr : Call.getArgOperand(0);
  for (unsigned K = 0; K != T->getNumElements(); ++K) {
    Value *X = B.CreateExtractElement(V, K);
    Result = !Result  ? X
             : Binary ? B.CreateBinaryIntrinsic(Binary, Result, X)
             : IsSum  ? B.CreateFAdd(Result, X)
                      : B.CreateFMul(Result, X);
  }
  return Result;
}

void verso::takeReductionsApart(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<IntrinsicInst>(&I))
      if (Value *Result = takeApart(*Call)) {
        Result->takeName(Call);
        Call->replaceAllUsesWith(Result);
        Call->eraseFromParent();
      }
}
