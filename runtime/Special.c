//===- Special.c - functions that partial derivatives need ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that pass/rules/Derivatives.def refers to and that the C
// library does not have (everywhere):
//
//   digamma(x)           the derivative of lgamma(x)
//   polygamma(n, x)      its nth derivative, n > 0
//   sinpi(x), cospi(x)   sin(pi x), cos(pi x); C23, so not in older libraries
//
// each for double and, with the suffix l, for long double. They have rules of
// their own, for second derivatives: an approximation's is less accurate, so
// their bodies stay out of the program.
//
// Accuracy: digamma has a relative error below 1e-14 (double) for x > 0, around
// its positive zero too; for x < 0 the error is that small relative to
// pi |cot(pi x)| + |digamma(1 - x)|. That of polygamma is below n 1e-15 for
// x > 0; below zero it is that small relative to the value at the distance from
// the next pole. sinpi and cospi are within 2 ulp.
//
//===----------------------------------------------------------------------===//

#include <math.h>

double __verso_digamma(double X);
long double __verso_digammal(long double X);
double __verso_polygamma(int N, double X);
long double __verso_polygammal(int N, long double X);
double __verso_sinpi(double X);
double __verso_cospi(double X);
long double __verso_sinpil(long double X);
long double __verso_cospil(long double X);

/// The decimals of pi that every long double format needs.
static const long double Pi = 3.14159265358979323846264338327950288L;

/// digamma(x) / (x - root) on [1, 2] in powers of x - 3/2: interpolated at
/// Chebyshev nodes, relative error 3e-18.
static const double AroundRoot[] = {
    0.95105587603183287971,     -0.42362742128146059979,
    0.24054248424078698304,     -0.14840492305388091493,
    0.094988724452890381645,    -0.061922133275488312017,
    0.040760833940846082799,    -0.026975796659787055062,
    0.017907248317313295827,    -0.011908220105959716185,
    0.0079270217968681539808,   -0.0052799372555327082537,
    0.0035181065638024723413,   -0.0023454947397380835176,
    0.0015633696313653505125,   -0.001036458481731283792,
    0.00069092557612829863631,  -0.00048595039220036256214,
    0.0003239594540134519833,   -0.00014480643368061613052,
    0.000096536462614100616785, -0.00017821885488559231885,
    0.00011881232908510335};

/// The positive zero of digamma is the sum of the two.
static const double RootHigh = 0x1.762d86356be3fp+0;
static const double RootLow = 0x1.b86a722197829p-54;

static double digammaAroundRoot(double X) {
  int I = sizeof(AroundRoot) / sizeof(*AroundRoot) - 1;
  double T = X - 1.5, Sum = AroundRoot[I];
  while (I--)
    Sum = Sum * T + AroundRoot[I];
  return ((X - RootHigh) - RootLow) * Sum;
}

/// B(2k) / (2k) for k = 1, 2, ...
static const long double Tail[] = {
    1.0L / 12,       -1.0L / 120, 1.0L / 252,      -1.0L / 240,     1.0L / 132,
    -691.0L / 32760, 1.0L / 12,   -3617.0L / 8160, 43867.0L / 14364};

/// The asymptotic series of digamma:
///   log(x) - 1 / (2x) - sum over k of B(2k) / (2k) x^(-2k)
#define DEFINE_ASYMPTOTIC_DIGAMMA(TYPE, SUFFIX)                                \
  static TYPE asymptoticDigamma##SUFFIX(TYPE X) {                              \
    TYPE Z = 1 / (X * X), Sum = 0;                                             \
    for (int I = sizeof(Tail) / sizeof(*Tail); I--;)                           \
      Sum = (Sum + (TYPE)Tail[I]) * Z;                                         \
    return log##SUFFIX(X) - (TYPE)0.5 / X - Sum;                               \
  }

DEFINE_ASYMPTOTIC_DIGAMMA(double, )
DEFINE_ASYMPTOTIC_DIGAMMA(long double, l)

double __verso_digamma(double X) {
  double Result = 0;
  if (X <= 0) {
    double T = X - rint(X);
    if (T == 0) // A pole: one-sided at a zero, of either sign otherwise.
      return X == 0 ? -1 / X : NAN;
    Result = -(double)Pi / tan((double)Pi * T);
    X = 1 - X;
  } else if (X < 1) {
    Result = -1 / X;
    X += 1;
  }
  if (X <= 2)
    return Result + digammaAroundRoot(X);
  for (; X < 10; X += 1)
    Result -= 1 / X;
  return Result + asymptoticDigamma(X);
}

long double __verso_digammal(long double X) {
  long double Result = 0;
  if (X <= 0) {
    long double T = X - rintl(X);
    if (T == 0)
      return X == 0 ? -1 / X : NAN;
    Result = -Pi / tanl(Pi * T);
    X = 1 - X;
  }
  for (; X < 16; X += 1)
    Result -= 1 / X;
  return Result + asymptoticDigammal(X);
}

/// The sum over k >= 0 of (X + k)^-S, for X > 0 and S > 1: by Euler and
/// Maclaurin, from where its terms fall quickly.
///
/// polygamma(n, x) is (-1)^(n + 1) n! times that sum with S = n + 1. For x < 0
/// the sum over all integers k, without those below zero: around the pole next
/// to x, both sides of it are such sums.
#define DEFINE_POLYGAMMA(TYPE, SUFFIX, START)                                  \
  static TYPE sumOfPowers##SUFFIX(int S, TYPE X) {                             \
    TYPE Sum = 0;                                                              \
    for (; X < (START) + S; X += 1)                                            \
      Sum += pow##SUFFIX(X, -S);                                               \
    TYPE Power = pow##SUFFIX(X, 1 - S), Z = 1 / (X * X), Term = S * Power * Z; \
    Sum += Power / (S - 1) + (TYPE)0.5 * Power / X;                            \
    for (int I = 0, Terms = sizeof(Tail) / sizeof(*Tail); I != Terms; ++I) {   \
      int K = 2 * I + 2;                                                       \
      Sum += (TYPE)Tail[I] * Term;                                             \
      Term *= (TYPE)(S + K - 1) / K * (TYPE)(S + K) / (K + 1) * Z;             \
    }                                                                          \
    return Sum;                                                                \
  }                                                                            \
  TYPE __verso_polygamma##SUFFIX(int N, TYPE X) {                              \
    int S = N + 1;                                                             \
    TYPE Factor = S % 2 ? -1 : 1, Sum;                                         \
    if (X <= 0) {                                                              \
      TYPE T = X - rint##SUFFIX(X), Beyond;                                    \
      if (T == 0 && X != 0 && S % 2) /* Of either sign. */                     \
        return NAN;                                                            \
      Beyond = sumOfPowers##SUFFIX(S, 1 - T) - sumOfPowers##SUFFIX(S, 1 - X);  \
      Sum = pow##SUFFIX(T == 0 ? X * 0 : T, -S) +                              \
            sumOfPowers##SUFFIX(S, 1 + T) + Factor * Beyond;                   \
    } else {                                                                   \
      Sum = sumOfPowers##SUFFIX(S, X);                                         \
    }                                                                          \
    for (int K = 2; K <= N; ++K)                                               \
      Factor *= K;                                                             \
    return Factor * Sum;                                                       \
  }

DEFINE_POLYGAMMA(double, , 10)
DEFINE_POLYGAMMA(long double, l, 16)

/// Both functions for one type. The reduction to [-1, 1] and the distances from
/// 0, 1/2 and 1 are exact.
#define DEFINE_PI_FUNCTIONS(TYPE, SUFFIX)                                      \
  TYPE __verso_sinpi##SUFFIX(TYPE X) {                                         \
    TYPE R = X - 2 * rint##SUFFIX(X / 2);                                      \
    TYPE Sign = R < 0 ? -1 : 1, A = Sign * R;                                  \
    if (A <= (TYPE)0.25)                                                       \
      return sin##SUFFIX((TYPE)Pi * R);                                        \
    if (A <= (TYPE)0.75)                                                       \
      return Sign * cos##SUFFIX((TYPE)Pi * ((TYPE)0.5 - A));                   \
    return Sign * sin##SUFFIX((TYPE)Pi * (1 - A));                             \
  }                                                                            \
  TYPE __verso_cospi##SUFFIX(TYPE X) {                                         \
    TYPE R = X - 2 * rint##SUFFIX(X / 2);                                      \
    TYPE A = R < 0 ? -R : R;                                                   \
    if (A <= (TYPE)0.25)                                                       \
      return cos##SUFFIX((TYPE)Pi * A);                                        \
    if (A <= (TYPE)0.75)                                                       \
      return sin##SUFFIX((TYPE)Pi * ((TYPE)0.5 - A));                          \
    return -cos##SUFFIX((TYPE)Pi * (1 - A));                                   \
  }

DEFINE_PI_FUNCTIONS(double, )
DEFINE_PI_FUNCTIONS(long double, l)
