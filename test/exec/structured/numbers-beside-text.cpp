//===- numbers-beside-text.cpp - containers with strings as keys ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes that hold a string, whose characters may be in it or elsewhere, and a
// number: maps and hash tables that are filled, emptied and filled again, so
// that blocks come back as something else; and a request that is left by an
// exception.
//
// STRATEGY: structured
// LEVELS: O1 O2g O3
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>

static std::string nameOf(int k) {
  return (k % 2 ? "a name that has a block of its own " : "") +
         std::to_string(k);
}

CHECK_NOINLINE static double ordered(const double *x, int n) {
  double sum = 0;
  for (int round = 0; round < 3; ++round) {
    std::map<std::string, double> values;
    for (int k = 0; k < n; ++k)
      values[nameOf((k + round) % 4)] += x[k] * x[k];
    values.erase(nameOf(round));
    for (const auto &each : values)
      sum += each.second * (each.first.size() > 9 ? 0.5 : x[round]);
    if (sum > 1000)
      throw std::runtime_error(values.begin()->first);
  }
  return sum;
}

CHECK_NOINLINE static double hashed(const double *x, int n) {
  std::unordered_map<std::string, double> sums;
  for (int k = 0; k < n; ++k) {
    sums["bin " + std::to_string(k % 3)] += x[k] * x[k];
    if (k == n / 2)
      sums["bin 1"] = 2;
  }
  double product = 1;
  for (int k = 0; k < 3; ++k)
    product *= sums["bin " + std::to_string(k)];
  return product;
}

static double ordered_7(double *x) { return ordered(x, 7); }
static double hashed_7(double *x) { return hashed(x, 7); }

int main() {
  double x[7] = {1, 2, 0.5, -1, 1.5, 0.25, 3}, large[7] = {0, 0, 0, 100, 0};
  for (int again = 0; again < 3; ++again) {
    double a[7] = {}, b[7] = {}, c[7] = {};
    bool caught = false;
    try {
      __verso_grad_void((void *)ordered, verso_dup, large, c, verso_const, 7);
    } catch (const std::runtime_error &e) {
      caught = true;
    }
    CHECK(caught);
    __verso_grad_void((void *)ordered, verso_dup, x, a, verso_const, 7);
    CHECK_GRADIENT(ordered_7, 7, x, a, 1e-7);
    __verso_grad_void((void *)hashed, verso_dup, x, b, verso_const, 7);
    CHECK_GRADIENT(hashed_7, 7, x, b, 1e-7);
  }
  return check_status();
}
