//===- returned-in-two-registers.c - structs of numbers and integers ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float beside an integer is returned in an integer's register, also where the
// other register holds numbers alone.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <verso/verso.h>

#define DECLARE(NAME, ...)                                                     \
  struct NAME {                                                                \
    __VA_ARGS__;                                                               \
  };                                                                           \
  double __verso_vjp_##NAME(void *, ...);                                      \
  struct NAME __verso_jvp_##NAME(void *, ...);
DECLARE(double_float_int, double a; float b; int n)
DECLARE(double_int_float, double a; int n; float b)
DECLARE(float_int_double, float b; int n; double a)
DECLARE(int_float_double, int n; float b; double a)
DECLARE(int_float_float, int n; float a, b)
DECLARE(float_int_long, float a; int n; long m)
DECLARE(floats_int, float a, b, c; int n)

CHECK_NOINLINE static struct double_float_int one(double x) {
  return (struct double_float_int){x * x, (float)(x * x * x), 7};
}
CHECK_NOINLINE static struct double_int_float two(double x) {
  return (struct double_int_float){x * x, -7, (float)(x * x * x)};
}
CHECK_NOINLINE static struct float_int_double three(double x) {
  return (struct float_int_double){(float)(x * x * x), 7, x * x};
}
CHECK_NOINLINE static struct int_float_double four(double x) {
  return (struct int_float_double){7, (float)(x * x * x), x * x};
}
CHECK_NOINLINE static struct int_float_float five(double x) {
  return (struct int_float_float){7, (float)(x * x), (float)(x * x * x)};
}
CHECK_NOINLINE static struct float_int_long six(double x) {
  return (struct float_int_long){(float)(x * x), 7, 1L << 40};
}
CHECK_NOINLINE static struct floats_int seven(double x) {
  return (struct floats_int){(float)(x * x), (float)(x * x * x), (float)x, 7};
}
/// What another function returns.
CHECK_NOINLINE static struct double_float_int handed_on(double x) {
  return one(x);
}
/// In and out: a's slope is 3 b + a, b's is 3 a.
CHECK_NOINLINE static struct double_float_int both(struct double_float_int s) {
  return (struct double_float_int){s.a * s.b, (float)(s.a * s.a / 2), s.n};
}
struct double_float_int __verso_vjp_both(void *, ...);

int main(void) {
  const double x = 2, square = 4, cube = 12;
#define CHECK_SHAPE(F, NAME, EXPECTED, OUTPUTS, ...)                           \
  do {                                                                         \
    struct NAME seed = {__VA_ARGS__};                                          \
    CHECK_CLOSE(__verso_vjp_##NAME((void *)F, verso_out, x, seed), EXPECTED,   \
                1e-7);                                                         \
    verso_tape *tape = __verso_linearize((void *)F, x);                        \
    CHECK(verso_tape_outputs(tape) == OUTPUTS);                                \
    verso_tape_free(tape);                                                     \
    struct NAME dot = __verso_jvp_##NAME((void *)F, verso_dup, x, 1.0);        \
    CHECK_CLOSE(dot.a, square, 1e-7);                                          \
  } while (0)
  CHECK_SHAPE(one, double_float_int, square + 10 * cube, 2, 1, 10, 0);
  CHECK_SHAPE(handed_on, double_float_int, square + 10 * cube, 2, 1, 10, 0);
  CHECK_SHAPE(two, double_int_float, square + 10 * cube, 2, 1, 0, 10);
  CHECK_SHAPE(three, float_int_double, square + 10 * cube, 2, 10, 0, 1);
  CHECK_SHAPE(four, int_float_double, square + 10 * cube, 2, 0, 10, 1);
  CHECK_SHAPE(five, int_float_float, square + 10 * cube, 2, 0, 1, 10);
  CHECK_SHAPE(six, float_int_long, square, 1, 1, 0, 0);
  CHECK_SHAPE(seven, floats_int, square + 10 * cube + 5, 3, 1, 10, 5, 0);
  struct double_float_int s = {3, 5, 7}, seed = {3, 1, 0};
  struct double_float_int ds =
      __verso_vjp_both((void *)both, verso_out, s, seed);
  CHECK_CLOSE(ds.a, 18, 1e-7);
  CHECK_CLOSE(ds.b, 9, 1e-7);
  return check_status();
}
