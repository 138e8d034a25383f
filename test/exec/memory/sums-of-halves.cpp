//===- sums-of-halves.cpp - adjoints of two-byte numbers --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The adjoint of a half or bfloat is summed, and handed on, with more digits
// and a wider range than it has itself: in registers, and in the arrays of a
// function that is differentiated. (In the user's shadow it has that one's.)
//
//===----------------------------------------------------------------------===//
// STRATEGY: structured

#include "../derivative.h"
#include <cstdlib>
#include <cstring>
#include <vector>

double __verso_value_and_grad(void *, ...);

#define HALF_TESTS(NAME, HALF)                                                 \
  namespace NAME {                                                             \
  using Half = HALF;                                                           \
  struct Pair {                                                                \
    Half first, second[2];                                                     \
  };                                                                           \
  /* Of a scalar: ones that no half could hold. */                             \
  CHECK_NOINLINE static double large(double x) {                               \
    Half h = (Half)(float)x;                                                   \
    return 1e6 * (float)h;                                                     \
  }                                                                            \
  CHECK_NOINLINE static double small(double x) {                               \
    Half h = (Half)(float)x;                                                   \
    return 1e-9 * (float)h;                                                    \
  }                                                                            \
  CHECK_NOINLINE static double block(double x, int n) {                        \
    Half *a = (Half *)malloc(4 * sizeof(Half));                                \
    for (int i = 0; i < 4; ++i)                                                \
      a[i] = (Half)(float)(x * (i + 1));                                       \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i)                                                \
      sum += (float)a[i % 4];                                                  \
    free(a);                                                                   \
    return sum;                                                                \
  }                                                                            \
  CHECK_NOINLINE static double local(double x, int n) {                        \
    Pair pairs[3];                                                             \
    memset(pairs, 0, sizeof pairs);                                            \
    for (int i = 0; i < 3; ++i) {                                              \
      pairs[i].first = (Half)(float)x;                                         \
      pairs[i].second[i % 2] = (Half)(float)(2 * x);                           \
    }                                                                          \
    double sum = 0;                                                            \
    const Pair *p = pairs;                                                     \
    for (int i = 0; i < n; ++i) {                                              \
      sum += (float)p->first + (float)p->second[0] + (float)p->second[1];      \
      p = p == pairs + 2 ? pairs : p + 1;                                      \
    }                                                                          \
    return sum;                                                                \
  }                                                                            \
  /* Values are rounded as before. */                                          \
  CHECK_NOINLINE static double rounded(const double *x, int n) {               \
    Half *a = (Half *)calloc(n, sizeof(Half)), *b = a + n / 2;                 \
    for (int i = 0; i < n; ++i)                                                \
      a[i] = (Half)(float)(*x + i);                                            \
    double sum = 0;                                                            \
    for (int k = 0; k < 3; ++k)                                                \
      for (int i = 0; i < n / 2; ++i)                                          \
        b[i] = (Half)((float)b[i] * 1.25f + (float)a[i]);                      \
    for (int i = 0; i < n / 2; ++i)                                            \
      sum += (float)b[i];                                                      \
    free(a);                                                                   \
    return sum;                                                                \
  }                                                                            \
  CHECK_NOINLINE static double vector(double x, int n) {                       \
    std::vector<Half> v(5, (Half)(float)x), w = v;                             \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i)                                                \
      sum += (float)w[i % 5];                                                  \
    return sum;                                                                \
  }                                                                            \
  static void run() {                                                          \
    CHECK_DERIVATIVE(large, 0.5, 1e6, 1e-12);                                  \
    CHECK_DERIVATIVE(small, 0.5, 1e-9, 1e-12);                                 \
    const int n = 42000;                                                       \
    CHECK_CLOSE(__verso_grad((void *)block, 0.5, n), 2.5 * n, 1e-6);           \
    CHECK_CLOSE(__verso_grad((void *)local, 0.5, n), 3.0 * n, 1e-6);           \
    CHECK_CLOSE(__verso_grad((void *)vector, 0.5, n), 1.0 * n, 1e-2);          \
    double x = 3.3, dx = 0;                                                    \
    double value = __verso_value_and_grad((void *)rounded, verso_dup, &x, &dx, \
                                          verso_const, 40);                    \
    CHECK_EQUAL(value, rounded(&x, 40));                                       \
    CHECK_CLOSE(dx, 20 * 5.765625, 1e-6);                                      \
  }                                                                            \
  }

HALF_TESTS(halfs, _Float16)
HALF_TESTS(bfloats, __bf16)

int main() {
  halfs::run();
  bfloats::run();
  return check_status();
}
