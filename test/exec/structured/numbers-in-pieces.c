//===- numbers-in-pieces.c - numbers that are moved piece by piece --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//
//
// What is written in pieces side by side, or read so, is one number: constants
// that overwrite one that varies, numbers that come from memory and from
// registers, in any order of the pieces, with and without volatile. It is not
// where something comes between: a half that is read, or written again.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <stdint.h>

enum { N = 6 };

/// A constant over a number, in two words and in four.
CHECK_NOINLINE static void overwrite(double *to, int n) {
  for (int i = 0; i < n; i += 2) {
    uint32_t *words = (uint32_t *)(to + i);
    memcpy(words + 1, &(uint32_t){0x40000000}, 4);
    memcpy(words, &(uint32_t){0}, 4);
  }
}
CHECK_NOINLINE static double overwritten(const double *x, int n) {
  double y[N], sum = 0;
  volatile uint16_t *last = (volatile uint16_t *)(y + N - 1);
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    sum += y[i];
  overwrite(y, n);
  last[1] = 0;
  last[0] = 0;
  last[3] = 0x3ff8;
  last[2] = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * x[(i + 1) % N];
  return sum;
}

/// Halves, the upper first; a pair is swapped.
CHECK_NOINLINE static double moved(const double *x, int n) {
  double y[N];
  for (int i = 0; i + 1 < n; i += 2)
    for (int k = 0; k < 2; ++k) {
      volatile uint32_t *to = (volatile uint32_t *)(y + i + k);
      const volatile uint32_t *from =
          (const volatile uint32_t *)(x + i + 1 - k);
      to[1] = from[1];
      to[0] = from[0];
    }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * y[i] * y[i];
  return sum;
}

/// From a register and back, through variables of their own and an array.
CHECK_NOINLINE static double through(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double square = x[i] * x[i], back;
    uint64_t bits;
    memcpy(&bits, &square, 8);
    volatile uint16_t low = (uint16_t)bits, parts[2];
    volatile uint32_t high = (uint32_t)(bits >> 32);
    parts[1] = (uint16_t)(bits >> 16);
    parts[0] = 7;
    bits = (uint64_t)high << 32 | (uint32_t)parts[1] << 16 | low;
    memcpy(&back, &bits, 8);
    sum += back * x[(i + 1) % n];
  }
  return sum;
}
static float narrow(float x) {
  volatile unsigned char bytes[4];
  uint32_t bits;
  float square = x * x, back;
  memcpy(&bits, &square, 4);
  for (int k = 3; k >= 0; --k)
    bytes[k] = (unsigned char)(bits >> 8 * k);
  bits = 0;
  for (int k = 0; k < 4; ++k)
    bits |= (uint32_t)bytes[k] << 8 * k;
  memcpy(&back, &bits, 4);
  return back * x;
}

/// The first word is overwritten where the other one is still the number's, and
/// read as an integer; then the rest follows.
CHECK_NOINLINE static double between(const double *x, int n, int *words) {
  double y[N];
  for (int i = 0; i < n; ++i)
    y[i] = 3 * x[i];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i];
  volatile uint32_t *second = (volatile uint32_t *)(y + 1);
  second[0] = 5;
  *words = (int)second[0];
  second[0] = 0;
  second[1] = 0x40080000;
  for (int i = 0; i < n; ++i)
    sum += y[i] * x[i];
  return sum;
}

static double overwritten_at(double *x) { return overwritten(x, N); }
static double moved_at(double *x) { return moved(x, N); }
static double through_at(double *x) { return through(x, N); }
static int words;
static double between_at(double *x) { return between(x, N, &words); }

/* Shifts that are no whole bytes: of no number's pieces. */
CHECK_NOINLINE static double shifted(const double *x, int n, uint64_t bits,
                                     int by) {
  double t[2] = {x[0], x[1]}, sum = 0;
  volatile uint32_t *words = (volatile uint32_t *)t;
  words[0] = (uint32_t)(bits >> by);
  words[1] = (uint32_t)(bits >> (by + 32));
  words[2] = (uint32_t)(bits >> 1);
  words[3] = (uint32_t)(bits >> 33);
  for (int i = 0; i < 2; ++i)
    sum += t[i] * x[i + n - N];
  return sum;
}

int main(void) {
  double x[N], dx[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 1 + 0.25 * i;
  __verso_grad_void((void *)overwritten, verso_dup, x, dx, N);
  CHECK_GRADIENT(overwritten_at, N, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)moved, verso_dup, x, dx, N);
  CHECK_GRADIENT(moved_at, N, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)through, verso_dup, x, dx, N);
  CHECK_GRADIENT(through_at, N, x, dx, 1e-7);
  CHECK_EQUAL(__verso_grad_float(narrow, 3.0f), 27);
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)between, verso_dup, x, dx, N, verso_const, &words);
  CHECK_EQUAL(words, 5);
  CHECK_GRADIENT(between_at, N, x, dx, 1e-7);
  const double two = 2;
  uint64_t bits;
  memcpy(&bits, &two, sizeof bits);
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)shifted, verso_dup, x, dx, verso_const, N,
                    verso_const, bits << 1, verso_const, 1);
  CHECK_EQUAL(dx[0], 2);
  CHECK_EQUAL(dx[1], 2);
  return check_status();
}
