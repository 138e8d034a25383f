//===- null-vectors.c - a linear map is given null pointers ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Null stands for no numbers; where there are some it is an error of the
// program, at the line of the request.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only %s -o %t %verso_libs
// RUN: %t
// RUN: not %t back 2>&1 | FileCheck %s
// RUN: not %t forth now 2>&1 | FileCheck --check-prefix=FORWARD %s

#include <verso/verso.h>

static double square(double x, double *y) {
  *y = x;
  return x * x;
}
static void nothing_returned(const double *x, double *y) { *y = *x * *x; }

int main(int argc, char **argv) {
  double x = 3, dx = 0, y, dy = 0;
  (void)argv;
  verso_tape *map =
      __verso_linearize((void *)nothing_returned, &x, &dx, &y, &dy);
  dy = 1;
  verso_pullback(map, 0, 0);
  verso_tape_free(map);
  if (argc == 1)
    return dx != 6;
  // CHECK: null-vectors.c:[[@LINE+3]]{{.*}} verso_pullback: null for the cotangents
  // FORWARD: null-vectors.c:[[@LINE+2]]{{.*}} verso_pushforward: null for the tangents
  // clang-format off
  map = __verso_linearize((void *)square, 3.0, &y, &dy);
  // clang-format on
  if (argc == 2)
    verso_pullback(map, 0, &dx);
  else
    verso_pushforward(map, 0, &dx);
  return 0;
}
