//===- written-once.c - memory that later iterations do not write ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop reads and no later iteration writes is loaded again and not
// recorded: recurrences, factorisations, dynamic programming. Beside them what
// looks much the same and is overwritten. The judge is the tape; lengths of
// rows are parameters in one half of the program and constants in the other.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

KERNEL(lu, {
  for (size_t k = 0; k != n; ++k)
    for (size_t i = k + 1; i < n; ++i) {
      double f = x[i * n + k] / x[k * n + k];
      x[i * n + k] = f;
      for (size_t j = k + 1; j < n; ++j)
        x[i * n + j] -= f * x[k * n + j];
    }
  SUM(n * n)
})

KERNEL(cholesky, {
  for (size_t i = 0; i != n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double sum = x[i * n + j] + (i == j ? 20 : 0);
      for (size_t k = 0; k != j; ++k)
        sum -= x[i * n + k] * x[j * n + k];
      x[i * n + j] = i == j ? sqrt(sum) : sum / x[j * n + j];
    }
  SUM(n * n)
})

/// The condition says that the element above is of another row, and that the
/// diagonal is the last of its row.
KERNEL(cholesky_in_branches, {
  for (size_t i = 0; i != n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double sum = x[i * n + j] + (i == j ? 20 : 0);
      for (size_t k = 0; k != j; ++k)
        sum -= x[i * n + k] * x[j * n + k];
      if (i == j)
        x[i * n + i] = sqrt(sum);
      else
        x[i * n + j] = sum / x[j * n + j];
    }
  SUM(n * n)
})

/// Last of its row, but not the last to write there.
KERNEL(last_and_rewritten, {
  for (size_t i = 0; i != n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      if (i == j)
        x[i] = sin(x[i]) * x[i];
      else
        x[j] = 0.5 * x[i] * x[j] + cos(x[j]);
    }
  SUM(n * n)
})

/// Not the last of its row, and written in the same iteration.
KERNEL(before_the_last, {
  for (size_t i = 0; i != n; ++i)
    for (size_t j = 0; j <= i; ++j)
      if (i != j) {
        double f = x[i * n + j + 1] * x[j * n + j];
        x[i * n + j + 1] = f * f / (1 + f * f);
        x[i * n + j] = sin(f) * x[i * n + j];
      }
  SUM(n * n)
})

/// A choice is stored where one of its values was read, later elsewhere.
KERNEL(chosen_and_moved, {
  for (size_t i = 0; i + 1 < n; ++i)
    for (size_t j = 0; j != n; ++j) {
      double y = x[i * n + j];
      x[(i + 1) * n + j] = y < 0.5 ? exp(y) / (1 + y * y) : y / (2 + sin(y));
      if (j & 1)
        x[i * n + j] = y * x[(i + 1) * n + j];
    }
  SUM(n * n)
})

/// With signed numbers of 32 bits.
KERNEL(substitution, {
  int m = (int)n;
  for (int i = 0; i < m; ++i) {
    double sum = x[m * m + i];
    for (int j = 0; j < i; ++j)
      sum -= x[i * m + j] * x[m * m + j];
    x[m * m + i] = sum / x[i * m + i];
  }
  SUM(n * n + n)
})

KERNEL(recurrence, {
  for (size_t t = 0; t + 1 < n * n; ++t)
    x[t + 1] = sin(x[t]) * 0.9 + 0.1 * x[t + 1] * x[t + 1];
  SUM(n * n)
})

KERNEL(second, {
  for (size_t t = 2; t < n * n; ++t)
    x[t] = 0.3 * x[t - 1] * x[t - 2] + 0.1;
  SUM(n * n)
})

KERNEL(backwards, {
  for (ptrdiff_t t = (ptrdiff_t)(n * n) - 2; t >= 0; --t)
    x[t] = x[t + 1] * x[t] * 0.3 + 0.5;
  SUM(n * n)
})

KERNEL(there_and_back, {
  for (ptrdiff_t t = (ptrdiff_t)(n * n) - 2; t >= 0; --t)
    x[t] = x[t + 1] * x[t] * 0.3 + 0.5;
  for (size_t t = 0; t + 1 < n * n; ++t)
    x[t] = x[t + 1] * x[t] * 0.3 + 0.5;
  SUM(n * n)
})

KERNEL(table, {
  for (size_t i = 1; i < n; ++i)
    for (size_t j = 1; j < n; ++j)
      x[i * n + j] = 0.2 * x[i * n + j - 1] * x[(i - 1) * n + j] +
                     cos(x[(i - 1) * n + j - 1]);
  SUM(n * n)
})

/// All of the table, several times.
KERNEL(sweeps, {
  for (int sweep = 0; sweep < 3; ++sweep)
    for (size_t i = 1; i + 1 < n; ++i)
      for (size_t j = 1; j + 1 < n; ++j)
        x[i * n + j] = 0.3 * x[i * n + j - 1] * x[i * n + j + 1] +
                       0.2 * x[(i - 1) * n + j] * x[(i + 1) * n + j];
  SUM(n * n)
})

/// Rows are longer than they are apart.
KERNEL(overlapping_rows, {
  for (size_t i = 1; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      x[i * (n - 1) + j] =
          0.5 * x[i * (n - 1) + j - 1] * x[(i - 1) * (n - 1) + j] + 0.1;
  SUM(n * n - n)
})

/// Row i is written when row i + 2 is read.
KERNEL(late_rows, {
  for (size_t i = 0; i + 2 < n; ++i)
    for (size_t j = 0; j < n; ++j)
      x[i * n + j] = x[(i + 2) * n + j] * x[(i + 1) * n + j] * 0.7;
  for (size_t i = 2; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      x[i * n + j] *= x[(i - 2) * n + j] * 0.7;
  SUM(n * n)
})

/// A row's length that is -1.
KERNEL(against, {
  size_t step = (size_t)(n ? -1 : 1);
  double *end = x + n * n;
  for (size_t i = 1; i < n * n; ++i)
    end[i * step] = end[i * step] * end[i * step + 1] * 0.4 + 0.3;
  for (size_t i = 2; i < n * n; ++i)
    end[i * step] = end[(i - 1) * step] * end[(i - 2) * step] * 0.4;
  SUM(n * n)
})

/// Early exits and a store under a condition.
KERNEL(conditional, {
  for (size_t i = 1; i < n * n; ++i) {
    if (x[i] > 1.9)
      x[i / 2] = x[i - 1] * x[i] * 0.3;
    if (x[i] < 0.2)
      break;
    x[i] = x[i] * x[i - 1];
  }
  SUM(n * n)
})

/// The triangle's columns, and its diagonal last.
KERNEL(columns, {
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = k + 1; i < n; ++i)
      x[i * n + k] = x[i * n + k] * x[k * n + i] * 0.3 + x[k * n + k];
    x[k * n + k] = x[k * n + k] * x[((k + 1) % n) * n + k];
  }
  SUM(n * n)
})

int main(void) {
  ALL(lu);
  ALL(cholesky);
  ALL(cholesky_in_branches);
  ALL(last_and_rewritten);
  ALL(before_the_last);
  ALL(chosen_and_moved);
  ALL(substitution);
  ALL(recurrence);
  ALL(second);
  ALL(backwards);
  ALL(there_and_back);
  ALL(table);
  ALL(sweeps);
  for (volatile size_t n = 1; n <= N; ++n)
    RUN(overlapping_rows, n);
  ALL(late_rows);
  for (volatile size_t n = 1; n <= N; ++n)
    RUN(against, n);
  ALL(conditional);
  ALL(columns);
  return check_status();
}
