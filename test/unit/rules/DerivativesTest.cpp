//===- DerivativesTest.cpp - formulas against differences -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that every formula of the table is the derivative of the function that
// the line names, at points of its intervals, and that the conventions written
// on top of the table hold.
//
//===----------------------------------------------------------------------===//

#include "TableRows.h"
#include "gtest/gtest.h"

using namespace verso;
using namespace verso::test;

/// Central differences at steps h and h / 2, extrapolated once: error O(h^4).
static double difference(const TableRow &Row, Point P, unsigned Result,
                         unsigned K) {
  auto Slope = [&](double H) {
    Point Left = P, Right = P;
    Left.X[K] -= H;
    Right.X[K] += H;
    return (Row.Value(Right.X, P.N)[Result] - Row.Value(Left.X, P.N)[Result]) /
           (Right.X[K] - Left.X[K]);
  };
  double H = 0x1p-10;
  return (4 * Slope(H / 2) - Slope(H)) / 3;
}

TEST(Derivatives, EveryFormulaMatchesDifferences) {
  for (const TableRow &Row : tableRows()) {
    if (!Row.Value)
      continue;
    for (const Point &P : pointsOf(Row, 25))
      for (unsigned Result = 0; Result != rules::MaxResults; ++Result)
        for (unsigned K = 0; K != Row.NumOperands; ++K) {
          if (!Row.Partials[Result][K])
            continue;
          double Expected = difference(Row, P, Result, K);
          // h^4 times a fifth derivative, next to poles: about 1e-7.
          EXPECT_NEAR(partialAt(Row, P, Result, K), Expected,
                      1e-6 * (1 + std::fabs(Expected)))
              << Row.Name << " result " << Result << " by operand " << K
              << " at " << P.X[0] << ", " << P.X[1] << ", " << P.N;
        }
  }
}

static double partial(const char *Name, double X, double Y = 0,
                      unsigned K = 0) {
  for (const TableRow &Row : tableRows())
    if (std::string(Name) == Row.Name)
      return partialAt(Row, Point{{X, Y}, 0}, 0, K);
  ADD_FAILURE() << "no such row: " << Name;
  return 0;
}

TEST(Derivatives, ConventionsAtKinksAndPoles) {
  double Inf = HUGE_VAL, NaN = std::nan("");
  EXPECT_EQ(partial("fabs", 0.0), 1);
  EXPECT_EQ(partial("fabs", -0.0), 1);
  EXPECT_EQ(partial("copysign", 0.0, -1), -1);
  EXPECT_EQ(partial("sqrt", 0), Inf);
  EXPECT_EQ(partial("cbrt", 0), Inf);
  EXPECT_EQ(partial("hypot", 0, 0, 0), 0);
  EXPECT_EQ(partial("hypot", 0, 0, 1), 0);
  for (const char *Name : {"fmax", "fmin", "fmaximum", "fminimum",
                           "fmaximum_num", "fminimum_num"}) {
    EXPECT_EQ(partial(Name, 1, 1, 0), 1) << Name;
    EXPECT_EQ(partial(Name, 1, 1, 1), 0) << Name;
  }
  for (const char *Name : {"fmax", "fmin", "fmaximum_num", "fminimum_num"}) {
    EXPECT_EQ(partial(Name, 1, NaN, 0), 1) << Name;
    EXPECT_EQ(partial(Name, 1, NaN, 1), 0) << Name;
    EXPECT_EQ(partial(Name, NaN, 1, 0), 0) << Name;
    EXPECT_EQ(partial(Name, NaN, 1, 1), 1) << Name;
  }
  EXPECT_EQ(partial("fdim", 1, 1, 0), 0);
  EXPECT_EQ(partial("fdim", 1, 1, 1), 0);
  EXPECT_EQ(partial("floor", 2), 0);
  EXPECT_EQ(partial("frexp", 0), 1);
  EXPECT_EQ(partial("pow", 0, 0, 0), 0);
  EXPECT_EQ(partial("pow", 0, 1, 0), 1);
  EXPECT_EQ(partial("pow", 0, 2, 0), 0);
  EXPECT_EQ(partial("pow", 0, 0.5, 0), Inf);
  EXPECT_EQ(partial("pow", -2, 3, 0), 12);
  EXPECT_EQ(partial("pow", 0, 2, 1), 0);
  EXPECT_EQ(partial("pow", -2, 3, 1), 0);
}

TEST(Derivatives, QuotientOfFmodIsExactNextToItsJumps) {
  // x / y rounds to 3, but fmod leaves nearly y.
  double Y = 0.1, X = std::nextafter(0.3, 0);
  EXPECT_EQ(partial("fmod", X, Y, 1), -std::round((X - std::fmod(X, Y)) / Y));
  EXPECT_EQ(partial("fmod", 1e15 + 0.5, 1, 1), -1e15);
}

TEST(Special, DigammaMatchesClosedForms) {
  const double Euler = 0.57721566490153286061;
  const double Pi = std::acos(-1.0);
  EXPECT_NEAR(__verso_digamma(1), -Euler, 1e-15);
  EXPECT_NEAR(__verso_digamma(2), 1 - Euler, 1e-15);
  EXPECT_NEAR(__verso_digamma(0.5), -Euler - 2 * std::log(2), 1e-14);
  EXPECT_NEAR(__verso_digamma(0.25), -Euler - Pi / 2 - 3 * std::log(2), 1e-14);
  EXPECT_NEAR(__verso_digamma(10), 2.25175258906672110765, 1e-14);
  EXPECT_NEAR(__verso_digamma(-0.5), 0.03648997397857652056, 1e-14);
  EXPECT_NEAR(__verso_digamma(1e6), 13.8155100579641907, 1e-13);
  // Around the zero the relative error stays small: the slope there is
  // 0.96767224544762441, the curvature -0.8848/2.
  double Root = 1.4616321449683622;
  EXPECT_NEAR(__verso_digamma(Root) /
                  (-9.549995429965697e-17 * 0.96767224544762441),
              1, 1e-12);
  EXPECT_EQ(__verso_digamma(0.0), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(__verso_digamma(-1)));
}

TEST(Special, PolygammaMatchesClosedForms) {
  const double Pi = std::acos(-1.0), Zeta3 = 1.2020569031595942854;
  auto ExpectClose = [](double Value, double Expected) {
    EXPECT_NEAR(Value / Expected, 1, 1e-14) << Expected;
  };
  ExpectClose(__verso_polygamma(1, 1), Pi * Pi / 6);
  ExpectClose(__verso_polygamma(1, 0.5), Pi * Pi / 2);
  ExpectClose(__verso_polygamma(1, -0.5), Pi * Pi / 2 + 4);
  ExpectClose(__verso_polygamma(1, -3.5),
              Pi * Pi / 2 + 4 * (1 + 1 / 9. + 1 / 25. + 1 / 49.));
  ExpectClose(__verso_polygamma(1, 1e-3), 1000001.64253319587);
  ExpectClose(__verso_polygamma(1, 1e8), 1.000000005e-8);
  ExpectClose(__verso_polygamma(2, 1), -2 * Zeta3);
  ExpectClose(__verso_polygamma(2, 0.5), -14 * Zeta3);
  ExpectClose(__verso_polygamma(2, -0.5), 16 - 14 * Zeta3);
  ExpectClose(__verso_polygamma(3, 1), std::pow(Pi, 4) / 15);
  ExpectClose(__verso_polygamma(3, -0.5), std::pow(Pi, 4) + 96);
  ExpectClose(__verso_polygamma(5, 1), 8 * std::pow(Pi, 6) / 63);
  ExpectClose(__verso_polygamma(9, 1), 362880 * 1.0009945751278180853);
  // Next to a pole below zero, where x - rint(x) is all that counts.
  ExpectClose(__verso_polygamma(3, -1 + 0x1p-40), 6 * 0x1p160);
  ExpectClose(__verso_polygamma(2, -1 - 0x1p-40), 2 * 0x1p120);
  EXPECT_EQ(__verso_polygamma(1, 0.0), HUGE_VAL);
  EXPECT_EQ(__verso_polygamma(2, 0.0), -HUGE_VAL);
  EXPECT_EQ(__verso_polygamma(2, -0.0), HUGE_VAL);
  EXPECT_EQ(__verso_polygamma(1, -3), HUGE_VAL);
  EXPECT_TRUE(std::isnan(__verso_polygamma(2, -3)));
  EXPECT_EQ(__verso_polygamma(1, HUGE_VAL), 0);
}

TEST(Special, SinpiAndCospiAreExactAtHalves) {
  for (int K = -8; K <= 8; ++K) {
    double X = K / 2.0;
    EXPECT_EQ(std::fabs(__verso_sinpi(X)), K % 2 ? 1 : 0) << X;
    EXPECT_EQ(std::fabs(__verso_cospi(X)), K % 2 ? 0 : 1) << X;
  }
  EXPECT_EQ(__verso_sinpi(0.5), 1);
  EXPECT_EQ(__verso_sinpi(-2.5), -1);
  EXPECT_EQ(__verso_cospi(3), -1);
}
