//===- number-or-integer.cpp - results and variants of both ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::variant<double, int> by value, and a result that is a value or the
// number of an error: memory/tagged-unions.c as C++ has it.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <variant>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

using Value = std::variant<double, int>;
static double visited(const double *x, int n) {
  std::vector<Value> all;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      all.push_back(i - 4);
    else
      all.push_back(x[i] * x[i]);
  double s = 0;
  int i = 0;
  for (auto v : all)
    s += std::visit([&](auto each) { return each * x[i++]; }, v);
  return s;
}

struct Result {
  union {
    double value;
    int error;
  };
  bool ok;
};
CHECK_NOINLINE static Result root(double x, int k) {
  Result r;
  r.ok = x > 0;
  if (r.ok)
    r.value = x * x * x;
  else
    r.error = k;
  return r;
}
static double results(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    Result r = root(x[i], i);
    s += r.ok ? r.value : r.error * x[i];
  }
  return s;
}

template <double F(const double *, int)> static void check() {
  for (int n = 1; n <= 6; ++n) {
    double x[6] = {1.5, -2, 3, -0.5, 4, -1}, g[6] = {};
    __verso_grad((void *)F, verso_dup, x, g, verso_const, n);
    for (int k = 0; k < n; ++k) {
      double v[6] = {}, h = 1e-6, y[6];
      v[k] = 1;
      CHECK_CLOSE(g[k], __verso_jvp((void *)F, verso_dup, x, v, verso_const, n),
                  0);
      std::copy(x, x + 6, y);
      y[k] = x[k] + h;
      double ahead = F(y, n);
      y[k] = x[k] - h;
      CHECK_CLOSE(g[k], (ahead - F(y, n)) / (2 * h), 1e-6);
    }
  }
}

int main() {
  check<visited>();
  check<results>();
  return check_status();
}
