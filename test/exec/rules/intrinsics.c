//===- intrinsics.c - LLVM's floating-point intrinsics --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elementwise builtins of clang become intrinsics as they are, on scalars
// and on vectors; the vector's elements are compared with the scalar's
// derivative.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef double double4 __attribute__((vector_size(32)));
#define E(name) __builtin_elementwise_##name

// What clang 19 has no builtins for, what its scalarizer does not take apart and
// what its code generator lacks.
#if __has_builtin(__builtin_elementwise_maximum)
#define NEWER_FUNCTIONS(F)                                                     \
  F(asin, E(asin)(x * 0.25))                                                   \
  F(acos, E(acos)(x * 0.25))                                                   \
  F(atan, E(atan)(x))                                                          \
  F(sinh, E(sinh)(x))                                                          \
  F(cosh, E(cosh)(x))                                                          \
  F(tanh, E(tanh)(x))                                                          \
  F(atan2, E(atan2)(x, x * x + 1))                                             \
  F(exp10, E(exp10)(x * 0.5))                                                  \
  F(maximum, E(maximum)(x, x * x))                                             \
  F(minimum, E(minimum)(x, x * x))                                             \
  F(fmod, E(fmod)(x * x, x * 0 + 0.8))                                         \
  F(canonicalize, E(canonicalize)(x * x))
#else
#define NEWER_FUNCTIONS(F)
#endif

#define FUNCTIONS(F)                                                           \
  F(sin, E(sin)(x))                                                            \
  F(cos, E(cos)(x))                                                            \
  F(tan, E(tan)(x))                                                            \
  NEWER_FUNCTIONS(F)                                                           \
  F(exp, E(exp)(x))                                                            \
  F(exp2, E(exp2)(x))                                                          \
  F(log, E(log)(x))                                                            \
  F(log2, E(log2)(x))                                                          \
  F(log10, E(log10)(x))                                                        \
  F(pow, E(pow)(x, x + 1))                                                     \
  F(sqrt, E(sqrt)(x))                                                          \
  F(fma, E(fma)(x, x, x * 3))                                                  \
  F(abs, E(abs)(x - 1))                                                        \
  F(floor, E(floor)(x) * x)                                                    \
  F(ceil, E(ceil)(x) * x)                                                      \
  F(trunc, E(trunc)(x) * x)                                                    \
  F(round, E(round)(x) * x)                                                    \
  F(roundeven, E(roundeven)(x) * x)                                            \
  F(rint, E(rint)(x) * x)                                                      \
  F(nearbyint, E(nearbyint)(x) * x)                                            \
  F(copysign, E(copysign)(x * x, x - 1))                                       \
  F(max, E(max)(x, x * x))                                                     \
  F(min, E(min)(x, x * x))

#define DEFINE(name, expression)                                               \
  CHECK_NOINLINE static double name##_scalar(double x) { return expression; }  \
  CHECK_NOINLINE static double name##_vector(const double *in) {               \
    double4 x = {in[0], in[1], in[2], in[3]};                                  \
    double4 r = expression;                                                    \
    return r[0] + r[1] + r[2] + r[3];                                          \
  }
FUNCTIONS(DEFINE)

static void report(const char *name, int before) {
  if (check_failures != before)
    fprintf(stderr, "  in the lines above: %s\n", name);
}

#define TEST(name, expression)                                                 \
  {                                                                            \
    int before = check_failures;                                               \
    double x[] = {0.3, 0.7, 1.4, 2.3}, dx[4] = {0};                            \
    __verso_grad_void(name##_vector, verso_dup, x, dx);                        \
    for (int i = 0; i < 4; ++i) {                                              \
      double slope = central_difference(name##_scalar, x[i]);                  \
      CHECK_CLOSE(__verso_grad(name##_scalar, x[i]), slope, 1e-8);             \
      CHECK_CLOSE(dx[i], slope, 1e-8);                                         \
    }                                                                          \
    report(#name, before);                                                     \
  }

int main(void) {
  FUNCTIONS(TEST)
  return check_status();
}
