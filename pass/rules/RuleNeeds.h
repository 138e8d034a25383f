//===- RuleNeeds.h - what a formula needs and where it is finite *- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reading of Derivatives.def that computes nothing but facts: which of x,
// y, z, n, r, s the formula refers to, its value when that is a constant, and
// whether it may be infinite or NaN although the function's value is finite. So
// nobody writes these down beside a formula, where they would go stale.
//
// Singular is a sound over-approximation but for overflow: x * y with finite x
// and y counts as finite; functions that grow fast overflow. A divisor is safe
// when it is a nonzero constant or positive by construction (1 + x * x).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_RULENEEDS_H
#define VERSO_RULES_RULENEEDS_H

#include "rules/Formula.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace verso::rules {

/// Bits of what a formula refers to.
using NeedsMask = unsigned;
constexpr NeedsMask needsOperand(unsigned K) { return 1u << K; }
constexpr NeedsMask needsResult(unsigned P) { return 1u << (MaxOperands + P); }
inline constexpr NeedsMask NeedsInteger = 1u << (MaxOperands + MaxResults);

/// What Primitives.def says of a primitive's result.
enum class Range { Finite, NonNegative, Growing, Pole, Root, Power };

enum class Sign { Any, NonZero, NonNegative, Positive };

inline bool isNonNegative(Sign S) {
  return S == Sign::NonNegative || S == Sign::Positive;
}

struct FactCondition {
  NeedsMask Needs = 0;
  std::optional<bool> Known;
};

struct FactInteger {
  NeedsMask Needs = 0;
  std::optional<int64_t> Known;

  FactInteger() = default;
  FactInteger(int C) : Known(C) {}
  FactInteger(NeedsMask Needs, std::optional<int64_t> Known)
      : Needs(Known ? 0 : Needs), Known(Known) {}
};

/// Whether a formula may be infinite or NaN at finite operands: by overflow, or
/// where the function's value need not be.
enum class Limit { Finite, Overflows, Singular };

/// The facts about one real expression.
struct FactReal {
  NeedsMask Needs = 0;
  Limit Worst = Limit::Finite;
  Sign Of = Sign::Any;
  std::optional<double> Known;

  FactReal() = default;
  FactReal(double C) : Of(signOf(C)), Known(C) {}
  FactReal(Number N) : FactReal(double(N)) {}
  FactReal(NeedsMask Needs, Limit Worst, Sign Of)
      : Needs(Needs), Worst(Worst), Of(Of) {}

  static Sign signOf(double C) {
    if (C > 0 && std::isfinite(1 / C))
      return Sign::Positive;
    if (C == 0)
      return Sign::NonNegative;
    return std::isfinite(1 / C) ? Sign::NonZero : Sign::Any;
  }
  /// An operand or result by itself.
  bool isLeaf() const { return Needs && !(Needs & (Needs - 1)) && Leaf; }
  bool Leaf = false;
};

inline FactReal leafFact(NeedsMask Needs) {
  FactReal F(Needs, Limit::Finite, Sign::Any);
  F.Leaf = true;
  return F;
}

inline FactReal operator+(const FactReal &A, const FactReal &B) {
  Sign Of = Sign::Any;
  if (isNonNegative(A.Of) && isNonNegative(B.Of))
    Of = A.Of == Sign::Positive || B.Of == Sign::Positive ? Sign::Positive
                                                          : Sign::NonNegative;
  if (A.Known && B.Known)
    return *A.Known + *B.Known;
  return {A.Needs | B.Needs, std::max(A.Worst, B.Worst), Of};
}

inline FactReal operator-(const FactReal &A) {
  if (A.Known)
    return -*A.Known;
  return {A.Needs, A.Worst, Sign::Any};
}

inline FactReal operator-(const FactReal &A, const FactReal &B) {
  return A + -B;
}

inline FactReal operator*(const FactReal &A, const FactReal &B) {
  if (A.Known && B.Known)
    return *A.Known * *B.Known;
  bool IsSquare = A.isLeaf() && B.isLeaf() && A.Needs == B.Needs;
  bool IsNonNegative = isNonNegative(A.Of) && isNonNegative(B.Of);
  return {A.Needs | B.Needs, std::max(A.Worst, B.Worst),
          IsSquare || IsNonNegative ? Sign::NonNegative : Sign::Any};
}

inline FactReal operator/(const FactReal &A, const FactReal &B) {
  bool MayVanish = B.Of != Sign::Positive && B.Of != Sign::NonZero;
  bool IsNonNegative = isNonNegative(A.Of) && isNonNegative(B.Of);
  if (A.Known && B.Known && !MayVanish)
    return *A.Known / *B.Known;
  return {A.Needs | B.Needs,
          MayVanish ? Limit::Singular : std::max(A.Worst, B.Worst),
          IsNonNegative ? Sign::NonNegative : Sign::Any};
}

#define VERSO_COMPARISON(op)                                                   \
  inline FactCondition operator op(const FactReal &A, const FactReal &B) {     \
    if (A.Known && B.Known)                                                    \
      return {0, *A.Known op * B.Known};                                       \
    return {A.Needs | B.Needs, std::nullopt};                                  \
  }
VERSO_COMPARISON(<)
VERSO_COMPARISON(>)
VERSO_COMPARISON(<=)
VERSO_COMPARISON(>=)
VERSO_COMPARISON(==)
VERSO_COMPARISON(!=)
#undef VERSO_COMPARISON

inline FactInteger operator+(const FactInteger &A, int B) {
  if (A.Known)
    return {A.Needs, *A.Known + B};
  return A;
}
inline FactInteger operator-(const FactInteger &A, int B) { return A + -B; }
inline FactCondition operator==(const FactInteger &A, int B) {
  if (A.Known)
    return {0, *A.Known == B};
  return {A.Needs, std::nullopt};
}
inline FactCondition operator>(const FactInteger &A, int B) {
  if (A.Known)
    return {0, *A.Known > B};
  return {A.Needs, std::nullopt};
}
inline FactReal real(const FactInteger &A) {
  if (A.Known)
    return double(*A.Known);
  return {A.Needs, Limit::Finite, Sign::Any};
}

inline FactCondition operator&&(const FactCondition &A,
                                const FactCondition &B) {
  if ((A.Known && !*A.Known) || (B.Known && !*B.Known))
    return {0, false};
  if (A.Known && B.Known)
    return {0, true};
  return {A.Needs | B.Needs, std::nullopt};
}
inline FactCondition operator||(const FactCondition &A,
                                const FactCondition &B) {
  if ((A.Known && *A.Known) || (B.Known && *B.Known))
    return {0, true};
  if (A.Known && B.Known)
    return {0, false};
  return {A.Needs | B.Needs, std::nullopt};
}

inline FactReal select(const FactCondition &C, const FactReal &A,
                       const FactReal &B) {
  if (C.Known)
    return *C.Known ? A : B;
  if (A.Known && B.Known && *A.Known == *B.Known)
    return A;
  Sign Of = isNonNegative(A.Of) && isNonNegative(B.Of) ? Sign::NonNegative
                                                       : Sign::Any;
  return {C.Needs | A.Needs | B.Needs, std::max(A.Worst, B.Worst), Of};
}

/// The table vouches for it.
inline FactReal bounded(FactReal A) {
  A.Worst = Limit::Finite;
  return A;
}

inline FactReal reciprocal(const FactReal &Y, const FactReal &X,
                           const FactReal &R) {
  FactReal F = 1 / Y;
  if (X.Known && hasPlainInverse(*X.Known) && !Y.Known)
    F.Needs = R.Needs;
  return F;
}

/// The result of a primitive of range R; Last is its last operand.
inline FactReal primitiveFact(Range R, const FactReal &First,
                              const FactReal &Last) {
  FactReal F(First.Needs | Last.Needs, std::max(First.Worst, Last.Worst),
             Sign::Any);
  switch (R) {
  case Range::Finite:
    break;
  case Range::NonNegative:
    F.Of = Sign::NonNegative;
    break;
  case Range::Growing:
    F.Worst = std::max(F.Worst, Limit::Overflows);
    break;
  case Range::Pole:
    F.Worst = Limit::Singular;
    break;
  case Range::Root:
    if (!isNonNegative(First.Of))
      F.Worst = Limit::Singular;
    F.Of = First.Of == Sign::Positive ? Sign::Positive : Sign::NonNegative;
    break;
  case Range::Power:
    F.Worst = Last.Known && *Last.Known >= 0
                  ? std::max(F.Worst, Limit::Overflows)
                  : Limit::Singular;
    break;
  }
  return F;
}

#define VERSO_PRIMITIVE1(name, how, range)                                     \
  inline FactReal name(const FactReal &X) {                                    \
    return primitiveFact(Range::range, X, X);                                  \
  }
#define VERSO_PRIMITIVE2(name, how, range)                                     \
  inline FactReal name(const FactReal &X, const FactReal &Y) {                 \
    return primitiveFact(Range::range, X, Y);                                  \
  }
#define VERSO_PRIMITIVE_XN(name, how, range)                                   \
  inline FactReal name(const FactReal &X, const FactInteger &N) {              \
    return primitiveFact(Range::range, X, real(N));                            \
  }
#define VERSO_PRIMITIVE_NX(name, how, range)                                   \
  inline FactReal name(const FactInteger &N, const FactReal &X) {              \
    return primitiveFact(Range::range, X, real(N));                            \
  }
#include "rules/Primitives.def"

} // namespace verso::rules

#endif // VERSO_RULES_RULENEEDS_H
