//===- cleanup-that-throws.c - cleanups with landing pads of their own ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -fexceptions
//
// The landing pad of a cleanup, as C and Rust have it, says nothing that anybody
// uses, and has to stay.
//
//===----------------------------------------------------------------------===//

#include "check.h"

static int entered, left;
__attribute__((annotate("verso_inactive"), noinline)) static void enter(void) {
  ++entered;
  if (entered > 1000)
    abort();
}
__attribute__((annotate("verso_inactive"), noinline)) static void leave(void) {
  ++left;
  if (left > 1000)
    abort();
}
void (*volatile within)(void) = enter;
__attribute__((annotate("verso_inactive"), noinline)) static void call(void) {
  within();
}

static void cleanUp(double *product) {
  *product *= 2;
  call();
  leave();
}

CHECK_NOINLINE static double f(const double *x) {
  double product = 1;
  {
    __attribute__((cleanup(cleanUp))) double inner = x[0] * x[1];
    call();
    product = inner * x[0];
  }
  __attribute__((cleanup(cleanUp))) double other = product;
  call();
  return product * x[1];
}

int main(void) {
  double x[2] = {3, 2}, dx[2] = {0};
  __verso_grad_void((void *)f, verso_dup, x, dx);
  CHECK_CLOSE(dx[0], 2 * 3 * 2 * 2, 1e-14);
  CHECK_CLOSE(dx[1], 2 * 3 * 3 * 2, 1e-14);
  return check_status();
}
