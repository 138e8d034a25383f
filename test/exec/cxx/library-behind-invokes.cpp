//===- library-behind-invokes.cpp - where an object is alive --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While an object with a destructor is alive, whatever may throw is invoked. A
// comparator may, so that qsort is, and what moves the elements in it; and so
// is what the program declares without "noexcept".
//
// FLAGS: -fno-builtin
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "verso/verso.h"

extern "C" {
void *copyBytes(void *, const void *, size_t) __asm__("memcpy");
void *moveBytes(void *, const void *, size_t) __asm__("memmove");
void *setBytes(void *, int, size_t) __asm__("memset");
}

namespace {
struct Guard {
  int *Count;
  ~Guard() { ++*Count; }
};
} // namespace

static int ended;

static int increasing(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

CHECK_NOINLINE static double sorted(const double *x) {
  Guard guard{&ended};
  double a[4];
  for (int i = 0; i < 4; ++i)
    a[i] = x[i];
  qsort(a, 4, sizeof(double), increasing);
  double s = 0;
  for (int i = 0; i < 4; ++i)
    s += i * a[i] * a[i];
  return s;
}

CHECK_NOINLINE static double sortedPointers(const double *x) {
  Guard guard{&ended};
  double a[4];
  double *p[4];
  for (int i = 0; i < 4; ++i) {
    a[i] = x[i];
    p[i] = &a[i];
  }
  qsort(p, 4, sizeof(double *), [](const void *a, const void *b) {
    return increasing(*(double *const *)a, *(double *const *)b);
  });
  double s = 0;
  for (int i = 0; i < 4; ++i)
    s += i * *p[i] * *p[i];
  return s;
}

/// The comparator throws at the first of two that are equal.
CHECK_NOINLINE static double sortedOrThrown(const double *x, double scale) {
  Guard guard{&ended};
  double a[4];
  for (int i = 0; i < 4; ++i)
    a[i] = scale * x[i];
  a[1] = a[0];
  try {
    qsort(a, 4, sizeof(double), [](const void *a, const void *b) {
      double d = *(const double *)a - *(const double *)b;
      if (d == 0)
        throw *(const double *)a;
      return d < 0 ? -1 : 1;
    });
  } catch (double equal) {
    return equal * equal;
  }
  return a[3];
}

CHECK_NOINLINE static double moved(const double *x) {
  Guard guard{&ended};
  double a[4], b[4];
  copyBytes(a, x, sizeof(a));
  moveBytes(b, a, sizeof(b));
  setBytes(b, 0, sizeof(double));
  double s = 0;
  for (int i = 0; i < 4; ++i)
    s += i * b[i] * b[i] + a[i];
  return s;
}

static void check(double (*f)(const double *), const double *expected) {
  static const double x[4] = {3, 1, 2, 0.5};
  for (int i = 0; i < 4; ++i) {
    double t[4] = {0};
    t[i] = 1;
    CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, t), expected[i], 1e-14);
  }
}

int main() {
  static const double x[4] = {3, 1, 2, 0.5};
  const double ofSorted[4] = {18, 2, 8, 0}, ofMoved[4] = {1, 3, 9, 4};
  double dx[4] = {0};
  __verso_grad_void((void *)sorted, verso_dup, x, dx);
  double dp[4] = {0};
  __verso_grad_void((void *)sortedPointers, verso_dup, x, dp);
  double dm[4] = {0};
  __verso_grad_void((void *)moved, verso_dup, x, dm);
  double dt[4] = {0};
  double scale = 2;
  __verso_grad_void((void *)sortedOrThrown, verso_dup, x, dt, verso_const,
                    scale);
  for (int i = 0; i < 4; ++i) {
    CHECK_CLOSE(dx[i], ofSorted[i], 1e-14);
    CHECK_CLOSE(dp[i], ofSorted[i], 1e-14);
    CHECK_CLOSE(dm[i], ofMoved[i], 1e-14);
    CHECK_CLOSE(dt[i], i ? 0 : 2 * 4 * x[0], 1e-14);
  }
  check(sorted, ofSorted);
  check(sortedPointers, ofSorted);
  check(moved, ofMoved);
  CHECK_EQUAL(ended > 0, true);
  return check_status();
}
