//===- tape-limit.c - a tape that is too long -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With VERSO_TAPE_LIMIT the program ends with one line that names the request,
// and exit status 86; without, the same request works.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only %s -o %t %verso_libs
// RUN: %t
// RUN: env VERSO_TAPE_LIMIT=1M not %t 2>&1 | FileCheck %s
// RUN: env VERSO_TAPE_LIMIT=1M sh -c '%t; test $? -eq 86'

double __verso_grad(void *, ...);

static double logistic(double x, long steps) {
  for (long i = 0; i < steps; ++i)
    x = 1.5 * x * (1 - x);
  return x;
}

int main(void) {
  // CHECK: verso: error: {{.*}}tape-limit.c:[[@LINE+1]]{{.*}}tape
  double slope = __verso_grad(logistic, 0.4, 1000000L);
  return !(slope < 1e-3 && slope > -1e-3);
}
