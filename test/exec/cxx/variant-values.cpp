//===- variant-values.cpp - a number or an integer, whose value is used ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tagged union of a double and an integer, in registers, in a loop and in a
// vector. LLVM makes one value of both members, so an integer's value is that
// of the bits of a double, of which some are subnormal, some are no numbers. It
// has no derivative then, in any mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <cstdint>
#include <variant>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

namespace {

using Value = std::variant<double, long>;
enum { N = 6 };

double inTurn(const double *x, int n) {
  double sum = 0;
  Value v = 0.0;
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 1)
      v = long(i) - 3;
    else
      v = x[i] * x[i];
    if (std::holds_alternative<long>(v))
      sum += std::get<long>(v) * x[i];
    else
      sum += std::get<double>(v);
  }
  return sum;
}

double visited(const double *x, int n) {
  std::vector<Value> all;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 1)
      all.push_back(2 - long(i));
    else
      all.push_back(x[i] * x[i]);
  double sum = 0;
  for (const Value &v : all)
    sum += std::visit([](auto y) { return double(y) * 2; }, v);
  return sum;
}

struct Field {
  union {
    float number;
    std::int32_t count;
  };
  bool isCount;
};

double ofUnions(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    Field f;
    f.isCount = i % 2;
    if (f.isCount)
      f.count = 1 - i;
    else
      f.number = float(x[i] * 3);
    sum += f.isCount ? double(f.count) * x[i] : double(f.number) * x[i];
  }
  return sum;
}

void check(double (*f)(const double *, int), const double (&expected)[N]) {
  const double x[N] = {1, 2, 3, 4, 5, 6}, w[N] = {1, -1, 0.5, 2, 3, 0.25};
  double dx[N] = {0}, product = 0;
  for (int i = 0; i < N; ++i)
    product += expected[i] * w[i];
  if (f == inTurn) {
    __verso_grad((void *)inTurn, &verso_dup, x, dx, N);
    CHECK_CLOSE(__verso_jvp((void *)inTurn, &verso_dup, x, w, N), product,
                1e-12);
  } else if (f == visited) {
    __verso_grad((void *)visited, &verso_dup, x, dx, N);
    CHECK_CLOSE(__verso_jvp((void *)visited, &verso_dup, x, w, N), product,
                1e-12);
  } else {
    __verso_grad((void *)ofUnions, &verso_dup, x, dx, N);
    CHECK_CLOSE(__verso_jvp((void *)ofUnions, &verso_dup, x, w, N), product,
                1e-6);
  }
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(dx[i], expected[i], 1e-6);
}

} // namespace

int main() {
  check(inTurn, {2, -2, 6, 8, 1, 12});
  check(visited, {4, 0, 12, 16, 0, 24});
  check(ofUnions, {6, 0, 18, -2, 30, -4});
  return check_status();
}
