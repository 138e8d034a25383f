//===- addresses-in-frames.cpp - ends of ranges across recursive calls ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::stable_sort merges by recursion. What lives across its calls are
// addresses, of which simplification keeps integers where distances are all
// that is needed.
//
//===----------------------------------------------------------------------===//
// STRATEGY: structured

#include "../check.h"
#include <algorithm>
#include <vector>

CHECK_NOINLINE static double sorted(const double *x, int n) {
  std::vector<double> v(x, x + n);
  for (double &y : v)
    y = y * y - y;
  std::stable_sort(v.begin(), v.end());
  double sum = 0;
  for (double y : v)
    sum = 0.75 * sum + y * y;
  return sum;
}

/// Halves are merged in place: the distances are of the middle to both ends.
CHECK_NOINLINE static void rotateSums(double *first, double *last) {
  if (last - first < 2)
    return;
  double *middle = first + (last - first) / 2;
  rotateSums(first, middle);
  rotateSums(middle, last);
  std::ptrdiff_t left = middle - first, right = last - middle;
  for (double *p = first; p != middle; ++p)
    *p += *(middle + (p - first) * right / left) * *p;
  for (double *p = middle; p != last; ++p)
    *p -= 0.5 * *(first + (p - middle) * left / right);
}
CHECK_NOINLINE static double rotated(const double *x, int n) {
  std::vector<double> v(x, x + n);
  rotateSums(v.data(), v.data() + n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * v[std::size_t(i)];
  return sum;
}

enum { N = 41 };
static double sortedAll(double *x) { return sorted(x, N); }
static double rotatedAll(double *x) { return rotated(x, N); }

int main() {
  double x[N], a[N] = {}, b[N] = {};
  for (int i = 0; i < N; ++i)
    x[i] = 0.02 * ((i * 17) % N) - 0.3;
  __verso_grad_void((void *)sorted, verso_dup, x, a, verso_const, N);
  CHECK_GRADIENT(sortedAll, N, x, a, 1e-7);
  __verso_grad_void((void *)rotated, verso_dup, x, b, verso_const, N);
  CHECK_GRADIENT(rotatedAll, N, x, b, 1e-7);
  return check_status();
}
