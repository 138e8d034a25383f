//===- assigned-pointers.cpp - vectors of pointers are assigned -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside vectors of numbers an object has vectors of pointers to numbers, which
// are assigned to one another as well: these are no numbers, and shadows follow
// what they point to.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <vector>

namespace {

struct World {
  std::vector<double *> rows, before;
  std::vector<double> now, old;
};
enum { N = 3 };

/// Pointers are read from what is assigned.
double readsRows(World *w, double a) {
  double sum = 0;
  w->old = w->now;
  for (int i = 0; i < N; ++i)
    w->rows[i][0] *= w->old[i] * a;
  for (int i = 0; i < N; ++i)
    sum += w->rows[i][0] * w->now[i];
  w->before = w->rows;
  return sum;
}
/// Nobody reads them.
double assigns(World *w, double a) {
  double sum = 0;
  w->old = w->now;
  for (int i = 0; i < N; ++i)
    sum += w->old[i] * w->old[i] * a;
  w->before = w->rows;
  return sum;
}

} // namespace

static void check(void (*f)(World *, World *), bool reads) {
  double x[N] = {1.5, 2.5, 3.5}, dx[N] = {};
  World &w = *new World{
      {x, x + 1, x + 2}, {x + 2, x + 2, x}, {1, 2, 3}, {4, 5, 6}};
  World &d = *new World{
      {dx, dx + 1, dx + 2}, {dx + 2, dx + 2, dx}, {0, 0, 0}, {0, 0, 0}};
  f(&w, &d);
  for (int i = 0; i < N; ++i) {
    CHECK(w.before[i] == x + i && d.before[i] == dx + i);
    CHECK(w.rows[i] == x + i && d.rows[i] == dx + i);
    double now = 1 + i;
    CHECK_CLOSE(d.now[i], reads ? 2 * 0.5 * (1.5 + i) * now : now, 1e-14);
    CHECK_CLOSE(dx[i], reads ? 0.5 * now * now : 0, 1e-14);
  }
}

int main() {
  check(
      [](World *w, World *d) {
        __verso_vjp_void((void *)readsRows, verso_dup, w, d, verso_const, 0.5,
                         1.0);
      },
      true);
  check(
      [](World *w, World *d) {
        __verso_vjp_void((void *)assigns, verso_dup, w, d, verso_const, 0.5,
                         1.0);
      },
      false);
  return check_status();
}
