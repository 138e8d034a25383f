//===- binary-functions.c - the math library, two arguments ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of two numbers, in its three precisions, against differences
// with respect to each of the two. A function is one line: its points are (x,
// y).
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "../check.h"

struct two {
  double x, y;
};
struct two_floats {
  float x, y;
};
struct two_longs {
  long double x, y;
};
struct two __verso_grad_two(void *, ...);
struct two_floats __verso_grad_floats(void *, ...);
struct two_longs __verso_grad_longs(void *, ...);

#define FUNCTIONS(F)                                                           \
  F(pow, 1.5, 2.5, 0.3, -1.5)                                                  \
  F(atan2, 1.5, -2, -0.3, 0.7)                                                 \
  F(hypot, 3, 4, -0.5, 0.25)                                                   \
  F(fmod, 7.3, 2, -5.1, 1.5)                                                   \
  F(remainder, 7.3, 2, -5.1, 1.5)                                              \
  F(drem, 7.3, 2, -5.1, 1.5)                                                   \
  F(fdim, 3, 1.5, 1.5, 3)                                                      \
  F(fmin, 3, 1.5, 1.5, 3)                                                      \
  F(fmax, 3, 1.5, 1.5, 3)                                                      \
  F(copysign, 3, -1.5, -2, -1)

#define DEFINE(name, ...)                                                      \
  static double name##_double(double x, double y) { return name(x, y) * x; }   \
  static float name##_float(float x, float y) { return name##f(x, y) * x; }    \
  static long double name##_long(long double x, long double y) {               \
    return name##l(x, y) * x;                                                  \
  }                                                                            \
  static double name##_array(double *v) { return name##_double(v[0], v[1]); }
FUNCTIONS(DEFINE)

static void report(const char *name, int before) {
  if (check_failures != before)
    fprintf(stderr, "  in the lines above: %s\n", name);
}

#define TEST(name, ...)                                                        \
  {                                                                            \
    const double points[2][2] = {__VA_ARGS__};                                 \
    int before = check_failures;                                               \
    for (int i = 0; i < 2; ++i) {                                              \
      double x = points[i][0], y = points[i][1];                               \
      struct two g = __verso_grad_two(name##_double, x, y);                    \
      double gradient[] = {g.x, g.y};                                          \
      CHECK_GRADIENT(name##_array, 2, points[i], gradient, 1e-8);              \
      struct two_floats f =                                                    \
          __verso_grad_floats(name##_float, (float)x, (float)y);               \
      CHECK_CLOSE(f.x, g.x, 1e-4);                                             \
      CHECK_CLOSE(f.y, g.y, 1e-4);                                             \
      struct two_longs l =                                                     \
          __verso_grad_longs(name##_long, (long double)x, (long double)y);     \
      CHECK_CLOSE(l.x, g.x, 1e-13);                                            \
      CHECK_CLOSE(l.y, g.y, 1e-13);                                            \
    }                                                                          \
    report(#name, before);                                                     \
  }

#pragma clang diagnostic ignored "-Wmissing-braces"
int main(void) {
  FUNCTIONS(TEST)
  return check_status();
}
