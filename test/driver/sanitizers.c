//===- sanitizers.c - what sanitizers find in generated code ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated code is instrumented as the code is that it comes from: a mistake
// in a differentiated function is found at its line, whether it is in what the
// function does itself or in a shadow that is too small. The calls that UBSan
// puts into the function before the pass sees it carry no derivative.
//
//===----------------------------------------------------------------------===//

// REQUIRES: sanitizers
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O0 -g -w -fsanitize=address,undefined %s -o %t %verso_libs
// RUN: %t right
// RUN: not %t primal 2>&1 | FileCheck %s --check-prefix=PRIMAL
// RUN: not %t tangent 2>&1 | FileCheck %s --check-prefix=TANGENT
// RUN: not %t adjoint 2>&1 | FileCheck %s --check-prefix=ADJOINT
// RUN: not %t overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O2 -g -w -fsanitize=address,undefined %s -o %t %verso_libs
// RUN: %t right
// RUN: not %t primal 2>&1 | FileCheck %s --check-prefix=PRIMAL
// RUN: not %t tangent 2>&1 | FileCheck %s --check-prefix=TANGENT
// RUN: not %t adjoint 2>&1 | FileCheck %s --check-prefix=ADJOINT
// RUN: not %t overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW

#include <stdlib.h>
#include <string.h>

void __verso_grad(void *, ...);
double __verso_grad_scalar(void *, ...);
double __verso_jvp(void *, ...);
extern int verso_dup;

static double squares(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i]; // The line that is found.
  return sum;
}
static double scaled(double x, int n) { return x * (n * 2000000000); }

// PRIMAL: heap-buffer-overflow
// PRIMAL-NEXT: READ of size 8
// PRIMAL-NEXT: in squares{{.*}}sanitizers.c:[[#@LINE-7]]

// TANGENT: heap-buffer-overflow
// TANGENT-NEXT: READ of size 8
// TANGENT-NEXT: in squares{{.*}}sanitizers.c:[[#@LINE-11]]

// ADJOINT: heap-buffer-overflow
// ADJOINT: in main {{.*}}sanitizers.c:[[#@LINE+18]]

// OVERFLOW: sanitizers.c:[[#@LINE-13]]:{{.*}} signed integer overflow: 2 * 2000000000

int main(int argc, char **argv) {
  double *x = calloc(4, sizeof *x), *big = calloc(5, sizeof *x);
  double *dx = calloc(4, sizeof *x), *big_dx = calloc(5, sizeof *x);
  x[3] = big[3] = 3;
  int failed = 0;
  if (!strcmp(argv[1], "right")) {
    __verso_grad(squares, verso_dup, x, dx, 4);
    dx[0] = 1;
    failed = dx[3] != 6 || __verso_jvp(squares, verso_dup, x, dx, 4) != 36;
  } else if (!strcmp(argv[1], "primal")) {
    __verso_grad(squares, verso_dup, x, big_dx, 5);
  } else if (!strcmp(argv[1], "tangent")) {
    __verso_jvp(squares, verso_dup, big, dx, 5);
  } else if (!strcmp(argv[1], "adjoint")) {
    __verso_grad(squares, verso_dup, big, dx, 5);
  } else if (!strcmp(argv[1], "overflow")) {
    failed = __verso_grad_scalar(scaled, 2.0, argc) > 1e300;
  }
  free(x), free(dx), free(big), free(big_dx);
  return failed;
}
