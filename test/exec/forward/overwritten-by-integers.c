//===- overwritten-by-integers.c - integers where numbers were -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of which integers overwrite all is constant afterwards, in
// variables, on the heap and in the user's memory, whether memset, memcpy or
// stores do it, of four bytes or one by one. What lies beside stays as it is,
// and so does what moves in parts. A variable of which the upper half is
// overwritten has a NaN for its tangent.
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <stdint.h>

void __verso_jvp2(void *, ...);

union bits {
  double d;
  uint32_t w[2];
  uint8_t b[8];
  float f[2];
};

CHECK_NOINLINE static void set_word(union bits *u, int k, uint32_t w) {
  u->w[k] = w;
}
CHECK_NOINLINE static void set_byte(union bits *u, int k, uint8_t b) {
  u->b[k] = b;
}

// Floats, in the user's memory.
CHECK_NOINLINE static void reset(float *x) { memset(x, 0, 4); }
CHECK_NOINLINE static void copy(const float *x, float *y) { memcpy(y, x, 4); }
CHECK_NOINLINE static void put(float *x, uint32_t bits) { memcpy(x, &bits, 4); }
struct one {
  float a;
};
CHECK_NOINLINE static void assign(const struct one *x, struct one *y) {
  *y = *x;
}
CHECK_NOINLINE static void copy_thrice(const float *x, float *y) {
  for (int k = 0; k < 3; ++k)
    memcpy(y + k, x + k, sizeof(*x));
}

// Floats in variables.
CHECK_NOINLINE static float variable(float x, uint32_t bits, int again) {
  volatile float y[3] = {x, x * x, x};
  memcpy((float *)y + 1, &bits, 4);
  if (again)
    y[1] = x;
  return y[0] + 2 * y[1];
}
CHECK_NOINLINE static float array(float x, int n, uint32_t bits) {
  float y[n];
  for (int i = 0; i < n; ++i)
    y[i] = x * i;
  for (int i = 0; i < n; i += 2)
    memcpy(y + i, &bits, 4);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i];
  return sum;
}

// Doubles, of which all is overwritten.
CHECK_NOINLINE static double both_words(double x, union bits *u) {
  u->d = x;
  set_word(u, 0, 0);
  set_word(u, 1, 0x40080000); // 3.0
  return u->d * x;
}
CHECK_NOINLINE static double all_bytes(double x, union bits *u) {
  u->d = x;
  for (int k = 0; k < 8; ++k)
    set_byte(u, k, k < 6 ? 0 : k == 6 ? 8 : 0x40);
  return u->d * x;
}
CHECK_NOINLINE static double on_heap(double x) {
  union bits *u = malloc(sizeof(*u));
  double y = both_words(x, u);
  free(u);
  return y;
}
CHECK_NOINLINE static double floats(double x, union bits *u) {
  u->f[0] = (float)x;
  u->f[1] = (float)(3 * x);
  set_word(u, 0, 0x40400000); // 3.0f
  return u->f[0] * x + u->f[1];
}
// Written again as a number.
CHECK_NOINLINE static double again(double x, union bits *u) {
  u->d = x;
  set_word(u, 0, 5);
  u->d = x * x;
  return u->d;
}
// The upper half of one.
CHECK_NOINLINE static double half(double x, uint32_t w) {
  union bits u;
  u.d = x;
  *(volatile uint32_t *)&u.w[1] = w;
  return u.d;
}
// Moved in halves, either of them first.
CHECK_NOINLINE static double moved(double x, union bits *u, union bits *v,
                                   int first) {
  u->d = x;
  v->d = 5 * x;
  set_word(v, first, u->w[first]);
  set_word(v, !first, u->w[!first]);
  return v->d;
}
// Integers beside numbers.
struct mixed {
  uint32_t count;
  float f;
  char name[4];
  float g;
};
CHECK_NOINLINE static double beside(double x, struct mixed *m, int n) {
  m->f = (float)x;
  m->g = (float)(x * x);
  m->count = 0;
  for (int i = 0; i < n; ++i) {
    m->count += 1;
    m->name[i] = 'a';
  }
  return m->f * m->count + m->g * (m->name[0] == 'a');
}

int main(void) {
  float x[3] = {1, 2, 3}, dx[3] = {1, 1, 1};
  __verso_jvp2(reset, verso_dup, x, dx);
  CHECK_EQUAL(dx[0], 0);
  CHECK_EQUAL(dx[1], 1);
  float y[3] = {0}, dy[3] = {7, 7, 7};
  __verso_jvp2(copy, verso_dup, x, dx, verso_dup, y, dy);
  CHECK_EQUAL(dy[0], 0);
  CHECK_EQUAL(dy[1], 7);
  __verso_jvp2(copy_thrice, verso_dup, x, dx, verso_dup, y, dy);
  CHECK_EQUAL(dy[0], 0);
  CHECK_EQUAL(dy[1], 1);
  CHECK_EQUAL(dy[2], 1);
  __verso_jvp2(put, verso_dup, x, dx, 0x40000000u);
  CHECK_EQUAL(dx[0], 0);
  __verso_jvp2(put, verso_dup, x + 1, dx + 1, 0x40000000u);
  CHECK_EQUAL(dx[1], 0);
  struct one p = {1}, dp = {0}, q = {2}, dq = {1};
  __verso_jvp2(assign, verso_dup, &p, &dp, verso_dup, &q, &dq);
  CHECK_EQUAL(dq.a, 0);

  double seed = 1.0 / 3;
  CHECK_CLOSE(__verso_jvp(variable, verso_dup, 1.5f, 1.0f, 0x40000000u, 0), 1,
              1e-6);
  CHECK_CLOSE(__verso_jvp(variable, verso_dup, 1.5f, 1.0f, 0x40000000u, 1), 3,
              1e-6);
  CHECK_CLOSE(__verso_jvp(array, verso_dup, 1.5f, 1.0f, 6, 0x40000000u), 9,
              1e-6);

  union bits u = {0}, v = {0}, du = {0}, dv = {0};
  for (int s = 0; s < 2; ++s, seed = 1) {
    CHECK_CLOSE(__verso_jvp(both_words, verso_dup, 1.5, seed, verso_const, &u),
                3 * seed, 1e-15);
    CHECK_CLOSE(
        __verso_jvp(both_words, verso_dup, 1.5, seed, verso_dup, &u, &du),
        3 * seed, 1e-15);
    CHECK_CLOSE(__verso_jvp(all_bytes, verso_dup, 1.5, seed, verso_const, &u),
                3 * seed, 1e-15);
    CHECK_CLOSE(
        __verso_jvp(all_bytes, verso_dup, 1.5, seed, verso_dup, &u, &du),
        3 * seed, 1e-15);
    CHECK_CLOSE(__verso_jvp(on_heap, verso_dup, 1.5, seed), 3 * seed, 1e-15);
    CHECK_CLOSE(__verso_jvp(floats, verso_dup, 1.5, seed, verso_const, &u),
                6 * seed, 1e-6);
    CHECK_CLOSE(__verso_jvp(floats, verso_dup, 1.5, seed, verso_dup, &u, &du),
                6 * seed, 1e-6);
    CHECK_CLOSE(__verso_jvp(again, verso_dup, 1.5, seed, verso_const, &u),
                3 * seed, 1e-15);
    for (int first = 0; first < 2; ++first) {
      CHECK_EQUAL(__verso_jvp(moved, verso_dup, 1.5, seed, verso_const, &u,
                              verso_const, &v, first),
                  seed);
      CHECK_EQUAL(__verso_jvp(moved, verso_dup, 1.5, seed, verso_dup, &u, &du,
                              verso_dup, &v, &dv, first),
                  seed);
    }
    struct mixed m;
    CHECK_CLOSE(__verso_jvp(beside, verso_dup, 1.5, seed, verso_const, &m, 3),
                6 * seed, 1e-6);
  }
  CHECK(isnan(__verso_jvp(half, verso_dup, 1.5, 0.1, 0x3ff00000)));
  CHECK_EQUAL(__verso_jvp(half, verso_dup, 1.5, 0.0, 0x3ff00000), 0);
  return check_status();
}
