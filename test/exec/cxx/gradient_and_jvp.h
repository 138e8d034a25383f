//===- gradient_and_jvp.h - a gradient by both modes ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of three numbers, at (1/2, 2, 3), against a closed form.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_EXEC_CXX_GRADIENT_AND_JVP_H
#define VERSO_TEST_EXEC_CXX_GRADIENT_AND_JVP_H

#include "check.h"

#include <verso/verso.h>

typedef double function(const double *x);

template <function f> static void check(const double (&expected)[3]) {
  double x[3] = {0.5, 2, 3}, dx[3] = {0};
  __verso_grad((void *)f, verso_dup, x, dx);
  for (int i = 0; i < 3; ++i) {
    double t[3] = {0};
    t[i] = 1;
    CHECK_CLOSE(dx[i], expected[i], 1e-14);
    CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, t), expected[i], 1e-14);
  }
}

#endif // VERSO_TEST_EXEC_CXX_GRADIENT_AND_JVP_H
