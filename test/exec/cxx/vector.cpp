//===- vector.cpp - std::vector -------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Growth by push_back, copies, moves, insertion and erasure in the middle,
// swap, resize, vectors of vectors, and range-for.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <utility>
#include <vector>

CHECK_NOINLINE static double growth(const double *x, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i)
    v.push_back(x[i] * x[i]);
  std::vector<double> copy = v;
  copy.insert(copy.begin() + 1, x[0]);
  copy.erase(copy.begin() + 2);
  std::vector<double> moved = std::move(v);
  moved.swap(copy);
  moved.resize(static_cast<std::size_t>(n) + 2, x[1]);
  double sum = 0, weight = 1;
  for (double value : moved)
    sum += value * weight++;
  for (double value : copy)
    sum += value * weight++;
  return sum;
}
CHECK_NOINLINE static double rows(const double *x, int n) {
  std::vector<std::vector<double>> table;
  for (int i = 0; i < n; ++i) {
    table.emplace_back();
    for (int j = 0; j <= i; ++j)
      table[static_cast<std::size_t>(i)].push_back(x[i] * x[j]);
  }
  double product = 1;
  for (const auto &row : table)
    product *= row.back() + row.front();
  return product;
}
static double growth_6(double *x) { return growth(x, 6); }
static double rows_5(double *x) { return rows(x, 5); }

int main() {
  double x[] = {1, 2, 3, 4, 5, 0.5}, dx[6] = {}, dr[5] = {};
  __verso_grad_void((void *)growth, verso_dup, x, dx, 6);
  CHECK_GRADIENT(growth_6, 6, x, dx, 1e-8);
  __verso_grad_void((void *)rows, verso_dup, x, dr, 5);
  CHECK_GRADIENT(rows_5, 5, x, dr, 1e-7);
  return check_status();
}
