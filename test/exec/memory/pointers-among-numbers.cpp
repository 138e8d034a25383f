//===- pointers-among-numbers.cpp - a number or a pointer, chosen ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a variant is to hold is chosen before it is stored: to LLVM a double,
// which may be the bits of a pointer.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include <map>
#include <variant>

enum { N = 4 };

struct Cell {
  union {
    double number;
    double *at;
  };
  bool points;
};

CHECK_NOINLINE static double chosen(double *x) {
  auto *cells = (Cell *)malloc(N * sizeof(Cell));
  for (int i = 0; i < N; ++i) {
    cells[i].points = i % 2 == 0;
    cells[i].number = i % 2 ? x[i] * 2 : __builtin_bit_cast(double, &x[i]);
  }
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += cells[i].points ? *cells[i].at * x[0] : cells[i].number;
  free(cells);
  return sum;
}

// The number that was chosen is computed with as well.
CHECK_NOINLINE static double carried(double *x) {
  auto *cells = (Cell *)malloc(N * sizeof(Cell));
  double last = 1, sum = 0;
  for (int i = 0; i < N; ++i) {
    double next = i % 2 ? x[i] * last : __builtin_bit_cast(double, &x[i]);
    cells[i].number = next;
    if (i % 2) {
      sum += next * next;
      last = next;
    }
  }
  for (int i = 0; i < N; i += 2)
    sum += *cells[i].at * *cells[i].at;
  free(cells);
  return sum;
}

CHECK_NOINLINE static double variants(double *x) {
  using Value = std::variant<double, long, double *>;
  std::map<int, Value> all;
  for (int i = 0; i < N; ++i)
    all[i] = i % 2 ? Value(x[i] * x[i]) : Value(&x[i]);
  double sum = 0;
  for (auto &[key, value] : all)
    if (auto *p = std::get_if<double *>(&value))
      sum += **p * (key + 1);
    else
      sum += *std::get_if<double>(&value);
  return sum;
}

int main() {
  double x[N] = {1, 2, 3, 4};
  double a[N] = {}, b[N] = {}, c[N] = {};
  __verso_grad_void((void *)chosen, verso_dup, x, a);
  CHECK_GRADIENT(chosen, N, x, a, 1e-7);
  __verso_grad_void((void *)carried, verso_dup, x, b);
  CHECK_GRADIENT(carried, N, x, b, 1e-7);
  __verso_grad_void((void *)variants, verso_dup, x, c);
  CHECK_GRADIENT(variants, N, x, c, 1e-7);
  CHECK_TRANSPOSE_SCALAR(chosen, N, x);
  CHECK_TRANSPOSE_SCALAR(carried, N, x);
  CHECK_TRANSPOSE_SCALAR(variants, N, x);
  return check_status();
}
