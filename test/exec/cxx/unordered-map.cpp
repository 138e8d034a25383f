//===- unordered-map.cpp - std::unordered_map -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash table that grows and rehashes, keyed by integers and by strings, with
// active values; used as a cache of a recursion.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <string>
#include <unordered_map>

CHECK_NOINLINE static double binomial(std::unordered_map<int, double> &cache,
                                      double p, int n) {
  if (n <= 0)
    return p;
  auto found = cache.find(n);
  if (found != cache.end())
    return found->second;
  double value =
      p * binomial(cache, p, n - 1) + (1 - p) * binomial(cache, p, n - 2);
  cache.emplace(n, value);
  return value;
}
CHECK_NOINLINE static double cached(double p) {
  std::unordered_map<int, double> cache;
  return binomial(cache, p, 60);
}
CHECK_NOINLINE static double counts(const double *x, int n) {
  std::unordered_map<std::string, double> sums;
  for (int i = 0; i < n; ++i)
    sums["bin " + std::to_string(i % 3)] += x[i];
  double product = 1;
  for (int i = 0; i < 3; ++i)
    product *= sums["bin " + std::to_string(i)];
  return product;
}
static double counts_7(double *x) { return counts(x, 7); }

int main() {
  CHECK_CLOSE(__verso_grad((void *)cached, 0.4),
              central_difference(cached, 0.4), 1e-8);
  double x[] = {1, 2, 3, 4, 5, 6, 7}, dx[7] = {};
  __verso_grad_void((void *)counts, verso_dup, x, dx, 7);
  CHECK_GRADIENT(counts_7, 7, x, dx, 1e-8);
  return check_status();
}
