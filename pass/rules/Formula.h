//===- Formula.h - what the formulas of Derivatives.def are made of -*- C++
//-*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the rules that no reading of a formula changes: constants that
// are exact in every type, the names that a formula may use, and complex
// arithmetic over the reals of a reading.
//
// A *reading* is a triple of types (Real, Integer, Condition) that supports
//   Real:      + - * / among Reals, double and Number; unary -;
//              < > <= >= == != to a Condition; real(Integer)
//   Integer:   + - with int; == > with int to a Condition
//   Condition: && ||
// and the functions of Primitives.def, select(Condition, Real, Real),
// bounded(Real) and reciprocal(Real, Real, Real). The readings are RuleIR.h
// (emits IR), RuleNeeds.h (what is needed, what may be singular) and
// RuleDouble.h (numbers, for tests).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_FORMULA_H
#define VERSO_RULES_FORMULA_H

#include <cmath>
#include <cstdlib>

namespace verso::rules {

/// A real constant by its decimal digits, so that every type gets the constant
/// rounded once. It mixes with the Reals of every reading. (A double in a
/// formula is meant exactly: 0.5, not 0.1.)
struct Number {
  const char *Digits;
  bool Negative = false;
  constexpr Number operator-() const { return {Digits, !Negative}; }
  operator double() const {
    double Magnitude = std::strtod(Digits, nullptr);
    return Negative ? -Magnitude : Magnitude;
  }
};

inline constexpr Number Pi{"3.14159265358979323846264338327950288419717"};
inline constexpr Number InvPi{"0.318309886183790671537767526745028724068919"};
inline constexpr Number Ln2{"0.693147180559945309417232121458176568075500"};
inline constexpr Number Ln10{"2.30258509299404568401799145468436420760110"};
inline constexpr Number InvLn2{"1.44269504088896340735992468100189213742665"};
inline constexpr Number InvLn10{"0.434294481903251827651128918916605082294397"};
inline constexpr Number TwoOverSqrtPi{
    "1.12837916709551257389615890312154517168810"};

/// The most operands and results that a rule has.
inline constexpr unsigned MaxOperands = 4, MaxResults = 2;

/// What a formula can refer to: x, y, z, ... are the real operands, n the
/// integer one, r and s the results.
template <typename Real, typename Integer> struct Arguments {
  Real Operand[MaxOperands];
  Integer N;
  Real Result[MaxResults];
};

/// reciprocal(y, x, r), where r = x / y, is 1 / y. Where x is a constant that
/// this says yes to, it is r times the constant 1 / x: no second division, and
/// y is not needed. Neither number is far from one, in any type, so that
/// nothing overflows or becomes subnormal that would not in 1 / y.
inline bool hasPlainInverse(double X) {
  return std::fabs(X) >= 0x1p-100 && std::fabs(X) <= 0x1p100;
}

/// -1 for negative numbers, else 1, for both zeros.
template <typename Real> Real sign(const Real &X) {
  return select(X < 0, Real(-1), Real(1));
}

/// Not equal to itself.
template <typename Real> auto isNaN(const Real &X) { return X != X; }

/// A complex number over the Real of a reading.
template <typename Real> struct Complex {
  Real Re, Im;

  Complex(Real Re, Real Im) : Re(Re), Im(Im) {}
  Complex(double Re) : Re(Re), Im(0) {}

  friend Complex operator-(const Complex &A) { return {-A.Re, -A.Im}; }
  friend Complex operator+(const Complex &A, const Complex &B) {
    return {A.Re + B.Re, A.Im + B.Im};
  }
  friend Complex operator-(const Complex &A, const Complex &B) {
    return {A.Re - B.Re, A.Im - B.Im};
  }
  friend Complex operator*(const Complex &A, const Complex &B) {
    return {A.Re * B.Re - A.Im * B.Im, A.Re * B.Im + A.Im * B.Re};
  }
  friend Complex operator/(const Complex &A, const Complex &B) {
    Real Norm = B.Re * B.Re + B.Im * B.Im;
    return {(A.Re * B.Re + A.Im * B.Im) / Norm,
            (A.Im * B.Re - A.Re * B.Im) / Norm};
  }
  /// A real numerator, without multiplications by zero.
  friend Complex operator/(double A, const Complex &B) {
    Real Norm = B.Re * B.Re + B.Im * B.Im;
    return {A * B.Re / Norm, -A * B.Im / Norm};
  }
  friend Complex operator/(Number A, const Complex &B) {
    Real Norm = B.Re * B.Re + B.Im * B.Im;
    return {A * B.Re / Norm, -A * B.Im / Norm};
  }
  friend auto operator==(const Complex &A, double B) {
    return A.Re == B && A.Im == 0;
  }
  friend Complex sin(const Complex &A) {
    return {sin(A.Re) * cosh(A.Im), cos(A.Re) * sinh(A.Im)};
  }
  friend Complex cos(const Complex &A) {
    return {cos(A.Re) * cosh(A.Im), -(sin(A.Re) * sinh(A.Im))};
  }
  friend Complex sinh(const Complex &A) {
    return {sinh(A.Re) * cos(A.Im), cosh(A.Re) * sin(A.Im)};
  }
  friend Complex cosh(const Complex &A) {
    return {cosh(A.Re) * cos(A.Im), sinh(A.Re) * sin(A.Im)};
  }
  friend Complex log(const Complex &A) {
    return {log(hypot(A.Re, A.Im)), atan2(A.Im, A.Re)};
  }
  template <typename Condition>
  friend Complex select(const Condition &C, const Complex &A,
                        const Complex &B) {
    return {select(C, A.Re, B.Re), select(C, A.Im, B.Im)};
  }
};

} // namespace verso::rules

#endif // VERSO_RULES_FORMULA_H
