//===- estimates.c - reciprocals and roots of some bits -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rcpps and rsqrtps give twelve bits; their derivatives are those of 1 / x and of
// 1 / sqrt(x). A step of Newton's method on them is differentiated as it stands.
//
// REQUIRES: avx2
// FLAGS: -mavx
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <immintrin.h>

CHECK_NOINLINE static double reciprocal(double x) {
  float r[4];
  _mm_storeu_ps(r, _mm_rcp_ps(_mm_set_ps(1, (float)x, 2, 3)));
  return r[2] * 4 + r[0];
}
CHECK_NOINLINE static double root(double x) {
  float r[8];
  _mm256_storeu_ps(r, _mm256_rsqrt_ps(_mm256_set1_ps((float)x)));
  return r[0] + r[7];
}
CHECK_NOINLINE static double first(double x) {
  float r[4];
  __m128 v = _mm_set1_ps((float)x);
  _mm_storeu_ps(r, _mm_add_ps(_mm_rsqrt_ss(v), _mm_rcp_ss(v)));
  return r[0] + r[3];
}
CHECK_NOINLINE static double normalised(double x) {
  __m128 v = _mm_set1_ps((float)x), r = _mm_rsqrt_ps(v);
  __m128 step = _mm_sub_ps(_mm_set1_ps(1.5f),
                           _mm_mul_ps(_mm_mul_ps(_mm_set1_ps(0.5f), v),
                                      _mm_mul_ps(r, r)));
  return _mm_cvtss_f32(_mm_mul_ps(_mm_mul_ps(r, step), v)); // sqrt(x)
}

int main(void) {
  for (int i = 1; i < 9; i++) {
    const double x = 0.3 * i, slope = -0.5 / (x * sqrt(x));
    CHECK_DERIVATIVE(reciprocal, x, -4 / (x * x), 1e-3);
    CHECK_DERIVATIVE(root, x, 2 * slope, 1e-3);
    CHECK_DERIVATIVE(first, x, slope - 1 / (x * x) + 2, 1e-3);
    CHECK_DERIVATIVE(normalised, x, 0.5 / sqrt(x), 1e-3);
  }
  return check_status();
}
