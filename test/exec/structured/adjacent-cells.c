//===- adjacent-cells.c - cells that are added to at once -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several fields of an object that indices from memory name: runs of many
// lengths, with gaps; objects that are one, or overlap in part; cells that are
// overwritten, cleared or read between additions; differences and squares;
// early exits. And second derivatives of the same.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"
#define SECOND_ONLY
#include "../higher/second.h"

static const int index_of[2 * SIZE] = {0, 3, 3, 1, 5, 6, 2, 2, 0, 4,
                                       6, 5, 1, 3, 3, 0, 2, 6, 5, 4,
                                       4, 1, 0, 0, 6, 2, 3, 5};

/// Of twelve, eleven are used in a row, one factor is theirs.
#define OBJECTS(FROM)                                                          \
  {                                                                            \
    double s = 0;                                                              \
    for (size_t k = 0; k < n; ++k)                                             \
      for (int m = 0; m < 2; ++m) {                                            \
        const double *a = x + 12 * index_of[2 * k + m];                        \
        double w = 1 + 0.5 * m, r[3];                                          \
        for (int i = 0; i < 3; ++i)                                            \
          r[i] = w * (a[4 * i + FROM] * 0.5 + a[4 * i + 1] * x[120 + k] +      \
                      a[4 * i + 2] * 0.25) +                                   \
                 (i == 2 ? 0 : a[4 * i + 3]);                                  \
        s += r[0] * r[0] - r[1] * r[2];                                        \
      }                                                                        \
    return s;                                                                  \
  }
KERNEL(objects, OBJECTS(0))
KERNEL(objects_with_gaps, OBJECTS(2))

/// Windows that overlap in part, in one iteration and in the next.
KERNEL(windows, {
  double s = 0;
  for (size_t k = 0; k < n; ++k) {
    const double *a = x + index_of[k], *b = x + index_of[n + k] + 1;
    s += (a[0] - b[3]) * (a[1] * a[2] - b[0]) + a[3] * b[1] * b[2];
  }
  return s;
})

/// Between additions cells are overwritten (then cleared), and by others.
KERNEL(overwritten, {
  double r = 0;
  for (size_t k = 0; k < n; ++k) {
    double *a = x + 5 * index_of[k], *b = x + 5 * index_of[k + 1] + 1;
    double t = a[0] * a[1] + a[2] * a[3];
    b[0] = t * 0.3;
    r += a[0] - a[1] * a[2] + a[3] * b[2];
    a[2] = 0.1 * r;
    b[1] += a[1] * 0.2;
  }
  SUM(60)
})

/// What is added is read from the same shadow: cells and their neighbours.
KERNEL(rotated, {
  for (size_t k = 0; k < n; ++k) {
    double *a = x + 3 * index_of[k];
    double u = a[0], v = a[1], w = a[2];
    a[0] = u * 0.8 - v * 0.6;
    a[1] = u * 0.6 + v * 0.8;
    a[2] = w * u * v + w;
  }
  SUM(60)
})

KERNEL(left_early, {
  double s = 0;
  for (size_t k = 0; k < n; ++k) {
    const double *a = x + 4 * index_of[k];
    s += a[0] * a[1];
    if (s > 6)
      return s * x[0];
    s += a[2] * a[3] * a[3];
    if (a[1] > 1.5)
      continue;
    s -= (a[0] - a[1]) * (a[0] - a[1]) + 0.5 * (a[2] * a[2] + a[3] * a[3]);
  }
  return s;
})

/// Rows of an outer loop, and what an inner one does with the same cells.
KERNEL(in_nests, {
  double s = 0;
  for (size_t k = 0; k < n; ++k) {
    double *a = x + 4 * index_of[k];
    for (size_t j = 0; j < k; ++j)
      a[j % 4] += 0.1 * x[100 + j] * a[(j + 1) % 4];
    s += a[0] * a[1] - a[2] * a[3] + a[0] * a[3];
  }
  return s;
})

/// The least of many, of which most are not chosen: infinite there.
KERNEL(chosen, {
  double s = 0;
  for (size_t k = 0; k < n; ++k) {
    const double *a = x + 4 * index_of[k];
    double z = index_of[k] == 3 ? 0 : 1, q = a[0] / z;
    double r = q * q * a[1] + a[2] * q + a[3] * a[0];
    s += z == 0 ? a[1] : r;
  }
  return s;
})

static float of_floats(const float *x, int n) {
  float s = 0;
  for (int k = 0; k < n; ++k) {
    const float *a = x + 9 * index_of[k];
    float t = a[8];
    for (int i = 0; i < 8; ++i)
      t += a[i] * a[(i + 3) % 9];
    s += t * t;
  }
  return s;
}

static double skinned(const double *x, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k) {
    const double *a = x + 4 * (index_of[k] % 3), *b = x + index_of[k];
    double r = a[0] * 0.5 + a[1] * 0.25 + a[2] * x[n - 1] + a[3];
    s += r * r * (b[0] - b[1] * b[2]);
  }
  return s;
}
HESSIAN(skinned)

/// Additions to two objects, that overlap in part or are one, come in turn.
static double paired(const double *x, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k) {
    const double *a = x + index_of[k], *b = x + index_of[27 - k] + k % 3;
    double r = a[0] * b[0] + a[1] * b[1] - a[2] * b[2] + a[3] * b[3];
    s += r * r + a[0] * a[3] - b[1] * b[2] * b[2];
  }
  return s;
}
HESSIAN(paired)

/// Sums that the program adds up in memory, beside those of their adjoints.
static double in_memory(const double *x, int n) {
  double c[16] = {0}, s = 0;
  for (int k = 0; k < n; ++k) {
    double *a = c + index_of[k], *b = c + index_of[27 - k];
    const double *p = x + index_of[k];
    for (int i = 0; i < 4; ++i) {
      a[i] += p[i] * p[i];
      b[i] += p[i] * x[n - 1];
    }
    s += a[1] * b[2];
  }
  for (int i = 0; i < 16; ++i)
    s += c[i] * c[i] * x[i % 4];
  return s;
}
HESSIAN(in_memory)

int main(void) {
  ALL(objects);
  ALL(objects_with_gaps);
  ALL(windows);
  ALL(overwritten);
  ALL(rotated);
  ALL(left_early);
  ALL(in_nests);
  ALL(chosen);
  float x[63], dx[63] = {0};
  for (int i = 0; i < 63; ++i)
    x[i] = 0.25f * (float)(i % 5 - 2);
  volatile int n = 20;
  __verso_grad_void((void *)of_floats, verso_dup, x, dx, verso_const, n);
  for (int i = 0; i < 63; ++i) {
    float old = x[i];
    x[i] = old + 0.125f;
    float more = of_floats(x, n);
    x[i] = old - 0.125f;
    // A polynomial of the fourth degree, in eighths.
    float less = of_floats(x, n);
    x[i] = old + 0.25f;
    float more2 = of_floats(x, n);
    x[i] = old - 0.25f;
    float less2 = of_floats(x, n);
    x[i] = old;
    CHECK_CLOSE(dx[i], (8 * (more - less) - (more2 - less2)) / 1.5, 1e-4);
  }
  check_skinned(16, 3, -1, 1, 1e-12);
  check_paired(16, 5, -1, 1, 1e-12);
  check_in_memory(16, 7, -1, 1, 1e-12);
  return check_status();
}
