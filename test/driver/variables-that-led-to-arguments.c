//===- variables-that-led-to-arguments.c - pointers from before -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer that a global variable held before the request has no shadow. If it
// leads into an argument that has one, and numbers are read or written through
// it, the derivative would be wrong: an error at run time, in every mode. One
// that the request stores itself is right, and one that is only compared, or
// leads elsewhere, is no error.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only %s -o %t.1 %verso_libs
// RUN: %clang_verso -O0 -gline-tables-only -mllvm -verso-strategy=taped %s -o %t.0 %verso_libs
// RUN: %clang_verso -O1 -gline-tables-only -mllvm -verso-strategy=taped %s -o %t.2 %verso_libs
// RUN: %t.1 right
// RUN: %t.0 right
// RUN: %t.2 right
// RUN: not %t.1 reads 2>&1 | FileCheck %s
// RUN: not %t.0 reads 2>&1 | FileCheck %s
// RUN: not %t.1 forward 2>&1 | FileCheck %s
// RUN: not %t.0 forward 2>&1 | FileCheck %s
// RUN: sh -c 'for m in writes deep passed unbuilt inside forward-writes; do for t in %t.0 %t.1 %t.2; do $t $m; test $? -eq 86 || exit 1; done; done'

// CHECK: verso: error: {{.*}}variables-that-led-to-arguments.c:[[#]]:[[#]]: in 'reads': a pointer that a variable held before the request leads into an argument that has a shadow

#include <string.h>

double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);
extern int verso_dup, verso_const;
#define NOINLINE __attribute__((noinline))

double *values;
static double *own;
struct context {
  int n;
  const double *data;
} *current;

NOINLINE static double reads(double *x) { return x[0] * values[1]; }
NOINLINE static double writes(double *x) {
  values[1] = x[0] * x[0];
  return x[1] * x[0];
}
NOINLINE static double deep(double *x) { return x[0] * current->data[1]; }
NOINLINE static double product(const double *a, const double *b) {
  return a[0] * b[1];
}
NOINLINE static double passed(double *x) { return product(x, values); }

// What calls itself is looked at before what it calls.
NOINLINE static double squares(const double *p, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += p[k] * p[k];
  return sum;
}
NOINLINE static double again(int n) {
  return n > 1 ? squares(values, n) : again(n + 1);
}
static double unbuilt(double *x) { return again(1) + x[0]; }

NOINLINE static double stored_product(void) { return own[0] * own[1]; }
/// What it leads to is said anew in each call.
static double stored(double *x) {
  own = x;
  return stored_product();
}
static double compared(double *x) { return values == x ? x[0] * x[0] : x[1]; }
static double elsewhere(double *x) { return values[0] * x[0]; }

static int close(double a, double b) { return a - b < 1e-12 && b - a < 1e-12; }

int main(int argc, char **argv) {
  double x[2] = {2, 3}, d[2] = {0, 0}, v[2] = {1, 10}, other[2] = {5, 7};
  struct context c = {2, x};
  current = &c;
  values = x;
  const char *what = argv[argc - 1];
  if (!strcmp(what, "reads"))
    __verso_grad(reads, verso_dup, x, d);
  if (!strcmp(what, "writes"))
    __verso_grad(writes, verso_dup, x, d);
  if (!strcmp(what, "deep"))
    __verso_grad(deep, verso_dup, x, d);
  if (!strcmp(what, "passed"))
    __verso_grad(passed, verso_dup, x, d);
  if (!strcmp(what, "unbuilt"))
    __verso_grad(unbuilt, verso_dup, x, d);
  if (!strcmp(what, "forward"))
    __verso_jvp(reads, verso_dup, x, v);
  if (!strcmp(what, "forward-writes"))
    __verso_jvp(writes, verso_dup, x, v);
  values = x + 1;
  if (!strcmp(what, "inside"))
    __verso_grad(elsewhere, verso_dup, x, d);
  if (strcmp(what, "right"))
    return 0;
  for (int k = 0; k < 2; ++k) {
    d[0] = d[1] = 0;
    __verso_grad(stored, verso_dup, x, d);
    if (!close(d[0], 3) || !close(d[1], 2) ||
        !close(__verso_jvp(stored, verso_dup, x, v), 23))
      return 1;
  }
  values = x;
  d[0] = d[1] = 0;
  __verso_grad(compared, verso_dup, x, d);
  if (!close(d[0], 4) || !close(__verso_jvp(compared, verso_dup, x, v), 4))
    return 2;
  values = other;
  d[0] = d[1] = 0;
  __verso_grad(elsewhere, verso_dup, x, d);
  if (!close(d[0], 5) || !close(__verso_jvp(elsewhere, verso_dup, x, v), 5))
    return 3;
  return 0;
}
