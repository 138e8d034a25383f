//===- inactive-spans.cpp - a span is two arguments -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of an inactive function in another file, which writes a local number; the
// span beside it goes in two registers and is no pointer to numbers.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx -std=c++20 -O2 -DWRITES -c %s -o %t.writes.o
// RUN: %clangxx_verso -std=c++20 -O2 %s %t.writes.o -o %t %verso_libs
// RUN: %t

#include <span>
#ifdef WRITES
void report(double *last, std::span<const int> ids) {
  *last = double(ids.size());
}
#else
#include <verso/verso.h>
VERSO_INACTIVE void report(double *last, std::span<const int> ids);

static double loss(const double *x, const int *ids, size_t n) {
  double last = 1;
  report(&last, std::span<const int>(ids, n));
  return x[0] * x[1] * last;
}

int main() {
  double x[2] = {2, 3}, dx[2] = {};
  int ids[3] = {1, 2, 3};
  __verso_grad((void *)loss, verso_dup, x, dx, verso_const, ids, verso_const,
               size_t(3));
  return dx[0] != 9 || dx[1] != 6;
}
#endif
