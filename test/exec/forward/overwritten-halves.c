//===- overwritten-halves.c - integers over parts of numbers -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer that overwrites half a double, or some bytes of it: the tangent is
// a NaN wherever the double lies, never a number that is nearly right. One that
// overwrites all of a float, or two that overwrite all of a double, leave a
// constant. What lies beside stays as it is, and so does what moves in parts.
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <stdint.h>

double __verso_jvp2(void *, ...);

union bits {
  double d;
  uint32_t w[2];
  uint8_t b[8];
  uint16_t h[4];
  float f[2];
};

CHECK_NOINLINE static void set_word(union bits *u, int k, uint32_t w) {
  u->w[k] = w;
}
CHECK_NOINLINE static void set_byte(union bits *u, int k, uint8_t b) {
  u->b[k] = b;
}
CHECK_NOINLINE static void set_short(union bits *u, int k, uint16_t h) {
  u->h[k] = h;
}
CHECK_NOINLINE static void copy_four(union bits *u, int k, const uint32_t *w) {
  memcpy((char *)u + 4 * k, w, 4);
}

static const uint32_t words[2] = {0, 0x3ff00000};

// In a variable, on the heap, in the user's memory, in a global; `part` says
// which part is overwritten, and how.
static union bits global;
static double overwrite(union bits *u, int part) {
  switch (part) {
  case 0:
  case 1:
    set_word(u, part, words[part]);
    break;
  case 2:
  case 3:
    set_byte(u, part == 2 ? 3 : 6, 0);
    break;
  case 4:
  case 5:
    set_short(u, part == 4 ? 0 : 3, 0x3ff0);
    break;
  case 6:
  case 7:
    copy_four(u, part - 6, &words[part - 6]);
    break;
  }
  return u->d * 2;
}
CHECK_NOINLINE static double in_variable(double x, int part) {
  union bits u;
  u.d = x;
  return overwrite(&u, part);
}
CHECK_NOINLINE static double on_heap(double x, int part) {
  union bits *u = malloc(sizeof(*u));
  u->d = x;
  double y = overwrite(u, part);
  free(u);
  return y;
}
CHECK_NOINLINE static double in_global(double x, int part) {
  global.d = x;
  return overwrite(&global, part);
}
CHECK_NOINLINE static double in_argument(union bits *u, int part) {
  return overwrite(u, part);
}

// All of it: a constant, at any place.
CHECK_NOINLINE static double both_words(double x, union bits *u) {
  u->d = x;
  set_word(u, 0, 0);
  set_word(u, 1, 0x40080000); // 3.0
  return u->d * x;
}
CHECK_NOINLINE static double all_bytes(double x, union bits *u) {
  union bits three;
  three.d = 3;
  u->d = x;
  for (int k = 0; k < 8; ++k)
    set_byte(u, k, k < 6 ? 0 : k == 6 ? 8 : 0x40);
  return u->d * x;
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
// Moved in halves, the lower one of which has a tangent of zeros.
CHECK_NOINLINE static double moved(double x, union bits *u, union bits *v) {
  u->d = x;
  v->d = 5 * x;
  for (int k = 0; k < 2; ++k)
    set_word(v, k, u->w[k]);
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
  const double seeds[] = {1, 0.1, 1.0 / 3};
  for (int s = 0; s < 3; ++s)
    for (int part = 0; part < 8; ++part) {
      double seed = seeds[s];
      // Less than four bytes are not noticed: what lies beside them may be of
      // another number.
      if (part < 2 || part > 5) {
        // In the user's own shadow, and in a callee in that of a variable, only
        // what has bits is marked: not the lower half of 1.0.
        double inv = __verso_jvp(in_variable, verso_dup, 1.3, seed, part);
        CHECK(isnan(inv) || (s == 0 && inv == 2 && part % 2 == 0));
        CHECK(isnan(__verso_jvp(on_heap, verso_dup, 1.3, seed, part)));
        CHECK(isnan(__verso_jvp(in_global, verso_dup, 1.3, seed, part)));
        union bits u = {1.3}, du = {seed};
        double dy = __verso_jvp(in_argument, verso_dup, &u, &du, part);
        CHECK(isnan(dy) || (s == 0 && dy == 2 && part % 2 == 0));
      }
      // No tangent, nothing to be lost.
      CHECK_EQUAL(__verso_jvp(in_variable, verso_dup, 1.3, 0.0, part), 0);
      CHECK_EQUAL(__verso_jvp(on_heap, verso_dup, 1.3, 0.0, part), 0);
    }
  CHECK_EQUAL(__verso_jvp(in_variable, verso_dup, 1.3, 0.1, 9), 0.2);
  double seed = 1.0 / 3;
  union bits u, v, du, dv;
  CHECK_CLOSE(__verso_jvp(both_words, verso_dup, 1.5, seed, verso_const, &u),
              3 * seed, 1e-15);
  CHECK_CLOSE(__verso_jvp(all_bytes, verso_dup, 1.5, seed, verso_const, &u),
              3 * seed, 1e-15);
  CHECK_CLOSE(__verso_jvp(floats, verso_dup, 1.5, seed, verso_const, &u),
              6 * seed, 1e-6);
  CHECK_CLOSE(__verso_jvp(again, verso_dup, 1.5, seed, verso_const, &u),
              3 * seed, 1e-15);
  CHECK_EQUAL(
      __verso_jvp(moved, verso_dup, 1.5, 1.0, verso_const, &u, verso_const, &v),
      1);
  CHECK_EQUAL(__verso_jvp(moved, verso_dup, 1.5, seed, verso_dup, &u, &du,
                          verso_dup, &v, &dv),
              seed);
  du.d = dv.d = 0;
  CHECK_CLOSE(__verso_jvp(both_words, verso_dup, 1.5, seed, verso_dup, &u, &du),
              3 * seed, 1e-15);
  struct mixed m;
  CHECK_CLOSE(__verso_jvp(beside, verso_dup, 1.5, seed, verso_const, &m, 3),
              6 * seed, 1e-6);
  return check_status();
}
