//===- derivative.h - functions of one number --------------- -*- C -*-----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the derivative of double F(double), in reverse and in forward mode.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_EXEC_DERIVATIVE_H
#define VERSO_TEST_EXEC_DERIVATIVE_H

#include "check.h"

double __verso_jvp(void *, ...);

#define CHECK_DERIVATIVE(F, X, EXPECTED, TOLERANCE)                            \
  do {                                                                         \
    double of_reverse = __verso_grad((void *)F, X);                            \
    CHECK_CLOSE(of_reverse, EXPECTED, TOLERANCE);                              \
    double of_forward = __verso_jvp((void *)F, verso_dup, X, 1.0);             \
    CHECK_CLOSE(of_forward, EXPECTED, TOLERANCE);                              \
  } while (0)

#endif // VERSO_TEST_EXEC_DERIVATIVE_H
