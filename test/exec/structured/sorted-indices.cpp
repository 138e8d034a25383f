//===- sorted-indices.cpp - orders and selections by what a lambda sees ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices are sorted by the numbers that they lead to: the library's recursive
// functions hand on a lambda of one captured variable as an integer. And
// recursive functions whose integer is a pointer that is read, written through,
// exchanged with another one, and null at the end.
//
// STRATEGY: structured
// FLAGS: -Wno-deprecated-declarations
// HEAVY: sorts of the standard library
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

static double ranked(const double *x, int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return x[a] < x[b]; });
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += (k + 1) * x[order[k]] * x[order[(k + 1) % n]];
  return sum;
}

static double merged(const double *x, int n) {
  std::vector<double> values(x, x + n);
  double scale = x[0];
  auto before = [&scale](double a, double b) { return scale * a < scale * b; };
  std::sort(values.begin(), values.begin() + n / 2, before);
  std::sort(values.begin() + n / 2, values.end(), before);
  std::inplace_merge(values.begin(), values.begin() + n / 2, values.end(),
                     before);
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum = sum * 0.5 + values[k] * values[k] * scale;
  return sum;
}

// A structure of one pointer that code before Verso has made an integer of.
using Address = unsigned long;
struct Cell {
  double value;
  Cell *next;
};

CHECK_NOINLINE static double total(Address at, Address other, int depth) {
  if (!at)
    return 0;
  auto *cell = reinterpret_cast<Cell *>(at);
  cell->value *= 1 + 0.01 * depth;
  // They take turns.
  double rest = total(other, reinterpret_cast<Address>(cell->next), depth + 1);
  cell->value += 0.1 * std::sin(rest);
  return cell->value * cell->value + rest;
}
static double walked(const double *x, int n) {
  std::vector<Cell> cells(n);
  for (int k = 0; k < n; ++k)
    cells[k] = {x[k], k + 2 < n ? &cells[k + 2] : nullptr};
  double sum = total(reinterpret_cast<Address>(&cells[0]),
                     reinterpret_cast<Address>(&cells[1]), 0);
  for (const Cell &each : cells)
    sum += each.value * each.value * each.value;
  return sum;
}

static void check(double (*f)(const double *, int), double (*gradient)(
                      const double *, double *, int),
                  double (*tangent)(const double *, const double *, int)) {
  constexpr int n = 41;
  double x[n], dx[n] = {}, v[n];
  for (int k = 0; k < n; ++k) {
    x[k] = 0.5 + 0.4 * std::sin(1.7 * k * k + 0.3);
    v[k] = std::cos(0.9 * k);
  }
  CHECK_CLOSE(gradient(x, dx, n), f(x, n), 1e-13);
  double product = 0;
  for (int k = 0; k < n; ++k)
    product += dx[k] * v[k];
  CHECK_CLOSE(product, tangent(x, v, n), 1e-12);
}

extern "C" double __verso_value_and_grad(void *, ...);
#define CHECK_FUNCTION(f)                                                      \
  check(                                                                       \
      f,                                                                       \
      [](const double *x, double *dx, int n) {                                 \
        return __verso_value_and_grad((void *)f, verso_dup, x, dx,             \
                                      verso_const, n);                         \
      },                                                                       \
      [](const double *x, const double *v, int n) {                            \
        return __verso_jvp((void *)f, verso_dup, x, v, verso_const, n);        \
      })

int main() {
  CHECK_FUNCTION(ranked);
  CHECK_FUNCTION(merged);
  CHECK_FUNCTION(walked);
  return check_status();
}
