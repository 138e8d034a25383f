//===- half.c - half precision --------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// _Float16 arguments and results through an entry point with a fixed signature,
// and half precision inside a function of float. The points are such that all
// results are exact.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

_Float16 __verso_grad_half(void *, _Float16);

static _Float16 quadratic(_Float16 x) { return x * x + (_Float16)3 * x; }
static float narrow(float x) {
  _Float16 half = (_Float16)x;
  return (float)(half * half) * 2;
}

int main(void) {
  CHECK_EQUAL(__verso_grad_half(quadratic, (_Float16)1.5), 6);
  CHECK_EQUAL(__verso_grad_float(narrow, 0.5f), 2);
  return check_status();
}
