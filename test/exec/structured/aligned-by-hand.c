//===- aligned-by-hand.c - blocks that the program aligns itself ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of the heap is made larger than is needed, and what the allocator
// gave is stored in front of the address that is used, as Eigen does it. The
// numbers of one block are where the pointer of another one would be; blocks
// are released and made again in a loop, of doubles, of floats and of pointers
// to numbers. (Without types, a pointer that is loaded may be a number: -O0.)
//
// STRATEGY: structured
// LEVELS: O1 O2g O3
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

static void *allocate(size_t bytes, uintptr_t align) {
  void *whole = malloc(bytes + align);
  if (!whole)
    abort();
  void **aligned = (void **)(((uintptr_t)whole & ~(align - 1)) + align);
  aligned[-1] = whole;
  return aligned;
}
static void release(void *aligned) { free(((void **)aligned)[-1]); }

CHECK_NOINLINE static double doubles(const double *x, int n) {
  double sum = 0;
  for (int round = 1; round < 4; ++round) {
    double *a = allocate((size_t)(n + round) * sizeof *a, 64);
    double *b = allocate((size_t)n * sizeof *b, 32);
    for (int i = 0; i < n; ++i) {
      a[i] = x[i] * round;
      b[i] = a[i] * a[(i + 1) % (i + 1)];
    }
    for (int i = 0; i < n; ++i)
      sum += a[i] * b[n - 1 - i];
    release(a);
    release(b);
  }
  return sum;
}
CHECK_NOINLINE static double floats(const double *x, int n) {
  float *a = allocate((size_t)n * sizeof *a, 32);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    a[i] = (float)x[i];
  for (int i = 1; i < n; ++i)
    a[i] *= a[i - 1];
  for (int i = 0; i < n; ++i)
    sum += (double)a[i] * x[i];
  release(a);
  return sum;
}
/// Beside the pointer in front are those of the rows, and numbers.
CHECK_NOINLINE static double rows(const double *x, int n) {
  double **row = allocate((size_t)n * sizeof *row, 32), sum = 1;
  for (int i = 0; i < n; ++i) {
    row[i] = allocate((size_t)n * sizeof **row, 64);
    for (int j = 0; j < n; ++j)
      row[i][j] = x[i] + j * x[j];
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      sum += row[i][j] * row[j][i] * sum / 64;
  for (int i = 0; i < n; ++i)
    release(row[i]);
  release(row);
  return sum;
}

enum { N = 7 };
static double ofDoubles(double *x) { return doubles(x, N); }
/// In doubles, for differences.
static double ofFloats(double *x) {
  double sum = 0, product = 1;
  for (int i = 0; i < N; ++i)
    sum += (product *= x[i]) * x[i];
  return sum;
}
static double ofRows(double *x) { return rows(x, N); }

int main(void) {
  double x[N], d[N] = {0}, e[N] = {0}, f[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 0.75 + 0.0625 * (i * 3 % 5);
  __verso_grad_void((void *)doubles, verso_dup, x, d, verso_const, (int)N);
  CHECK_GRADIENT(ofDoubles, N, x, d, 1e-7);
  __verso_grad_void((void *)floats, verso_dup, x, e, verso_const, (int)N);
  CHECK_GRADIENT(ofFloats, N, x, e, 1e-5);
  __verso_grad_void((void *)rows, verso_dup, x, f, verso_const, (int)N);
  CHECK_GRADIENT(ofRows, N, x, f, 1e-7);
  return check_status();
}
