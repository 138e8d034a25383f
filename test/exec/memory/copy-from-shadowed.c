//===- copy-from-shadowed.c - copying an argument before reading it -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first thing that happens to an argument is a copy of its raw bytes; into
// it goes a copy of raw bytes in the end. What the bytes are shows only in
// between.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct sample {
  float weight;
  int id;
  double value;
};

CHECK_NOINLINE static double total(const struct sample *samples, int n) {
  struct sample *copy = malloc((size_t)n * sizeof *copy);
  memcpy(copy, samples, (size_t)n * sizeof *copy);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += copy[i].weight * copy[i].value * copy[i].id;
  free(copy);
  return sum;
}
CHECK_NOINLINE static void reverse(double *x, int n) {
  double *copy = malloc((size_t)n * sizeof *copy);
  for (int i = 0; i < n; ++i)
    copy[i] = x[n - 1 - i] * (i + 1);
  memcpy(x, copy, (size_t)n * sizeof *copy);
  free(copy);
}
CHECK_NOINLINE static void pass_on(double *to, const double *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
}

int main(void) {
  struct sample s[] = {{2, 3, 5}, {7, 11, 13}}, ds[2];
  memset(ds, 0, sizeof ds);
  __verso_grad_void(total, verso_dup, s, ds, 2);
  CHECK_EQUAL(ds[0].weight, 15);
  CHECK_EQUAL(ds[0].value, 6);
  CHECK_EQUAL(ds[1].weight, 143);
  CHECK_EQUAL(ds[1].value, 77);
  CHECK_EQUAL(ds[1].id, 0);

  double x[] = {1, 2, 3}, dx[] = {10, 100, 1000};
  __verso_vjp_void(reverse, verso_dup, x, dx, 3);
  CHECK_EQUAL(x[0], 3);
  CHECK_EQUAL(dx[2], 10);
  CHECK_EQUAL(dx[1], 200);
  CHECK_EQUAL(dx[0], 3000);

  double to[3], dto[] = {1, 2, 3}, from[] = {4, 5, 6}, dfrom[] = {0, 0, 0};
  __verso_vjp_void(pass_on, verso_dup, to, dto, verso_dup, from, dfrom, 3);
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(to[i], from[i]);
    CHECK_EQUAL(dto[i], 0);
    CHECK_EQUAL(dfrom[i], i + 1);
  }
  return check_status();
}
