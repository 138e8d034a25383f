//===- rows.c - what is the same in all iterations of a loop in between ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inner loop that reads the same elements each time that it runs, until an
// outer loop writes them again, records them once. The judge is the tape.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

/// An LU factorisation that changes rows.
KERNEL(pivoted, {
  for (size_t k = 0; k != n; ++k) {
    size_t p = k;
    for (size_t i = k + 1; i != n; ++i)
      if (fabs(x[i * n + k]) > fabs(x[p * n + k]))
        p = i;
    if (p != k)
      for (size_t j = 0; j != n; ++j) {
        double l = x[p * n + j];
        x[p * n + j] = x[k * n + j];
        x[k * n + j] = l;
      }
    for (size_t i = k + 1; i != n; ++i) {
      x[i * n + k] = x[i * n + k] / x[k * n + k];
      for (size_t j = k + 1; j != n; ++j)
        x[i * n + j] -= x[i * n + k] * x[k * n + j];
    }
  }
  SUM(n * n)
})
/// Triangular products with a buffer that is written again.
KERNEL(buffer, {
  double c[16], s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t j = 0; j < n; ++j)
      c[j] = x[j * n + p] * x[p];
    for (size_t i = 0; i < n; ++i) {
      double t = 0;
      for (size_t j = 0; j < i; ++j)
        t += x[i * n + j] * c[j];
      s += t * t;
    }
  }
  return s;
})
/// Descending, and some runs that do not start.
KERNEL(down, {
  double c[16], s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t j = 0; j < n; ++j)
      c[j] = x[j * n + p] * x[p];
    for (size_t i = n; i-- > 0;) {
      double t = 0;
      for (size_t j = 2; j < i; ++j)
        t += x[i * n + j] * c[j - 1];
      s += t * t;
      if (s > 40)
        break;
    }
  }
  return s;
})
/// Written within the loop in the middle.
KERNEL(written, {
  double c[16], s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t j = 0; j < n; ++j)
      c[j] = x[j * n + p] * x[p];
    for (size_t i = 0; i < n; ++i) {
      double t = 0;
      for (size_t j = 0; j < n; ++j)
        t += x[i * n + j] * c[j];
      c[i] = t * 0.3;
      s += t * t;
    }
  }
  return s;
})
/// Read under conditions.
KERNEL(some, {
  double c[16], s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t j = 0; j < n; ++j)
      c[j] = x[j * n + p] * x[p];
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        if (x[i * n + j] > 1)
          s += x[i * n + j] * c[j];
        else if (i == j)
          s += c[j] * c[n - 1 - j];
  }
  return s;
})
/// Shifted by the loop in the middle, or left early.
KERNEL(deep, {
  double c[32], s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t j = 0; j < 32; ++j)
      c[j] = x[j] * x[p];
    for (size_t q = 0; q < 3; ++q)
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
          s += x[i * n + j] * c[j] * c[j + q];
          if (j > p + i)
            break;
        }
    for (int i = 0; i < (int)n; ++i)
      for (int j = i; j < (int)n; ++j)
        s += x[i] * c[j];
    for (int i = 0; i < (int)n; ++i)
      for (int j = i; j < (int)n; ++j)
        s += x[i] * c[j - i] * c[j];
  }
  return s;
})
KERNEL(whiles, {
  double c[32], s = 0;
  size_t p = 0;
  while (s < 30 && p < n) {
    for (size_t j = 0; j < n; ++j)
      c[j] = x[j] * x[p];
    size_t i = 0;
    while (x[i] * c[i] < 1.7 && i < n) {
      for (size_t j = 0; j < n; ++j)
        s += x[i * n + j] * c[j] * 0.1;
      ++i;
    }
    ++p;
  }
  return s;
})
int main(void) {
  ALL(pivoted);
  ALL(buffer);
  ALL(down);
  ALL(written);
  ALL(some);
  ALL(deep);
  ALL(whiles);
  return check_status();
}
