//===- own-globals-at-exit.c - a request that ends the program ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static variables that a gradient keeps as local ones are in memory again when
// the function leaves, also by exit.
//
// UNCHECKED: the last request does not return
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double last_value = 2;
static double *last;
static void at_end(void) {
  if (last != &last_value)
    _Exit(3);
}
CHECK_NOINLINE static double ends(double *p) {
  double *before = last;
  double local = p[0] * p[0];
  last = &local;
  double sum = *last * p[0];
  last = &last_value;
  if (p[0] < 0)
    exit(check_status());
  last = before;
  return sum;
}

int main(void) {
  atexit(at_end);
  double r[1] = {1.5}, dr[1] = {0};
  __verso_grad_void((void *)ends, verso_dup, r, dr);
  CHECK_CLOSE(dr[0], 3 * 1.5 * 1.5, 1e-14);
  CHECK(!last);
  r[0] = -1;
  __verso_grad_void((void *)ends, verso_dup, r, dr);
  return 1;
}
