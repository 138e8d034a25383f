//===- TableRows.cpp - the rule table as numbers --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that the C library lacks on some systems are defined here from
// others, independently of the formulas under test.
//
//===----------------------------------------------------------------------===//

#include "TableRows.h"
#include <complex>
#include <random>

/// What the table's names mean: these, else the C library's functions.
namespace verso::values {

static const double Pi = std::acos(-1.0);

[[maybe_unused]] static double rsqrt(double X) { return 1 / std::sqrt(X); }
[[maybe_unused]] static double exp10(double X) { return std::pow(10, X); }
[[maybe_unused]] static double pow10(double X) { return std::pow(10, X); }
[[maybe_unused]] static double exp2m1(double X) { return std::exp2(X) - 1; }
[[maybe_unused]] static double exp10m1(double X) { return std::pow(10, X) - 1; }
[[maybe_unused]] static double logp1(double X) { return std::log(1 + X); }
[[maybe_unused]] static double log2p1(double X) { return std::log2(1 + X); }
[[maybe_unused]] static double log10p1(double X) { return std::log10(1 + X); }
[[maybe_unused]] static double sinpi(double X) { return std::sin(Pi * X); }
[[maybe_unused]] static double cospi(double X) { return std::cos(Pi * X); }
[[maybe_unused]] static double tanpi(double X) { return std::tan(Pi * X); }
[[maybe_unused]] static double asinpi(double X) { return std::asin(X) / Pi; }
[[maybe_unused]] static double acospi(double X) { return std::acos(X) / Pi; }
[[maybe_unused]] static double atanpi(double X) { return std::atan(X) / Pi; }
[[maybe_unused]] static double atan2pi(double Y, double X) {
  return std::atan2(Y, X) / Pi;
}
[[maybe_unused]] static double roundeven(double X) { return std::rint(X); }
[[maybe_unused]] static double nextup(double X) {
  return std::nextafter(X, HUGE_VAL);
}
[[maybe_unused]] static double nextdown(double X) {
  return std::nextafter(X, -HUGE_VAL);
}
[[maybe_unused]] static double drem(double X, double Y) {
  return std::remainder(X, Y);
}
[[maybe_unused]] static double powr(double X, double Y) {
  return std::pow(X, Y);
}
[[maybe_unused]] static double fmaximum(double X, double Y) {
  return X > Y ? X : Y;
}
[[maybe_unused]] static double fminimum(double X, double Y) {
  return X < Y ? X : Y;
}
[[maybe_unused]] static double fmaximum_num(double X, double Y) {
  return X > Y ? X : Y;
}
[[maybe_unused]] static double fminimum_num(double X, double Y) {
  return X < Y ? X : Y;
}
[[maybe_unused]] static double pown(double X, int N) { return std::pow(X, N); }
[[maybe_unused]] static double rootn(double X, int N) {
  return std::pow(X, 1.0 / N);
}
[[maybe_unused]] static double compoundn(double X, int N) {
  return std::pow(1 + X, N);
}
[[maybe_unused]] static double llvm_canonicalize(double X) { return X; }
[[maybe_unused]] static double llvm_arithmetic_fence(double X) { return X; }
[[maybe_unused]] static double llvm_fptrunc_round(double X) { return X; }
[[maybe_unused]] static double verso_rounded(double X, int) { return X; }
[[maybe_unused]] static double llvm_powi(double X, int N) {
  return std::pow(X, N);
}
[[maybe_unused]] static double llvm_fmuladd(double X, double Y, double Z) {
  return X * Y + Z;
}

static test::Results sincos(double X) { return {std::sin(X), std::cos(X)}; }
static test::Results sincospi(double X) {
  return {std::sin(Pi * X), std::cos(Pi * X)};
}
static test::Results modf(double X) {
  double Integral;
  double Fraction = std::modf(X, &Integral);
  return {Fraction, Integral};
}
static test::Results frexp(double X) {
  int Exponent;
  return {std::frexp(X, &Exponent), 0};
}
static test::Results lgamma_r(double X) { return {std::lgamma(X), 0}; }
static test::Results remquo(double X, double Y) {
  return {std::remainder(X, Y), 0};
}

using Z = std::complex<double>;
static Z cexp(Z X) { return std::exp(X); }
static Z clog(Z X) { return std::log(X); }
static Z clog10(Z X) { return std::log10(X); }
static Z csqrt(Z X) { return std::sqrt(X); }
static Z csin(Z X) { return std::sin(X); }
static Z ccos(Z X) { return std::cos(X); }
static Z ctan(Z X) { return std::tan(X); }
static Z casin(Z X) { return std::asin(X); }
static Z cacos(Z X) { return std::acos(X); }
static Z catan(Z X) { return std::atan(X); }
static Z csinh(Z X) { return std::sinh(X); }
static Z ccosh(Z X) { return std::cosh(X); }
static Z ctanh(Z X) { return std::tanh(X); }
static Z casinh(Z X) { return std::asinh(X); }
static Z cacosh(Z X) { return std::acosh(X); }
static Z catanh(Z X) { return std::atanh(X); }
static Z cproj(Z X) { return X; }
static Z cpow(Z X, Z Y) { return std::pow(X, Y); }
static Z product(Z X, Z Y) { return X * Y; }
static Z quotient(Z X, Z Y) { return X / Y; }
#define VERSO_HELPER_VALUES(operation, half, single, dbl, ext, quad)           \
  static Z half(Z X, Z Y) { return operation(X, Y); }                          \
  static Z single(Z X, Z Y) { return operation(X, Y); }                        \
  static Z dbl(Z X, Z Y) { return operation(X, Y); }                           \
  static Z ext(Z X, Z Y) { return operation(X, Y); }                           \
  static Z quad(Z X, Z Y) { return operation(X, Y); }
namespace helpers {
VERSO_HELPER_VALUES(product, __mulhc3, __mulsc3, __muldc3, __mulxc3, __multc3)
VERSO_HELPER_VALUES(quotient, __divhc3, __divsc3, __divdc3, __divxc3, __divtc3)
} // namespace helpers
static test::Results parts(Z X) { return {X.real(), X.imag()}; }

#define VERSO_VALUE(expression)                                                \
  [](const test::Operands &X, [[maybe_unused]] int N) -> test::Results {       \
    [[maybe_unused]] double x = X[0], y = X[1], z = X[2];                      \
    [[maybe_unused]] int n = N;                                                \
    return expression;                                                         \
  }
#define VERSO_REALS(expression) VERSO_VALUE((test::Results{expression, 0}))
#define VERSO_COMPLEX(expression)                                              \
  [](const test::Operands &X, int) -> test::Results {                          \
    [[maybe_unused]] Z x(X[0], X[1]), y(X[2], X[3]);                           \
    return parts(expression);                                                  \
  }

/// Only the values: the partials are read in another namespace.
using ValueFunction = test::Results (*)(const test::Operands &, int);
static const ValueFunction Values[] = {
#define VERSO_INSTRUCTION0(opcode) nullptr,
#define VERSO_INSTRUCTION1(opcode, X, value, dx) VERSO_REALS(value),
#define VERSO_INSTRUCTION2(opcode, X, Y, value, dx, dy) VERSO_REALS(value),
#define VERSO_UNARY(name, intrinsic, X, dx) VERSO_REALS(name(x)),
#define VERSO_BINARY(name, intrinsic, X, Y, dx, dy) VERSO_REALS(name(x, y)),
#define VERSO_TERNARY(name, intrinsic, X, Y, Z, dx, dy, dz)                    \
  VERSO_REALS(name(x, y, z)),
#define VERSO_UNARY_XN(name, intrinsic, X, N, dx) VERSO_REALS(name(x, n)),
#define VERSO_UNARY_NX(name, intrinsic, N, X, dx) VERSO_REALS(name(n, x)),
#define VERSO_UNARY_PAIR(name, intrinsic, X, dr, ds) VERSO_VALUE(name(x)),
#define VERSO_BINARY_PAIR(name, intrinsic, X, Y, drx, dry, dsx, dsy)           \
  VERSO_VALUE(name(x, y)),
#define VERSO_COMPLEX1(name, X, dx) VERSO_COMPLEX(name(x)),
#define VERSO_COMPLEX2(name, X, Y, dx, dy) VERSO_COMPLEX(name(x, y)),
#define VERSO_COMPLEX_HELPER(half, single, dbl, ext, quad, X, Y, dx, dy)       \
  VERSO_COMPLEX(helpers::half(x, y)), VERSO_COMPLEX(helpers::single(x, y)),    \
      VERSO_COMPLEX(helpers::dbl(x, y)), VERSO_COMPLEX(helpers::ext(x, y)),    \
      VERSO_COMPLEX(helpers::quad(x, y)),
#define VERSO_INTEGER(name, intrinsic) nullptr,
#include "rules/Derivatives.def"
};

} // namespace verso::values

namespace verso::rules {

using test::SampleArguments;
using test::TableRow;

#define VERSO_REAL(formula)                                                    \
  [](const SampleArguments &A) {                                               \
    [[maybe_unused]] Sample x = A.Operand[0], y = A.Operand[1],                \
                            r = A.Result[0], s = A.Result[1];                  \
    [[maybe_unused]] SampleInteger n = A.N;                                    \
    return Sample(formula).V;                                                  \
  }
#define VERSO_HOLOMORPHIC(component, formula)                                  \
  [](const SampleArguments &A) {                                               \
    [[maybe_unused]] Complex<Sample> x(A.Operand[0], A.Operand[1]),            \
        y(A.Operand[2], A.Operand[3]), r(A.Result[0], A.Result[1]);            \
    Complex<Sample> D(formula);                                                \
    return (component).V;                                                      \
  }
#define VERSO_HOLOMORPHIC_ROWS1(dx)                                            \
  {                                                                            \
    {VERSO_HOLOMORPHIC(D.Re, dx), VERSO_HOLOMORPHIC(-D.Im, dx)}, {             \
      VERSO_HOLOMORPHIC(D.Im, dx), VERSO_HOLOMORPHIC(D.Re, dx)                 \
    }                                                                          \
  }
#define VERSO_HOLOMORPHIC_ROWS2(dx, dy)                                        \
  {                                                                            \
    {VERSO_HOLOMORPHIC(D.Re, dx), VERSO_HOLOMORPHIC(-D.Im, dx),                \
     VERSO_HOLOMORPHIC(D.Re, dy), VERSO_HOLOMORPHIC(-D.Im, dy)},               \
    {                                                                          \
      VERSO_HOLOMORPHIC(D.Im, dx), VERSO_HOLOMORPHIC(D.Re, dx),                \
          VERSO_HOLOMORPHIC(D.Im, dy), VERSO_HOLOMORPHIC(D.Re, dy)             \
    }                                                                          \
  }
#define VERSO_INTERVAL(low, high)                                              \
  { low, high }
#define VERSO_HELPER_ROW(name, X, Y, dx, dy)                                   \
  {#name,                                                                      \
   4,                                                                          \
   {VERSO_INTERVAL X, VERSO_INTERVAL X, VERSO_INTERVAL Y, VERSO_INTERVAL Y},   \
   {},                                                                         \
   nullptr,                                                                    \
   VERSO_HOLOMORPHIC_ROWS2(dx, dy)},

static const TableRow Rows[] = {
#define VERSO_INSTRUCTION0(opcode) {#opcode, 0, {}, {}, nullptr, {}},
#define VERSO_INSTRUCTION1(opcode, X, value, dx)                               \
  {#opcode, 1, {VERSO_INTERVAL X}, {}, nullptr, {{VERSO_REAL(dx)}}},
#define VERSO_INSTRUCTION2(opcode, X, Y, value, dx, dy)                        \
  {#opcode, 2,       {VERSO_INTERVAL X, VERSO_INTERVAL Y},                     \
   {},      nullptr, {{VERSO_REAL(dx), VERSO_REAL(dy)}}},
#define VERSO_UNARY(name, intrinsic, X, dx)                                    \
  {#name, 1, {VERSO_INTERVAL X}, {}, nullptr, {{VERSO_REAL(dx)}}},
#define VERSO_BINARY(name, intrinsic, X, Y, dx, dy)                            \
  {#name, 2,       {VERSO_INTERVAL X, VERSO_INTERVAL Y},                       \
   {},    nullptr, {{VERSO_REAL(dx), VERSO_REAL(dy)}}},
#define VERSO_TERNARY(name, intrinsic, X, Y, Z, dx, dy, dz)                    \
  {#name, 3,       {VERSO_INTERVAL X, VERSO_INTERVAL Y, VERSO_INTERVAL Z},     \
   {},    nullptr, {{VERSO_REAL(dx), VERSO_REAL(dy), VERSO_REAL(dz)}}},
#define VERSO_UNARY_XN(name, intrinsic, X, N, dx)                              \
  {#name, 1, {VERSO_INTERVAL X}, VERSO_INTERVAL N, nullptr, {{VERSO_REAL(dx)}}},
#define VERSO_UNARY_NX(name, intrinsic, N, X, dx)                              \
  {#name, 1, {VERSO_INTERVAL X}, VERSO_INTERVAL N, nullptr, {{VERSO_REAL(dx)}}},
#define VERSO_UNARY_PAIR(name, intrinsic, X, dr, ds)                           \
  {#name, 1,       {VERSO_INTERVAL X},                                         \
   {},    nullptr, {{VERSO_REAL(dr)}, {VERSO_REAL(ds)}}},
#define VERSO_BINARY_PAIR(name, intrinsic, X, Y, drx, dry, dsx, dsy)           \
  {#name,                                                                      \
   2,                                                                          \
   {VERSO_INTERVAL X, VERSO_INTERVAL Y},                                       \
   {},                                                                         \
   nullptr,                                                                    \
   {{VERSO_REAL(drx), VERSO_REAL(dry)}, {VERSO_REAL(dsx), VERSO_REAL(dsy)}}},
#define VERSO_COMPLEX1(name, X, dx)                                            \
  {#name, 2,       {VERSO_INTERVAL X, VERSO_INTERVAL X},                       \
   {},    nullptr, VERSO_HOLOMORPHIC_ROWS1(dx)},
#define VERSO_COMPLEX2(name, X, Y, dx, dy) VERSO_HELPER_ROW(name, X, Y, dx, dy)
#define VERSO_COMPLEX_HELPER(half, single, dbl, ext, quad, X, Y, dx, dy)       \
  VERSO_HELPER_ROW(half, X, Y, dx, dy)                                         \
  VERSO_HELPER_ROW(single, X, Y, dx, dy)                                       \
  VERSO_HELPER_ROW(dbl, X, Y, dx, dy)                                          \
  VERSO_HELPER_ROW(ext, X, Y, dx, dy)                                          \
  VERSO_HELPER_ROW(quad, X, Y, dx, dy)
#define VERSO_INTEGER(name, intrinsic) {#name, 1, {}, {}, nullptr, {}},
#include "rules/Derivatives.def"
};

} // namespace verso::rules

namespace verso::test {

const std::vector<TableRow> &tableRows() {
  static const std::vector<TableRow> Rows = [] {
    std::vector<TableRow> Rows(std::begin(rules::Rows), std::end(rules::Rows));
    for (size_t K = 0; K != Rows.size(); ++K)
      Rows[K].Value = values::Values[K];
    return Rows;
  }();
  return Rows;
}

std::vector<Point> pointsOf(const TableRow &Row, unsigned Count) {
  std::mt19937 Generator(20240229);
  auto Draw = [&](Interval I) {
    return I.Low + (I.High - I.Low) * (Generator() / 4294967296.0);
  };
  std::vector<Point> Points(Count);
  for (Point &P : Points) {
    for (size_t K = 0; K != Row.Sampled.size(); ++K)
      P.X[K] = Draw(Row.Sampled[K]);
    P.N = int(std::lround(Draw(Row.SampledInteger)));
  }
  return Points;
}

double partialAt(const TableRow &Row, const Point &P, unsigned Result,
                 unsigned K) {
  SampleArguments A;
  for (unsigned J = 0; J != rules::MaxOperands; ++J)
    A.Operand[J] = P.X[J];
  A.N = P.N;
  Results R = Row.Value(P.X, P.N);
  for (unsigned J = 0; J != rules::MaxResults; ++J)
    A.Result[J] = R[J];
  return Row.Partials[Result][K](A);
}

} // namespace verso::test
