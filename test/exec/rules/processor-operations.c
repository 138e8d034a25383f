//===- processor-operations.c - x86's intrinsics and single instructions --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels for vectors are written with: intrinsics that LLVM has no words
// of its own for, arithmetic by inline assembly, doubles that are shuffled and
// have their signs changed as pairs of integers. The primal is the processor's
// own, so that values, too, are compared with it.
//
// FLAGS: -mavx2 -mfma
// REQUIRES: avx2
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <immintrin.h>

double __verso_value_and_grad(void *, ...);
double __verso_jvp(void *, ...);

enum { N = 12, Kinds = 37 };

static __m256d wide(const double *x) { return _mm256_loadu_pd(x); }
static __m128d narrow(const double *x) { return _mm_loadu_pd(x); }
static __m128 floats(const double *x) { return _mm256_cvtpd_ps(wide(x)); }
static double total(__m256d v) {
  return v[0] + 1.25 * v[1] - 0.5 * v[2] + 2 * v[3];
}
static double total2(__m128d v) { return v[0] - 1.5 * v[1]; }
static double total4(__m128 v) { return total(_mm256_cvtps_pd(v)); }

/// A complex number's conjugate and its parts exchanged, as Eigen does it.
static __m128d conjugate(__m128d z) {
  __m128i sign = _mm_set_epi32((int)0x80000000, 0, 0, 0);
  return _mm_xor_pd(z, _mm_castsi128_pd(sign));
}
static __m128d exchange(__m128d z) {
  return _mm_castsi128_pd(_mm_shuffle_epi32(_mm_castpd_si128(z), 0x4e));
}

CHECK_NOINLINE static double compute(const double *x, int kind) {
  float table[8];
  for (int i = 0; i < 8; ++i)
    table[i] = (float)(x[i] * x[i + 3]);
  const int n = x[0] > -10 ? 2 : 1; // Nothing that the compiler knows.
  __m256d a = wide(x), b = wide(x + 4), c = wide(x + 8), r;
  __m128d s = narrow(x), t = narrow(x + 5), u;
  __m128 f = floats(x), g = floats(x + 4), h;
  switch (kind) {
  case 0:
    return total(_mm256_addsub_pd(a * b, c));
  case 1:
    return total2(_mm_addsub_pd(s * t, t));
  case 2:
    return total(_mm256_hadd_pd(a * a, b));
  case 3:
    return total2(_mm_hsub_pd(s * t, t));
  case 4:
    return total4(_mm_hadd_ps(f * g, g));
  case 5:
    return total(_mm256_fmaddsub_pd(a, b, c));
  case 6:
    return total(_mm256_fmsubadd_pd(a, b, c));
  case 7:
    return total(_mm256_max_pd(a * b, c));
  case 8:
    return total2(_mm_min_pd(s * s, t));
  case 9:
    return total2(_mm_min_sd(s * s, t)) + total2(_mm_max_sd(t, s * t));
  case 10:
    return total(_mm256_blendv_pd(a * b, c, b - c));
  case 11:
    return total2(_mm_blendv_pd(s * t, t, s - t));
  case 12:
    return total4(_mm_dp_ps(f, g, 0xb5));
  case 13:
    return total2(_mm_dp_pd(s, t, 0x31));
  case 14:
    return total(_mm256_round_pd(a * 3, _MM_FROUND_FLOOR) * b);
  case 15:
    return total2(_mm_round_sd(s, t * 3, _MM_FROUND_TO_NEAREST_INT) * t);
  case 16:
    r = a;
    __asm__("vfmadd231pd %[b], %[c], %[r]"
            : [r] "+x"(r)
            : [b] "x"(b), [c] "x"(c));
    return total(r);
  case 17:
    r = a;
    __asm__("vfnmsub213pd %[b], %[c], %[r]"
            : [r] "+x"(r)
            : [b] "x"(b), [c] "x"(c));
    return total(r) + total(_mm256_div_pd(a, r));
  case 18:
    u = s * t;
    __asm__("maxpd\t%1, %0" : "+x"(u) : "x"(t));
    return total2(u);
  case 19:
    __asm__("vsubps %[g], %[f], %[h]" : [h] "=x"(h) : [f] "x"(f), [g] "x"(g));
    return total4(h * f);
  case 20:
    u = _mm_castsi128_pd(_mm_shuffle_epi32(_mm_castpd_si128(s), 0xee));
    return total2(u * t);
  case 21: {
    __m256i mask = _mm256_set_epi64x(0, -1, 0, x[0] > -10 ? -1 : 0);
    double out[4] = {x[1], x[2], x[3], x[4]};
    _mm256_maskstore_pd(out, mask, a * b + _mm256_maskload_pd(x + 6, mask));
    return total(wide(out) * c);
  }
  case 22: {
    __m128i swapped = _mm_shuffle_epi32(_mm_castps_si128(f), 0x4e);
    __m128d pair = _mm_castsi128_pd(swapped);
    return total4(_mm_castpd_ps(_mm_unpackhi_pd(pair, pair)) * g);
  }
  case 23:
    return total(_mm256_i32gather_pd(x, _mm_setr_epi32(7, 1, n, 1), 8) * b);
  case 24:
    return total(_mm256_mask_i64gather_pd(
        a * c, (const double *)((const char *)x + 8),
        _mm256_setr_epi64x(n * 4, 8, 40, -4), a - b + wide(x + 2) * 0.5, 2));
  case 25:
    return total4(_mm_i32gather_ps(table, _mm_setr_epi32(3, n, 5, 0), 4) * f);
  case 26:
    return total4(_mm256_i64gather_ps(
               table, _mm256_setr_epi64x(n, 2, 7, 4), 4)) +
           total4(_mm_i64gather_ps(table, _mm_set_epi64x(n, 6), 4));
  case 27: {
    __m256 all = _mm256_loadu_ps(table);
    all = _mm256_permutevar8x32_ps(
        all, _mm256_setr_epi32(n, 6, 9, 1, 0, 4, n + 1, 2));
    return total4(_mm256_castps256_ps128(all) * _mm256_extractf128_ps(all, 1));
  }
  case 28:
    return total(_mm256_permutevar_pd(a * b, _mm256_setr_epi64x(n, 0, 2, 1))) +
           total4(_mm_permutevar_ps(f * g, _mm_setr_epi32(n, 3, 5, 0)));
  case 29:
    return total4(_mm_insert_ps(f * f, g * f, 0x98));
  case 30: {
    double out[4];
    _mm256_storeu_si256((__m256i *)out,
                        _mm256_lddqu_si256((const __m256i *)(x + 3)));
    return total(wide(out) * a);
  }
  case 31: {
    __m256i order = _mm256_setr_epi32(6, 7, n - 2, n - 1, 4, 5, 2, 3);
    return total(_mm256_castsi256_pd(_mm256_permutevar8x32_epi32(
               _mm256_castpd_si256(a * b), order)) *
                 c);
  }
  case 32:
    u = exchange(conjugate(s));
    return total2(u * u);
  case 33: {
    double out[4] = {x[1], x[2], x[3], x[4]};
    for (int i = 0; i < n; ++i) {
      u = conjugate(s);
      _mm_storeu_pd(out + 2 * i, narrow(out + 2 * i) * exchange(u) + u);
    }
    return total(wide(out));
  }
  case 34: {
    __m128i rest = _mm_set_epi32(0x7fffffff, -1, -1, -1);
    u = _mm_and_pd(conjugate(s), _mm_castsi128_pd(rest));
    return total2(exchange(u) * t);
  }
  case 35: {
    double copy[2] = {x[3], x[4] * x[4]};
    u = conjugate(narrow(copy));
    return total2(exchange(u) * u);
  }
  default: {
    double root;
    __asm__("sqrtsd %1, %0" : "=x"(root) : "x"(x[0] * x[0] + 1));
    return root * x[1] + (_mm256_movemask_pd(a - b) & 1) * x[2];
  }
  }
}

static int theKind;
static double of(double *x) { return compute(x, theKind); }

int main(void) {
  double x[N];
  for (int i = 0; i < N; ++i)
    x[i] = 0.37 + 0.21 * i - 0.07 * (i * i % 7);
  for (theKind = 0; theKind < Kinds; ++theKind) {
    double d[N] = {0}, plain = compute(x, theKind);
    double y = __verso_value_and_grad((void *)compute, verso_dup, x, d,
                                      verso_const, theKind);
    CHECK_EQUAL(y, plain);
    // Of floats, differences are rough.
    int isRough =
        theKind == 4 || theKind == 12 || theKind == 19 || theKind == 22 ||
        (theKind >= 25 && theKind <= 29);
    if (isRough) {
      double v[N], jvp;
      for (int i = 0; i < N; ++i)
        v[i] = 0.5 - 0.11 * i;
      jvp = __verso_jvp((void *)compute, verso_dup, x, v, verso_const, theKind);
      double dot = 0;
      for (int i = 0; i < N; ++i)
        dot += d[i] * v[i];
      CHECK_CLOSE(dot, jvp, 1e-6);
      for (int i = 0; i < N; ++i) {
        double here = x[i], step = 1.0 / 64, up, down;
        x[i] = here + step, up = of(x);
        x[i] = here - step, down = of(x);
        x[i] = here;
        CHECK_CLOSE(d[i], (up - down) / (2 * step), 2e-3);
      }
    } else {
      CHECK_GRADIENT(of, N, x, d, 1e-6);
    }
  }
  return check_status();
}
