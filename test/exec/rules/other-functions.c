//===- other-functions.c - the math library, everything else --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with integer arguments, with results through pointers, with three
// arguments, and those whose result is an integer.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "../check.h"

#define WRAP(name, expression)                                                 \
  static double name##_at(double x) { return expression; }
WRAP(ldexp, ldexp(x, 3) * x)
WRAP(scalbn, scalbn(x, -2) * x)
WRAP(scalbln, scalbln(x, 5L) * x)
WRAP(jn, jn(3, x) * x)
WRAP(yn, yn(2, x) * x)
WRAP(powi, __builtin_powi(x, 5) + __builtin_powi(x, -2))
WRAP(nextafter, nextafter(x, 10) * x)
WRAP(nexttoward, nexttoward(x, 10) * x)
WRAP(fma, fma(x, x + 1, sin(x)))
WRAP(ilogb, ilogb(x) * x)
WRAP(lround, (double)lround(x) * x)
WRAP(llround, (double)llround(x) * x)
WRAP(lrint, (double)lrint(x) * x)
WRAP(llrint, (double)llrint(x) * x)
WRAP(conversion, (double)(int)x *x + (double)(unsigned long)x)
WRAP(narrowing, (float)x * 0.5f + (double)(long double)x * x)
WRAP(significand, significand(x) * x)

static double modf_at(double x) {
  double whole, part = modf(x * x, &whole);
  return part * part + whole * x;
}
static double frexp_at(double x) {
  int exponent;
  double part = frexp(x * x, &exponent);
  return part * exponent * x;
}
static double remquo_at(double x) {
  int quotient;
  double rest = remquo(x * x, 1.25, &quotient);
  return rest * x + quotient;
}
static double sincos_at(double x) {
  double s, c;
  sincos(x * x, &s, &c);
  return s * c * x;
}
static float sincosf_at(float x) {
  float s, c;
  sincosf(x, &s, &c);
  return s * c;
}
static double lgamma_r_at(double x) {
  int sign;
  return lgamma_r(x, &sign) * sign;
}
static double modff_at(double x) {
  float whole, part = modff((float)x, &whole);
  return (double)part * x + (double)whole;
}

#define TEST(name, tolerance)                                                  \
  for (double x = 0.65; x < 3; x += 0.7)                                       \
    CHECK_CLOSE(__verso_grad(name##_at, x), central_difference(name##_at, x),  \
                tolerance);

int main(void) {
  TEST(ldexp, 1e-9)
  TEST(scalbn, 1e-9)
  TEST(scalbln, 1e-9)
  TEST(jn, 1e-9)
  TEST(yn, 1e-7)
  TEST(powi, 1e-8)
  TEST(nextafter, 1e-8)
  TEST(nexttoward, 1e-8)
  TEST(fma, 1e-9)
  TEST(ilogb, 1e-9)
  TEST(lround, 1e-9)
  TEST(llround, 1e-9)
  TEST(lrint, 1e-9)
  TEST(llrint, 1e-9)
  TEST(conversion, 1e-9)
  TEST(narrowing, 1e-3)
  TEST(significand, 1e-9)
  TEST(modf, 1e-8)
  TEST(frexp, 1e-8)
  TEST(remquo, 1e-8)
  TEST(sincos, 1e-8)
  TEST(lgamma_r, 1e-8)
  TEST(modff, 1e-3)
  CHECK_CLOSE(__verso_grad_float(sincosf_at, 0.7f), cosf(1.4f), 1e-6);
  return check_status();
}
