//===- bfloats-by-hand.c - the upper halves of floats, kept in integers ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machine learning keeps numbers as bfloat in arrays of uint16_t and converts
// them by shifts: rounded to nearest, with NaNs kept apart, rounded up, or cut
// off. Such a conversion has the derivative of any other, in local arrays, in
// structs, in the caller's arrays with a shadow, in registers, and in functions
// that are not inlined; the values are those of the program, bit by bit. Where
// a bit pattern is an index or a checksum, nothing of the kind is meant.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <stdlib.h>

double __verso_jvp(void *, ...);

typedef uint16_t bf16;
enum { N = 6 };

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static float widen(bf16 h) {
  uint32_t bits = (uint32_t)h << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static bf16 to_nearest(float x) {
  uint32_t bits = bits_of(x);
  return (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static bf16 with_nans(float x) {
  uint32_t bits = bits_of(x);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (bf16)(bits >> 16 | 64);
  return (bf16)((bits + (0x7fff + (bits >> 16 & 1))) >> 16);
}

static bf16 half_up(float x) { return (bf16)((bits_of(x) + 0x8000) >> 16); }

static bf16 cut_off(float x) { return (bf16)(bits_of(x) >> 16); }

CHECK_NOINLINE static bf16 apart(float x) { return to_nearest(x); }

CHECK_NOINLINE static float widen_apart(bf16 h) { return widen(h); }

static float rounded_in_place(float x) {
  uint32_t bits = bits_of(x) & 0xffff0000;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/// sum of i x[i] y[i], both kept as bfloat.
#define DOT(NAME, NARROW, WIDEN)                                               \
  CHECK_NOINLINE static double NAME(const float *x, const float *y, int n) {   \
    bf16 a[N];                                                                 \
    struct {                                                                   \
      bf16 bits;                                                               \
    } b[N];                                                                    \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i) {                                              \
      a[i] = NARROW(x[i]);                                                     \
      b[i].bits = NARROW(y[i] * 2);                                            \
    }                                                                          \
    for (int i = 0; i < n; ++i)                                                \
      sum += i * WIDEN(a[i]) * WIDEN(b[n - 1 - i].bits);                       \
    return sum;                                                                \
  }

DOT(dot_to_nearest, to_nearest, widen)
DOT(dot_with_nans, with_nans, widen)
DOT(dot_half_up, half_up, widen)
DOT(dot_cut_off, cut_off, widen)
DOT(dot_apart, apart, widen_apart)

#define CHECK_DOT(NAME)                                                        \
  do {                                                                         \
    float x[N] = {1, -2, 3, 0.5f, 4, -1.5f}, y[N] = {2, 1, 4, -1, 3, 0.25f};   \
    float dx[N] = {0}, dy[N] = {0};                                            \
    __verso_grad((void *)NAME, verso_dup, x, dx, verso_dup, y, dy, N);         \
    for (int i = 0; i < N; ++i) {                                              \
      CHECK_EQUAL(dx[i], 2 * i * y[N - 1 - i]);                                \
      CHECK_EQUAL(dy[i], 2 * (N - 1 - i) * x[N - 1 - i]);                      \
    }                                                                          \
    float ones[N] = {1, 1, 1, 1, 1, 1}, zeros[N] = {0};                        \
    double slope = 0;                                                          \
    for (int i = 0; i < N; ++i)                                                \
      slope += dx[i];                                                          \
    CHECK_EQUAL(                                                               \
        __verso_jvp((void *)NAME, verso_dup, x, ones, verso_dup, y, zeros, N), \
        slope);                                                                \
  } while (0)

/// Weights of the caller's, read and written; the state is rounded each time.
CHECK_NOINLINE static float train(bf16 *w, const float *x, int n) {
  float state = 0;
  for (int i = 0; i < n; ++i) {
    state = rounded_in_place(state + widen(w[i]) * x[i]);
    w[i] = to_nearest(widen(w[i]) + 0.5f * x[i]);
  }
  for (int i = 0; i < n; ++i)
    state += widen(w[i]);
  return state;
}

static void check_train(void) {
  bf16 w[N], dw[N] = {0};
  float x[N] = {1, 2, -1, 0.5f, 3, 4}, dx[N] = {0};
  for (int i = 0; i < N; ++i)
    w[i] = to_nearest(i + 1);
  __verso_grad((void *)train, verso_dup, w, dw, verso_dup, x, dx, N);
  for (int i = 0; i < N; ++i) {
    CHECK_EQUAL(widen(dw[i]), x[i] + 1);
    CHECK_EQUAL(dx[i], i + 1 + 0.5f);
    CHECK_EQUAL(widen(w[i]), i + 1 + 0.5f * x[i]);
  }
}

/// The memory of the constants was a number's in a request before.
CHECK_NOINLINE static double squares(const float *x, int n) {
  float *y = malloc(sizeof(float) * n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[n - 1 - i];
  free(y);
  return sum;
}

CHECK_NOINLINE static void scaled(const float *x, const bf16 *w, double *out,
                                  int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i] * widen(w[i]);
    out[i] = sum;
  }
}

static void check_reused_memory(void) {
  enum { Many = 500 };
  static float x[Many], dx[Many];
  static double out[Many], dout[Many];
  for (int i = 0; i < Many; ++i)
    x[i] = i % 7;
  __verso_grad((void *)squares, verso_dup, x, dx, Many);
  bf16 *w = malloc(sizeof(float) * Many);
  for (int i = 0; i < Many; ++i)
    w[i] = to_nearest(2);
  memset(dx, 0, sizeof dx);
  dout[Many - 1] = 1;
  void __verso_grad_void(void *, ...);
  __verso_grad_void((void *)scaled, verso_dup, x, dx, verso_const, w, verso_dup,
                    out, dout, Many);
  for (int i = 0; i < Many; ++i)
    CHECK_EQUAL(dx[i], 2);
  free(w);
}

/// The upper half as a place in a table, and as a checksum.
CHECK_NOINLINE static float looked_up(const float *x, const float *table,
                                      int n) {
  float sum = 0;
  uint16_t check = 0, kept[N];
  for (int i = 0; i < n; ++i) {
    kept[i] = (uint16_t)(bits_of(x[i]) >> 16);
    check ^= kept[i];
    sum += x[i] * table[kept[i] % 4];
  }
  return sum + (check == 1);
}

static void check_look_up(void) {
  float x[N] = {1, 2, 3, 4, 5, 6}, dx[N] = {0}, table[4] = {2, 3, 5, 7};
  __verso_grad((void *)looked_up, verso_dup, x, dx, verso_const, table, N);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dx[i], table[cut_off(x[i]) % 4]);
}

/// Constants in the place of some of them have no derivative.
CHECK_NOINLINE static float clamped(const float *x, int n) {
  bf16 kept[N];
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    bf16 h = to_nearest(x[i]);
    kept[i] = x[i] > 2 ? to_nearest(2) : i == 1 ? 0 : h;
  }
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * widen(kept[i]);
  return sum;
}

static void check_clamped(void) {
  float x[N] = {1, 0.5f, 3, -4, 0.25f, 6}, dx[N] = {0};
  __verso_grad((void *)clamped, verso_dup, x, dx, verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dx[i], x[i] > 2 || i == 1 ? 0 : i + 1);
}

/// The value, with numbers that have to be rounded.
CHECK_NOINLINE static float narrowed(float x) {
  bf16 kept[4] = {to_nearest(x), with_nans(x), half_up(x), cut_off(x)};
  float sum = rounded_in_place(x) * 16;
  for (int i = 0; i < 4; ++i)
    sum += widen(kept[i]) * (1 << i);
  return sum;
}

static void check_values(void) {
  typedef struct {
    float value, derivative;
  } Result;
  Result __verso_value_and_grad_float(void *, ...);
  const float xs[] = {1.0039062f,    1e-39f,    1.00390625f,
                      1.01171875f,   -3.14159f, 1e-40f,
                      3.3961775e38f, 0,         INFINITY};
  for (unsigned i = 0; i < sizeof xs / sizeof *xs; ++i) {
    Result r = __verso_value_and_grad_float((void *)narrowed, xs[i]);
    float expected = narrowed(xs[i]);
    CHECK(!memcmp(&r.value, &expected, sizeof expected));
    CHECK_EQUAL(r.derivative, 31);
  }
}

int main(void) {
  CHECK_DOT(dot_to_nearest);
  CHECK_DOT(dot_with_nans);
  CHECK_DOT(dot_half_up);
  CHECK_DOT(dot_cut_off);
  CHECK_DOT(dot_apart);
  check_train();
  check_reused_memory();
  check_look_up();
  check_clamped();
  check_values();
  return check_status();
}
