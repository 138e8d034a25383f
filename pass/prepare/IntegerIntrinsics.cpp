//===- IntegerIntrinsics.cpp - intrinsics on integers, spelled out --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/IntegerIntrinsics.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// The bytes (or bits, of \p Unit) of \p X in the other order, pairs first.
static Value *inReverse(IRBuilderBase &B, Value *X, unsigned Unit) {
  auto *T = cast<IntegerType>(X->getType());
  const unsigned N = T->getBitWidth();
  if (!isPowerOf2_32(N / Unit)) {
    Value *Sum = Constant::getNullValue(T);
    for (unsigned K = 0; K != N; K += Unit) {
      Value *Part = B.CreateAnd(X, B.getInt(APInt::getBitsSet(N, K, K + Unit)));
      unsigned To = N - Unit - K;
      Part = To > K ? B.CreateShl(Part, To - K) : B.CreateLShr(Part, K - To);
      Sum = B.CreateOr(Sum, Part);
    }
    return Sum;
  }
  for (unsigned Half = Unit; Half != N; Half *= 2) {
    Value *Lower =
        B.getInt(APInt::getSplat(N, APInt::getLowBitsSet(2 * Half, Half)));
    X = B.CreateOr(B.CreateShl(B.CreateAnd(X, Lower), Half),
                   B.CreateAnd(B.CreateLShr(X, Half), Lower));
  }
  return X;
}

/// X << K | Y >> (N - K), or if K is 0 the one that is left.
static Value *funnelShift(IRBuilderBase &B, const IntrinsicInst &I) {
  Value *X = I.getArgOperand(0), *Y = I.getArgOperand(1);
  Type *T = X->getType();
  Constant *N = ConstantInt::get(T, T->getIntegerBitWidth());
  Value *K = B.CreateURem(I.getArgOperand(2), N);
  bool IsLeft = I.getIntrinsicID() == Intrinsic::fshl;
  Value *Other = B.CreateURem(B.CreateSub(N, K), N);
  Value *Both = B.CreateOr(B.CreateShl(X, IsLeft ? K : Other),
                           B.CreateLShr(Y, IsLeft ? Other : K));
  Value *Unmoved = B.CreateIsNull(K), *One = IsLeft ? X : Y;
  if (auto *IsKnown = dyn_cast<ConstantInt>(Unmoved))
    return IsKnown->isOne() ? One : Both;
  return B.CreateSelect(Unmoved, One, Both);
}

/// The sum or difference of \p I, which ends at the last number there is.
static Value *saturated(IRBuilderBase &B, const SaturatingInst &I) {
  Value *X = I.getLHS(), *Y = I.getRHS();
  Type *T = X->getType();
  const unsigned N = T->getIntegerBitWidth();
  Value *Result = B.CreateBinOp(I.getBinaryOp(), X, Y);
  bool IsSum = I.getBinaryOp() == Instruction::Add;
  if (!I.isSigned())
    return IsSum ? B.CreateSelect(B.CreateICmpULT(Result, X),
                                  Constant::getAllOnesValue(T), Result)
                 : B.CreateSelect(B.CreateICmpULT(X, Y),
                                  Constant::getNullValue(T), Result);
  // Of X's sign is the end that is passed.
  Value *End = B.CreateXor(B.CreateAShr(X, N - 1),
                           B.getInt(APInt::getSignedMaxValue(N)));
  Value *FromX = B.CreateXor(X, Result);
  Value *Wraps =
      B.CreateAnd(FromX, IsSum ? B.CreateXor(Y, Result) : B.CreateXor(X, Y));
  return B.CreateSelect(B.CreateICmpSLT(Wraps, Constant::getNullValue(T)), End,
                        Result);
}

/// What \p I computes by shifts, sums and choices; null if it is not said so.
static Value *spelledOut(IRBuilderBase &B, const IntrinsicInst &I) {
  Value *X = I.arg_size() ? I.getArgOperand(0) : nullptr;
  switch (I.getIntrinsicID()) {
  case Intrinsic::bswap:
    return inReverse(B, X, /*Unit=*/8);
  case Intrinsic::bitreverse:
    return inReverse(B, X, /*Unit=*/1);
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    return funnelShift(B, I);
  case Intrinsic::abs:
    return B.CreateSelect(
        B.CreateICmpSLT(X, Constant::getNullValue(X->getType())),
        B.CreateNeg(X), X);
  default:
    if (auto *Choice = dyn_cast<MinMaxIntrinsic>(&I))
      return B.CreateSelect(B.CreateICmp(Choice->getPredicate(),
                                         Choice->getLHS(), Choice->getRHS()),
                            Choice->getLHS(), Choice->getRHS());
    if (auto *Sum = dyn_cast<SaturatingInst>(&I);
        Sum && Instruction::isBinaryOp(Sum->getBinaryOp()) &&
        Sum->getBinaryOp() != Instruction::Shl)
      return saturated(B, *Sum);
    return nullptr;
  }
}

void verso::spellOutIntegerIntrinsics(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    IRBuilder<> B(&I);
    if (auto *Extract = dyn_cast<ExtractValueInst>(&I)) {
      auto *Sum = dyn_cast<WithOverflowInst>(Extract->getAggregateOperand());
      if (!Sum || Extract->getIndices() != ArrayRef(0u))
        continue;
      Extract->replaceAllUsesWith(
          B.CreateBinOp(Sum->getBinaryOp(), Sum->getLHS(), Sum->getRHS()));
      Extract->eraseFromParent();
    } else if (auto *Call = dyn_cast<IntrinsicInst>(&I);
               Call && Call->getType()->isIntegerTy()) {
      if (Value *V = spelledOut(B, *Call)) {
        Call->replaceAllUsesWith(V);
        Call->eraseFromParent();
      }
    }
  }
}
