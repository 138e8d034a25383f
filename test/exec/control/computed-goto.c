//===- computed-goto.c - jumps to computed labels -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interpreter whose dispatch is a jump through a table of labels
// (indirectbr).
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double interpret(const unsigned char *code, double x) {
  static const void *const labels[] = {&&halt, &&square, &&add_x, &&sine};
  double y = x;
  goto *labels[*code];
square:
  y = y * y;
  goto *labels[*++code];
add_x:
  y = y + x;
  goto *labels[*++code];
sine:
  y = sin(y);
  goto *labels[*++code];
halt:
  return y;
}

static const unsigned char code[] = {1, 2, 3, 2, 1, 0};
static double run(double x) { return interpret(code, x); }

int main(void) {
  CHECK_CLOSE(__verso_grad(interpret, verso_const, code, 0.6),
              central_difference(run, 0.6), 1e-9);
  return check_status();
}
