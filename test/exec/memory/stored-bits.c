//===- stored-bits.c - numbers made of bits, stored or chosen -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM stores numbers that were made of integers as integers; integers that
// numbers were rounded to are chosen in branches, overflow where another one
// is chosen, are rounded by a magic number, or are exponents (ilogb). Integers
// of two words go round a loop.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

double __verso_jvp(void *, ...);

enum { N = 5 };

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
static uint32_t rough(double x) {
  return (uint32_t)(int)(12102203.2f * (float)x + 1064866805.f);
}
/// Between two powers of two it is a line.
static double slope_of_rough(double x) {
  return 1.44269 * exp2(floor(x * 1.4426950408889634 + 1e-4 - 0.05730496));
}

CHECK_NOINLINE static double exponentials(const double *x, float *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = float_of(rough(x[i]));
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * y[i];
  return sum;
}
CHECK_NOINLINE static double scaled(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = float_of(bits_of(x[i]) + (3u << 23));
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * (double)y[n - 1 - i];
  return sum;
}
CHECK_NOINLINE static double in_branches(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    uint32_t bits;
    switch (i % 3) {
    case 0:
      bits = rough(x[i]);
      break;
    case 1:
      bits = 0x40000000;
      break;
    default:
      bits = x[i] > 1 ? rough(x[i]) : 0x3f800000;
    }
    sum += float_of(bits) * x[i];
  }
  return sum;
}
static double sigmoid(double x) {
  int bits = (int)(-12102203.2f * (float)x + 1064866805.f);
  if (bits < 0)
    bits = 0;
  return 1 / (1 + (double)float_of(bits > 0x7f800000 ? 0x7f800000 : bits));
}
static double overflowing(double x) {
  int64_t bits = (int64_t)(12102203.2 * x + 1064866805.);
  return 3 * x + (bits < 0x7f800000 ? float_of((uint32_t)bits) : 1);
}
static double rounded(double x) {
  double k = float_of((uint32_t)(lrint(x) + 0x4b400000L)) - 12582912.f;
  return k * x;
}
static double exponent(double x) { return float_of(ilogb(x) + 0x42c80000) * x; }
CHECK_NOINLINE static double around(const double *x, int n) {
  unsigned __int128 both;
  memcpy(&both, x, sizeof both);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double upper;
    uint64_t bits = (uint64_t)(both >> 64);
    memcpy(&upper, &bits, sizeof upper);
    sum += (i + 1) * upper;
    both = both >> 64 | both << 64;
  }
  return sum;
}

int main(void) {
  const double x[N] = {0.3, 1.1, 2.5, -0.4, 4.2};
  double dx[N] = {0};
  float y[N], dy[N] = {0};
  __verso_grad((void *)exponentials, verso_dup, x, dx, verso_dup, y, dy,
               verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(dx[i], (i + 1) * slope_of_rough(x[i]), 1e-3);
  const float z[N] = {0.3f, -1.5f, 2.5f, 7, -0.01f};
  float dz[N] = {0};
  __verso_grad((void *)scaled, verso_dup, z, dz, verso_dup, y, dy, verso_const,
               N);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dz[i], 8 * (N - i));

  double db[N] = {0};
  __verso_grad((void *)in_branches, verso_dup, x, db, verso_const, N);
  CHECK_CLOSE(db[0], float_of(rough(x[0])) + x[0] * slope_of_rough(x[0]), 1e-3);
  CHECK_EQUAL(db[1], 2);
  CHECK_CLOSE(db[2], float_of(rough(x[2])) + x[2] * slope_of_rough(x[2]), 1e-3);
  CHECK_CLOSE(db[3], float_of(rough(x[3])) + x[3] * slope_of_rough(x[3]), 1e-3);
  CHECK_EQUAL(db[4], 2);

  CHECK_EQUAL(__verso_grad((void *)sigmoid, -100.), 0);
  CHECK_CLOSE(__verso_grad((void *)sigmoid, -2.),
              (sigmoid(-1.999) - sigmoid(-2.001)) / 0.002, 1e-2);
  CHECK_EQUAL(__verso_grad((void *)overflowing, 200.), 3);
  CHECK_EQUAL(__verso_grad((void *)rounded, 2.3), 2);
  CHECK_EQUAL(__verso_grad((void *)exponent, 9.5), 100.00002288818359);
  double da[2] = {0};
  __verso_grad((void *)around, verso_dup, x, da, verso_const, 4);
  CHECK_EQUAL(da[1], 4);
  CHECK_EQUAL(da[0], 6);
  return check_status();
}
