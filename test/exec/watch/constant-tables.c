//===- constant-tables.c - watched memory behind constants ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pointers in a constant lead to is no constant: watched variables
// behind a table, and behind a pointer in a constant structure beside numbers
// that are constants. (Such requests did not ask whether anything is watched.)
//
// LEVELS: O0 O1 O2g O3
//
//===----------------------------------------------------------------------===//

#include "../check.h"

void verso_watch(void *, size_t);
void *verso_adjoint_of(const void *);

static double a = 2, b = 3, numbers[2] = {5, 7};
static double *const table[2] = {&a, &b};
struct model {
  double scale;
  double *p;
};
static const struct model first = {4, numbers}, second = {6, numbers};
static const struct model *const models[2] = {&first, &second};

static double adjoint(const double *x) {
  return *(double *)verso_adjoint_of(x);
}

CHECK_NOINLINE static double chosen(double x, int k) { return *table[k] * x; }
CHECK_NOINLINE static double scaled(double x, int k) {
  return models[k]->scale * models[k]->p[k] * x;
}
CHECK_NOINLINE static double replaced(double x, int k) {
  *table[k] = *table[k] * x;
  return *table[k] * *table[1 - k];
}

int main(void) {
  verso_watch(&a, sizeof a);
  verso_watch(&b, sizeof b);
  verso_watch(numbers, sizeof numbers);
  for (int pass = 0; pass < 4; ++pass) {
    int k = pass & 1;
    double x = 2 + pass;
    a = 2, b = 3;
    CHECK_EQUAL(__verso_grad(chosen, verso_out, x, k), *table[k]);
    CHECK_EQUAL(adjoint(table[k]), x);
    CHECK_EQUAL(adjoint(table[1 - k]), 0);
    CHECK_EQUAL(__verso_grad(scaled, verso_out, x, k),
                models[k]->scale * numbers[k]);
    CHECK_EQUAL(adjoint(&numbers[k]), models[k]->scale * x);
    CHECK_EQUAL(adjoint(&numbers[1 - k]), 0);
    CHECK_EQUAL(__verso_grad(replaced, verso_out, x, k), 6);
    CHECK_EQUAL(adjoint(table[k]), x * (k ? 2 : 3));
    CHECK_EQUAL(adjoint(table[1 - k]), x * (k ? 3 : 2));
  }
  return check_status();
}
