//===- AddressRanges.cpp - bounds of what loops come to -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/AddressRanges.h"
#include "LLVMCompat.h"

#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace verso;

AddressRanges::AddressRanges(ScalarEvolution &SE, Instruction *At)
    : SE(SE), Expander(compat::scevExpander(SE, "bound")), B(At), At(At),
      Wide(B.getInt128Ty()) {}

Value *AddressRanges::smaller(Value *X, Value *Y) {
  return B.CreateBinaryIntrinsic(Intrinsic::smin, X, Y);
}

Value *AddressRanges::larger(Value *X, Value *Y) {
  return B.CreateBinaryIntrinsic(Intrinsic::smax, X, Y);
}

/// Products and sums of what it returns are exact.
Value *AddressRanges::limit(Value *X) {
  Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
  return larger(smaller(X, Most), B.CreateNeg(Most));
}

/// Whether it can be computed here.
bool AddressRanges::isKnown(const SCEV *S) const {
  if (SCEVExprContains(S, [&](const SCEV *Part) {
        auto *E = dyn_cast<SCEVAddRecExpr>(Part);
        return isa<SCEVCouldNotCompute>(Part) ||
               (E && !E->getLoop()->contains(At));
      }))
    return false;
  return Expander.isSafeToExpandAt(S, At);
}

/// {Start,+,Step}<L> is Start + Step * k, k = 0 ... count of L's back edge.
std::optional<Interval> AddressRanges::intervalOfLoop(const SCEVAddRecExpr &S) {
  const SCEV *Step = S.getStepRecurrence(SE);
  const SCEV *Count = SE.getSymbolicMaxBackedgeTakenCount(S.getLoop());
  if (!S.isAffine() || S.getLoop()->contains(At) || !isKnown(Step) ||
      isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return std::nullopt;
  auto Start = interval(S.getStart()), By = interval(Step),
       Times = interval(SE.getNoopOrZeroExtend(Count, B.getInt64Ty()));
  if (!Start || !By || !Times)
    return std::nullopt;
  Value *Way = B.CreateMul(By->Low, Times->High);
  Value *Zero = ConstantInt::get(Wide, 0);
  return Interval{B.CreateAdd(Start->Low, smaller(Way, Zero)),
                  B.CreateAdd(Start->High, larger(Way, Zero))};
}

std::optional<Interval> AddressRanges::interval(const SCEV *S) {
  unsigned Bits = SE.getTypeSizeInBits(S->getType());
  if (Bits > 64)
    return std::nullopt;
  auto Limited = [&](std::optional<Interval> I) {
    if (I)
      I = Interval{limit(I->Low), limit(I->High)};
    return I;
  };
  if (isKnown(S)) {
    Value *X = Expander.expandCodeFor(S, S->getType(), At->getIterator());
    X = limit(B.CreateSExt(X, Wide));
    return Interval{X, X};
  }
  // An expression of fewer bits may wrap around where it is none of the
  // program's.
  if (Bits == 64) {
    if (auto *Loop = dyn_cast<SCEVAddRecExpr>(S))
      if (auto I = Limited(intervalOfLoop(*Loop)))
        return I;
    if (auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
      std::optional<Interval> All;
      for (const SCEV *Part : Sum->operands()) {
        auto I = interval(Part);
        if (!I)
          return std::nullopt;
        All = All ? Interval{B.CreateAdd(All->Low, I->Low),
                             B.CreateAdd(All->High, I->High)}
                  : *I;
      }
      return Limited(All);
    }
    if (auto *Product = dyn_cast<SCEVMulExpr>(S);
        Product && Product->getNumOperands() == 2 &&
        isKnown(Product->getOperand(0))) {
      auto Factor = interval(Product->getOperand(0)),
           I = interval(Product->getOperand(1));
      if (!Factor || !I)
        return std::nullopt;
      Value *X = B.CreateMul(Factor->Low, I->Low),
            *Y = B.CreateMul(Factor->Low, I->High);
      return Limited(Interval{smaller(X, Y), larger(X, Y)});
    }
  }
  ConstantRange Known = SE.getSignedRange(S);
  if (Known.isFullSet())
    return std::nullopt;
  auto Bound = [&](const APInt &C) {
    return limit(ConstantInt::get(Wide, C.sext(128)));
  };
  return Interval{Bound(Known.getSignedMin()), Bound(Known.getSignedMax())};
}

Interval AddressRanges::addresses(Value *Base, Interval Offsets) {
  Value *Address = B.CreateZExt(B.CreatePtrToInt(Base, B.getInt64Ty()), Wide);
  return {B.CreateAdd(Address, limit(Offsets.Low)),
          B.CreateAdd(Address, limit(Offsets.High))};
}

Interval AddressRanges::together(Interval I, Interval J) {
  return {smaller(I.Low, J.Low), larger(I.High, J.High)};
}

Interval AddressRanges::bytes(Interval From, Interval Size) {
  return {From.Low, limit(B.CreateAdd(From.High, Size.High))};
}

Interval AddressRanges::inBoth(Interval I, Interval J) {
  return {larger(I.Low, J.Low), smaller(I.High, J.High)};
}

Value *AddressRanges::areApart(Interval I, Interval J) {
  return B.CreateOr(B.CreateICmpSLE(I.High, J.Low),
                    B.CreateICmpSLE(J.High, I.Low));
}

Value *AddressRanges::areAddresses(Interval I) {
  Value *Most = ConstantInt::get(Wide, uint64_t(1) << 62);
  return B.CreateAnd(B.CreateICmpSGE(I.Low, ConstantInt::get(Wide, 0)),
                     B.CreateICmpSLT(I.High, Most));
}
