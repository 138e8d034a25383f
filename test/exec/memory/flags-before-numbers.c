//===- flags-before-numbers.c - copies that begin behind a flag -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure that begins with a flag is copied and copied back, and the flag is
// stored meanwhile: the optimiser takes the flag's bytes off the copies, which
// begin in the middle of a granule then, also on one side alone. What lies
// behind are numbers all the same.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct {
  char flag;
  float f;
  double x[3];
} Flagged;
typedef struct {
  short flag;
  double x[3];
} Short;

CHECK_NOINLINE static void stored(Flagged *w) {
  Flagged copy = *w;
  copy.flag = 3;
  *w = copy;
}
CHECK_NOINLINE static void storedShort(Short *w) {
  Short copy = *w;
  copy.flag = 3;
  *w = copy;
}
/// What is computed meanwhile is overwritten.
CHECK_NOINLINE static void swapped(Flagged *w, int n) {
  Flagged copy = *w;
  w->x[n % 3] *= 2;
  w->flag = (w->flag + n) & 7;
  char flag = w->flag;
  w->flag = copy.flag;
  copy.flag = flag;
  *w = copy;
}
/// Bytes alone, and a number that is read.
CHECK_NOINLINE static double byBytes(Flagged *w) {
  char bytes[sizeof *w - 1];
  memcpy(bytes, (char *)w + 1, sizeof bytes);
  w->x[1] = 7;
  memcpy((char *)w + 1, bytes, sizeof bytes);
  return w->x[1] * w->x[1];
}

/// With zeros for padding: what lies there by chance looks like an adjoint.
static void setFlagged(Flagged *w, char flag, float f, double x, double y,
                       double z) {
  memset(w, 0, sizeof *w);
  w->flag = flag;
  w->f = f;
  w->x[0] = x;
  w->x[1] = y;
  w->x[2] = z;
}

static void checkFlagged(Flagged *w, Flagged *d) {
  for (int kind = 0; kind < 3; ++kind) {
    setFlagged(w, 1, 2, 3, 4, 5);
    setFlagged(d, 0, 6, 7, 8, kind == 2 ? 0.0 : 9);
    if (kind == 0)
      __verso_grad_void((void *)stored, verso_dup, w, d);
    else if (kind == 1)
      __verso_grad_void((void *)swapped, verso_dup, w, d, verso_const, 5);
    else
      __verso_grad_void((void *)byBytes, verso_dup, w, d);
    CHECK_EQUAL(w->flag, kind == 0 ? 3 : kind == 1 ? 6 : 1);
    CHECK_EQUAL(w->f, 2);
    CHECK_EQUAL(d->f, 6);
    CHECK_EQUAL(d->x[0], 7);
    CHECK_EQUAL(d->x[1], 8 + (kind == 2 ? 8.0 : 0));
    CHECK_EQUAL(d->x[2], kind == 2 ? 0.0 : 9);
  }
}

int main(void) {
  // Wherever a page ends in them.
  enum { Page = 4096 };
  static _Alignas(Page) char ofPrimal[2 * Page], ofShadow[2 * Page];
  for (int before = 0; before <= 40; before += 8) {
    Flagged w, d;
    checkFlagged((Flagged *)(ofPrimal + Page - before), &d);
    checkFlagged(&w, (Flagged *)(ofShadow + Page - before));
  }
  Short w, d;
  memset(&w, 0, sizeof w);
  memset(&d, 0, sizeof d);
  w.flag = 1;
  for (int i = 0; i < 3; ++i)
    w.x[i] = 3 + i, d.x[i] = 7 + i;
  __verso_grad_void((void *)storedShort, verso_dup, &w, &d);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(d.x[i], 7.0 + i);
  return check_status();
}
