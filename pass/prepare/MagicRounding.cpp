//===- MagicRounding.cpp - numbers rounded by adding a large one ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/MagicRounding.h"
#include "rules/Detached.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// The constant of a sum with one, or of a difference; null if \p V is neither.
/// The sum may be fused with a product.
static const APFloat *constantOf(const Value *V, const Value *&Other,
                                 bool &IsDifference) {
  const APFloat *C = nullptr;
  IsDifference = match(V, m_FSub(m_Value(Other), m_APFloat(C)));
  if (IsDifference || match(V, m_c_FAdd(m_Value(Other), m_APFloat(C))))
    return C;
  auto IsFused = m_CombineOr(
      m_Intrinsic<Intrinsic::fma>(m_Value(), m_Value(), m_APFloat(C)),
      m_Intrinsic<Intrinsic::fmuladd>(m_Value(), m_Value(), m_APFloat(C)));
  return match(V, IsFused) ? C : nullptr;
}

/// Whether \p C is 2^52 or 1.5 * 2^52, of a double: the last place of what is
/// near it is 1. Other such numbers may be a distance that a program adds and
/// takes away again (10,000,000 in floats, a false northing).
static bool roundsToInteger(const APFloat &C) {
  const int Last = APFloat::semanticsPrecision(C.getSemantics()) - 1;
  if (!C.isFiniteNonZero() || ilogb(C) != Last)
    return false;
  APFloat Leading = scalbn(abs(C), -Last, APFloat::rmNearestTiesToEven);
  return Leading.isExactlyValue(1.0) || Leading.isExactlyValue(1.5);
}

bool verso::addsMagicNumber(const Value *V) {
  const Value *X = nullptr;
  bool TakesAway = false;
  const APFloat *C = constantOf(V, X, TakesAway);
  return C && roundsToInteger(*C);
}

static bool isMagicRounding(const Instruction &I) {
  const Value *Sum = nullptr, *X = nullptr;
  bool TakesBack = false, TakesAway = false;
  const APFloat *Second = constantOf(&I, Sum, TakesBack);
  const APFloat *First =
      Second && Sum ? constantOf(Sum, X, TakesAway) : nullptr;
  if (!First || !roundsToInteger(*First))
    return false;
  APFloat Both = *First;
  if (TakesBack == TakesAway) // Else one undoes the other with the same.
    Both.changeSign();
  return Both.bitwiseIsEqual(*Second);
}

bool verso::holdsMagicNumber(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    return any_of(I.operands(), [](const Use &U) {
      const APFloat *C = nullptr;
      return match(U.get(), m_APFloat(C)) && roundsToInteger(*C);
    });
  });
}

/// A constant that \p V is but for its sign; null if none is known.
static const APFloat *magnitudeOf(const Value *V, unsigned Depth = 4) {
  const APFloat *C = nullptr, *Other = nullptr;
  const Value *X = nullptr, *Y = nullptr;
  if (match(V, m_APFloat(C)) ||
      match(V, m_Intrinsic<Intrinsic::copysign>(m_APFloat(C))))
    return C;
  if (!Depth)
    return nullptr;
  if (match(V, m_FNeg(m_Value(X))) || match(V, m_FAbs(m_Value(X))))
    return magnitudeOf(X, Depth - 1);
  if (!match(V, m_Select(m_Value(), m_Value(X), m_Value(Y))))
    return nullptr;
  C = magnitudeOf(X, Depth - 1);
  Other = C ? magnitudeOf(Y, Depth - 1) : nullptr;
  return Other && abs(*C).bitwiseIsEqual(abs(*Other)) ? C : nullptr;
}

/// (x + m) - m or (x - m) + m of an m that is no constant; null if \p I is
/// neither.
static Value *addedAndTaken(Instruction &I) {
  Value *Sum = nullptr, *M = nullptr;
  if ((match(&I, m_FSub(m_Value(Sum), m_Value(M))) &&
       match(Sum, m_c_FAdd(m_Value(), m_Specific(M)))) ||
      (match(&I, m_FAdd(m_Value(Sum), m_Value(M))) &&
       match(Sum, m_FSub(m_Value(), m_Specific(M)))) ||
      (match(&I, m_FAdd(m_Value(M), m_Value(Sum))) &&
       match(Sum, m_FSub(m_Value(), m_Specific(M)))))
    return isa<Constant>(M) ? nullptr : M;
  return nullptr;
}

/// Whether \p M rounds, when the program runs.
static Value *isMagic(IRBuilderBase &B, Value *M) {
  const fltSemantics &Semantics =
      M->getType()->getScalarType()->getFltSemantics();
  const APFloat One(Semantics, 1), Half(Semantics, "0.5");
  const APFloat Least = scalbn(One, APFloat::semanticsPrecision(Semantics) - 1,
                               APFloat::rmNearestTiesToEven);
  Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, emitDetached(B, M));
  auto Is = [&](const APFloat &C) {
    return B.CreateFCmpOEQ(Size, ConstantFP::get(M->getType(), C));
  };
  return B.CreateOr(Is(Least), Is(Least + Least * Half));
}

void verso::detachMagicRoundings(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (I.use_empty())
      continue;
    Value *Varies = nullptr;
    if (!isMagicRounding(I)) {
      Varies = I.getType()->isFloatingPointTy() ? addedAndTaken(I) : nullptr;
      const APFloat *Size = Varies ? magnitudeOf(Varies) : nullptr;
      if (!Varies || (Size && !roundsToInteger(*Size)))
        continue;
      if (Size)
        Varies = nullptr;
    }
    auto *Only = I.hasOneUse() ? dyn_cast<CallBase>(I.user_back()) : nullptr;
    if (Only && isDetachedValue(*Only))
      continue;
    SmallVector<Use *, 4> Uses(make_pointer_range(I.uses()));
    IRBuilder<> B(I.getNextNode());
    Value *Rounded = emitDetached(B, &I);
    if (Varies)
      Rounded = B.CreateSelect(isMagic(B, Varies), Rounded, &I);
    for (Use *U : Uses)
      U->set(Rounded);
  }
}
