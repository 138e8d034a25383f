//===- hidden-values.c - values that are hidden by empty assembly ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly without a text keeps the optimiser from knowing a number, a pointer,
// several of them, or memory. They are what they were.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

#define HIDE(v) __asm__("" : "+x"(v))
#define HIDE_POINTER(p) __asm__ volatile("" : "+r"(p) : : "memory")

static double hidden(double *x, float f) {
  double a = x[0] * x[1], b = x[2];
  HIDE(a);
  __asm__ volatile("" : "+x"(a), "+x"(b) : "r"(x) : "memory");
  double *p = x + 1;
  HIDE_POINTER(p);
  HIDE(f);
  uintptr_t address = (uintptr_t)p;
  HIDE_POINTER(address);
  double m = p[1] * *(double *)address;
  __asm__("" : "+m"(m));
  int64_t bits;
  memcpy(&bits, &b, sizeof bits);
  HIDE_POINTER(bits);
  memcpy(&b, &bits, sizeof b);
  return a * b + m * f;
}

int main(void) {
  double x[3] = {2, 3, 5}, dx[3] = {0};
  float df = __verso_grad_float(hidden, verso_dup, x, dx, verso_out, 7.0f);
  CHECK_EQUAL(dx[0], 3 * 5);
  CHECK_EQUAL(dx[1], 2 * 5 + 5 * 7);
  CHECK_EQUAL(dx[2], 2 * 3 + 3 * 7);
  CHECK_EQUAL(df, 15);
  return check_status();
}
