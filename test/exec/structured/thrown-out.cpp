//===- thrown-out.cpp - exceptions that leave the request ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the function released before it threw is released, though a reverse
// sweep would have read it, and what the request keeps is given back.
//
//
//
// A sanitizer keeps freed memory, which is counted here.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <sys/resource.h>
#include <vector>

constexpr int N = 4096;

static double sum(double *x, int n) {
  double s = 0;
  {
    std::vector<double> v(x, x + n);
    for (int i = 0; i < n; ++i)
      s += v[i] * v[n - 1 - i];
  }
  if (s > 100)
    throw s;
  return s;
}

/// The most memory that the process has had, in KB.
static long most() {
  rusage Use;
  getrusage(RUSAGE_SELF, &Use);
  return Use.ru_maxrss;
}

static double x[N], dx[N];

static bool isThrown() {
  try {
    __verso_grad_void((void *)sum, verso_dup, x, dx, verso_const, N);
  } catch (double s) {
    return s == N;
  }
  return false;
}

int main() {
  for (double &e : x)
    e = 1;
  for (int i = 0; i < 20; ++i)
    CHECK(isThrown());
  long before = most();
  for (int i = 0; i < 1000; ++i)
    CHECK(isThrown());
  // Each of a thousand vectors and shadows has 32 KB.
  CHECK(most() - before < 8192);
  for (double &e : x)
    e = 1. / N;
  __verso_grad_void((void *)sum, verso_dup, x, dx, verso_const, N);
  CHECK_CLOSE(dx[5], 2. / N, 1e-15);
  return check_status();
}
