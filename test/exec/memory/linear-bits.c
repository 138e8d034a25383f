//===- linear-bits.c - numbers computed through their bits ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inverse square roots, logarithms, powers and exponentials by integer
// arithmetic on bits, as engines have them; exponents and mantissas taken apart
// and put together, numbers split in two halves, and a table whose index is
// made of a number: there the integer is a constant. Compared with differences
// between two powers of two, where the bits are linear.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <immintrin.h>
#include <stdint.h>

double __verso_jvp(void *, ...);

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint64_t wide_bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double inverse_root(double x) {
  float f = (float)x, y = float_of(0x5f3759df - (bits_of(f) >> 1));
  return y * (1.5f - 0.5f * f * y * y);
}
static double wide_inverse_root(double x) {
  double y = double_of(0x5fe6eb50c7b537a9 - (wide_bits_of(x) >> 1));
  return y * (1.5 - 0.5 * x * y * y);
}
static double cube_root(double x) {
  return double_of(wide_bits_of(x) / 3 + UINT64_C(0x2a9f7893782da1ce));
}
static double times_eight(double x) {
  return double_of(wide_bits_of(x) + (UINT64_C(3) << 52));
}
static int steps(void) {
  static volatile int n = -5;
  return n;
}
static double times_power(double x) {
  return double_of(wide_bits_of(x) + ((uint64_t)(int64_t)steps() << 52));
}
static double mantissa(double x) {
  return double_of((wide_bits_of(x) & 0xfffffffffffff) | 0x3ff0000000000000);
}
static double exponent(double x) {
  return (double)((int)(wide_bits_of(x) >> 52 & 0x7ff) - 1023) * x;
}
/// As in libraries that look at the upper word.
static double upper_exponent(double x) {
  int upper = (int)(wide_bits_of(x) >> 32);
  return ((upper >> 20) - 1023) * x;
}
static double logarithm(double x) {
  double m = mantissa(x), k = (double)(int)(wide_bits_of(x) >> 52) - 1023;
  double s = (m - 1) / (m + 1), s2 = s * s;
  return k * 0.69314718055994531 +
         2 * s * (1 + s2 * (1. / 3 + s2 * (1. / 5 + s2 * (1. / 7 + s2 / 9))));
}
static double rough_logarithm(double x) {
  return (float)(int)bits_of((float)x) * 8.2629582e-8f - 87.989971f;
}
static double rough_power(double x) {
  float f = (float)x;
  return float_of(
      (uint32_t)(int)(0.75f * ((float)(int)bits_of(f) - 1064866816) +
                      1064866816));
}
static double rough_exponential(double x) {
  return float_of((uint32_t)(int)(12102203.2f * (float)x + 1064866805.f));
}
/// Schraudolph's, in the upper word of a double.
static double upper_exponential(double x) {
  return double_of((uint64_t)(int64_t)(int)(1512775.3951951856 * x + 1072632447)
                   << 32);
}
/// Cut off where there are no numbers, as an integer.
static double clamped_exponential(double x) {
  int bits = (int)(12102203.2f * (float)x + 1064866805.f);
  if (bits < 0)
    bits = 0;
  return float_of(bits > 0x7f000000 ? 0x7f000000 : bits);
}
static double wide_clamped_exponential(double x) {
  int64_t bits = (int64_t)(6497320848556798.0 * x + 4606863017560000000.0);
  return double_of(bits < 0 ? 0 : bits);
}
/// Beyond 5 it is constant.
static double chosen_exponential(double x) {
  int bits = 0x40000000;
  if (x < 5)
    bits = (int)(12102203.2f * (float)x + 1064866805.f);
  return float_of(bits) * x;
}
static double rounded_exponential(double x) {
  return float_of((int)lrintf(12102203.2f * (float)x + 1064866805.f));
}
static double vector_exponential(double x) {
  __m128 v =
      _mm_mul_ps(_mm_set1_ps((float)x), _mm_setr_ps(1, 1.125f, 0.5f, 0.25f));
  v = _mm_add_ps(_mm_mul_ps(v, _mm_set1_ps(12102203.2f)),
                 _mm_set1_ps(1064866805.f));
  float out[4];
  _mm_storeu_ps(out, _mm_add_ps(_mm_castsi128_ps(_mm_cvttps_epi32(v)),
                                _mm_castsi128_ps(_mm_cvtps_epi32(v))));
  return out[0] - 2 * out[1] + out[2] + out[3];
}
/// 2^k by the exponent, and the rest by a polynomial.
static double exponential(double x) {
  int k = (int)floor(x * 1.4426950408889634 + 0.5);
  double r = x - k * 0.69314718055994531;
  double p =
      1 + r * (1 + r * (1. / 2 + r * (1. / 6 + r * (1. / 24 + r / 120))));
  return p * double_of((uint64_t)(k + 1023) << 52);
}
/// 2^(k / 32) by a table and the exponent.
static double table_exponential(double x) {
  int k = (int)floor(x * (32 * 1.4426950408889634) + 0.5);
  double r = x - k * (0.69314718055994531 / 32);
  uint64_t root =
      wide_bits_of(exp2((k & 31) / 32.0)) - ((uint64_t)(k & 31) << 47);
  return (1 + r * (1 + r * (1. / 2 + r / 6))) *
         double_of(root + ((uint64_t)(int64_t)k << 47));
}
/// The upper half of the mantissa is taken off exactly.
static double halves(double x) {
  double upper = double_of(wide_bits_of(x) & ~UINT64_C(0x7ffffff));
  double lower = x - upper;
  return upper * upper + 2 * upper * lower + lower * lower;
}
/// Rounded up, and in the binade's last number and the next one's first all
/// that changes with x is gone.
static double upper_halves(double x) {
  double upper = double_of(wide_bits_of(x) | 0x7ffffff);
  double lower = x - upper;
  return upper * upper + 2 * upper * lower + lower * lower;
}
static double all_set(double x) {
  return x * double_of(wide_bits_of(x) | 0xfffffffffffff);
}
static double next_power(double x) {
  float last = float_of(bits_of((float)x) | 0x7fffff);
  return x * (last + float_of(bits_of(last) + 1) +
              float_of((bits_of((float)x) | 0x7fffff) + 1));
}
static double geometric_mean(double x) {
  return double_of(wide_bits_of(x) / 2 + wide_bits_of(x * x * x) / 2);
}
static double negative(double x) {
  return inverse_root(x) * double_of(wide_bits_of(-x) + (UINT64_C(1) << 52));
}
/// Four at once, and the logarithm's parts in vectors of integers.
static double vectors(double x) {
  __m128 v =
      _mm_mul_ps(_mm_set1_ps((float)x), _mm_setr_ps(1, 1.125f, 1.25f, 1.5f));
  __m128i bits = _mm_castps_si128(v);
  __m128 k = _mm_cvtepi32_ps(
      _mm_sub_epi32(_mm_srli_epi32(bits, 23), _mm_set1_epi32(127)));
  __m128 m = _mm_castsi128_ps(
      _mm_or_si128(_mm_and_si128(bits, _mm_set1_epi32(0x7fffff)),
                   _mm_set1_epi32(0x3f800000)));
  float out[4];
  _mm_storeu_ps(out, _mm_mul_ps(_mm_add_ps(k, m), v));
  return out[0] + 2 * out[1] + out[2] + out[3];
}

/// An integer becomes a number by a constant that gives it an exponent: as by a
/// conversion, it has no derivative.
static double converted(double x) {
  double k =
      double_of((uint64_t)(int64_t)floor(x * 0.7 + 0.5) + 0x4338000000000000) -
      6755399441055744.0;
  return (x - k) * (x - k);
}
static double converted_float(double x) {
  uint32_t k = (uint32_t)(x * 10) & 0xff;
  return (float_of(k | 0x4b000000) - 8388608.f) * x;
}
/// The fraction is put into a mantissa.
static double fraction(double x) {
  uint32_t i = (uint32_t)(x * 8388608);
  return (float_of((i & 0x7fffff) | 0x3f800000) - 1) * x;
}

/// An integer times one that only run time knows: of small steps, and of the
/// exponent's, which have no derivative.
static int factor(int k) {
  static volatile int factors[] = {8, 1 << 23};
  return factors[k];
}
static double multiplied_exponential(double x) {
  int steps = (int)(12102203.2f / 8 * (float)x);
  return float_of((uint32_t)(factor(0) * steps + 1064866805));
}
static double multiplied_exponent(double x) {
  return float_of((uint32_t)(((int)x + 127) * factor(1))) * x;
}

typedef double function(double);
/// How far the points are that differences are taken from, and how close they
/// are to the derivative: floats are rounded.
#define FUNCTIONS(OF)                                                          \
  OF(inverse_root, 2e-2, 1e-3)                                                 \
  OF(wide_inverse_root, 1e-3, 1e-8)                                            \
  OF(cube_root, 1e-3, 1e-8)                                                    \
  OF(times_eight, 1e-3, 1e-9)                                                  \
  OF(times_power, 1e-3, 1e-9)                                                  \
  OF(mantissa, 1e-3, 1e-9)                                                     \
  OF(exponent, 1e-3, 1e-9)                                                     \
  OF(upper_exponent, 1e-3, 1e-9)                                               \
  OF(logarithm, 1e-3, 1e-9)                                                    \
  OF(rough_logarithm, 2e-2, 4e-3)                                              \
  OF(rough_power, 2e-2, 4e-3)                                                  \
  OF(rough_exponential, 1e-2, 1e-3)                                            \
  OF(upper_exponential, 1e-2, 1e-3)                                            \
  OF(clamped_exponential, 1e-2, 1e-3)                                          \
  OF(wide_clamped_exponential, 1e-3, 1e-5)                                     \
  OF(chosen_exponential, 1e-2, 1e-3)                                           \
  OF(rounded_exponential, 1e-2, 1e-3)                                          \
  OF(vector_exponential, 1e-2, 1e-3)                                           \
  OF(multiplied_exponential, 1e-2, 1e-3)                                       \
  OF(multiplied_exponent, 1e-3, 1e-9)                                          \
  OF(exponential, 1e-3, 1e-8)                                                  \
  OF(table_exponential, 1e-3, 1e-7)                                            \
  OF(halves, 1e-3, 1e-8)                                                       \
  OF(upper_halves, 1e-3, 1e-8)                                                 \
  OF(all_set, 1e-3, 1e-8)                                                      \
  OF(next_power, 1e-3, 1e-8)                                                   \
  OF(geometric_mean, 1e-3, 1e-8)                                               \
  OF(negative, 2e-2, 1e-3)                                                     \
  OF(converted, 1e-3, 1e-9)                                                    \
  OF(converted_float, 1e-3, 1e-9)                                              \
  OF(fraction, 1e-2, 1e-3)                                                     \
  OF(vectors, 2e-2, 1e-3)

#define OF_ARRAY(NAME, H, TOLERANCE)                                           \
  CHECK_NOINLINE static double NAME##_of(const double *x, int n) {             \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i)                                                \
      sum += (i + 1) * NAME(x[i]);                                             \
    return sum;                                                                \
  }
FUNCTIONS(OF_ARRAY)

enum { N = 3 };

/// Richardson's extrapolation of central differences.
static double difference(function *f, double x, double h) {
  double wide = (f(x + h) - f(x - h)) / (2 * h);
  double narrow = (f(x + h / 2) - f(x - h / 2)) / h;
  return (4 * narrow - wide) / 3;
}

/// Floats in memory, whose bits alone are read.
CHECK_NOINLINE static float rough_sum(const float *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (float)(int)bits_of(x[i]) * 8.2629582e-8f;
  return sum;
}

/// A random number's mantissa is put into a number: no derivative.
CHECK_NOINLINE static float noise(const float *x, uint32_t *state) {
  float sum = 0;
  for (int i = 0; i < N; ++i) {
    *state = *state * 1664525 + 1013904223;
    sum += x[i] * (float_of((*state >> 9) | 0x3f800000) - 1);
  }
  return sum;
}

int main() {
  const double x[N] = {1.305, 3.15, 5.61};
#define CHECK_FUNCTION(NAME, H, TOLERANCE)                                     \
  {                                                                            \
    double dx[N] = {0}, w[N] = {0.5, -1, 2}, product = 0;                      \
    __verso_grad((void *)NAME##_of, &verso_dup, x, dx, N);                     \
    for (int i = 0; i < N; ++i) {                                              \
      check_close(#NAME, __FILE__, i, dx[i],                                   \
                  (i + 1) * difference(NAME, x[i], H), TOLERANCE);             \
      product += dx[i] * w[i];                                                 \
    }                                                                          \
    CHECK_CLOSE(__verso_jvp((void *)NAME##_of, &verso_dup, x, w, N), product,  \
                1e-6);                                                         \
  }
  FUNCTIONS(CHECK_FUNCTION)

  float y[N] = {1.305f, 3.15f, 5.61f}, dy[N] = {0};
  __verso_grad_float((void *)rough_sum, &verso_dup, y, dy, N);
  CHECK_CLOSE(dy[0], 8388608 * 8.2629582e-8, 1e-6);
  CHECK_CLOSE(dy[1], 4194304 * 8.2629582e-8, 1e-6);
  CHECK_CLOSE(dy[2], 2097152 * 8.2629582e-8, 1e-6);

  uint32_t state = 7;
  float dz[N] = {0};
  __verso_grad_float((void *)noise, &verso_dup, y, dz, &verso_const, &state);
  state = 7;
  for (int i = 0; i < N; ++i) {
    state = state * 1664525 + 1013904223;
    CHECK_CLOSE(dz[i], float_of((state >> 9) | 0x3f800000) - 1, 1e-6);
  }
  return check_status();
}
