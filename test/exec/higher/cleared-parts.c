//===- cleared-parts.c - bytes beside numbers, in second order ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// STRATEGY: taped
//
// The tape's images of bytes that are cleared, at any place beside a number and
// in one, have no tangents: forward over reverse must write none.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <verso/verso.h>

#include <string.h>

CHECK_NOINLINE static void clear(char *p) { memset(p, 0, 4); }

/// 2 sin(w0) w1: what is cleared never comes to the first two bytes.
static double overwritten(const double *w, volatile int *at) {
  char bytes[24];
  double product = w[0] * w[1], sum = 0;
  memset(bytes, 1, sizeof bytes);
  memcpy(bytes + 8, &product, sizeof product);
  clear(bytes + *at);
  for (int i = 0; i < 2; ++i)
    sum += bytes[i] ? sin(w[0]) * w[1] : 0;
  return sum;
}
static double flags(const double *w, volatile int *at) {
  char dead[4];
  double sum = 0;
  memset(dead, 0, sizeof dead);
  for (int i = 0; i < 2; ++i)
    sum += dead[(i + *at) % 4] ? 0 : sin(w[0]) * w[1];
  return sum;
}

static void of_overwritten(const double *w, double *dw, volatile int *at) {
  __verso_grad((void *)overwritten, verso_dup, w, dw, verso_const, at);
}
static void of_flags(const double *w, double *dw, volatile int *at) {
  __verso_grad((void *)flags, verso_dup, w, dw, verso_const, at);
}

int main(void) {
  for (int k = 4; k < 20; ++k) {
    volatile int at = k;
    for (int which = 0; which < 2; ++which) {
      double w[2] = {0.7, 1.2}, t[2] = {1, 0.5}, dw[2] = {0}, tdw[2] = {0};
      if (which)
        __verso_jvp((void *)of_overwritten, verso_dup, w, t, verso_dup, dw, tdw,
                    verso_const, &at);
      else
        __verso_jvp((void *)of_flags, verso_dup, w, t, verso_dup, dw, tdw,
                    verso_const, &at);
      CHECK_CLOSE(dw[0], 2 * cos(w[0]) * w[1], 1e-14);
      CHECK_CLOSE(dw[1], 2 * sin(w[0]), 1e-14);
      CHECK_CLOSE(tdw[0], -2 * sin(w[0]) * w[1] * t[0] + 2 * cos(w[0]) * t[1],
                  1e-14);
      CHECK_CLOSE(tdw[1], 2 * cos(w[0]) * t[0], 1e-14);
    }
  }
  return check_status();
}
