//===- overwritten-in-part.c - numbers of which a half is left ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A double of which a memset overwrites the lower half is no constant, nor the
// number that it was: an error of the tape, for local variables, blocks and
// arguments that nobody has read yet, also where the bits are then moved as an
// integer. What a memset overwrites whole is constant.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only -mllvm -verso-strategy=taped %s -o %t.1 %verso_libs
// RUN: %clang_verso -O0 -gline-tables-only -mllvm -verso-strategy=taped %s -o %t.0 %verso_libs
// RUN: not %t.1 variable 2>&1 | FileCheck %s
// RUN: not %t.0 variable 2>&1 | FileCheck %s
// RUN: sh -c 'for m in variable block argument bits; do for t in %t.0 %t.1; do $t $m; test $? -eq 86 || exit 1; done; done'
// RUN: %t.1 whole
// RUN: %t.0 whole

// CHECK: verso: error: {{.*}}the result depends on a number whose bits{{.*}}were overwritten in part

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double __verso_grad(void *, ...);
extern int verso_dup;

static volatile int bytes = 12;

static double variable(double *x) {
  double t[2] = {x[0] * x[0], x[1]};
  memset(t, 0, bytes);
  return t[1] * x[0];
}
static double block(double *x) {
  double *t = malloc(2 * sizeof(double));
  t[0] = x[0], t[1] = x[1] * x[0];
  memset(t, 0, bytes);
  double y = t[1] * x[0];
  free(t);
  return y;
}
static double argument(double *x) {
  memset(x, 0, bytes);
  return x[1] * x[2];
}
static double moved_bits(double *x) {
  double t[2] = {x[0] * x[0], x[1]}, y;
  memset(t, 0, bytes);
  uint64_t bits;
  memcpy(&bits, t + 1, sizeof bits);
  memcpy(&y, &bits, sizeof y);
  return y * x[0];
}
static double whole(double *x) {
  double t[2] = {x[0] * x[0], x[1]};
  memset(t, 0, bytes + 4);
  t[0] = x[1];
  return (t[0] + t[1]) * x[0];
}

int main(int argc, char **argv) {
  double x[3] = {2, 3, 5}, d[3] = {0, 0, 0};
  const char *what = argv[argc - 1];
  if (!strcmp(what, "variable"))
    __verso_grad(variable, verso_dup, x, d);
  if (!strcmp(what, "block"))
    __verso_grad(block, verso_dup, x, d);
  if (!strcmp(what, "argument"))
    __verso_grad(argument, verso_dup, x, d);
  if (!strcmp(what, "bits"))
    __verso_grad(moved_bits, verso_dup, x, d);
  if (!strcmp(what, "whole")) {
    __verso_grad(whole, verso_dup, x, d);
    return !(d[0] == 3 && d[1] == 2 && d[2] == 0);
  }
  return 0;
}
