//===- moved-records.cpp - records with pointers that move in one array ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memmove within an array of records, and of pointers that are used by pairs,
// up and down: what one pointer overwrites is another that is to be moved.
// Their shadows go along in the order of memory. Compared with forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

extern "C" double __verso_jvp(void *, ...);

constexpr int N = 16;

struct Record {
  double *a;
  int count;
  double v;
  double *b;
};

/// All in one piece, so that the places of pointers are constants.
CHECK_NOINLINE static double constant(const double *x, int) {
  struct {
    double a;
    double *p;
  } q[6];
  double y[6];
  for (int i = 0; i < 6; ++i) {
    q[i] = {x[i], y + i};
    y[i] = x[i];
  }
  memmove(q + 2, q, 3 * sizeof(q[0]));
  double sum = 0;
  for (auto &e : q)
    sum += e.p[0] * e.p[0];
  return sum;
}

CHECK_NOINLINE static double records(const double *x, int n) {
  Record q[8];
  double y[N];
  for (int i = 0; i < 8; ++i) {
    q[i] = {y + i, i, x[i], y + N - 1 - i};
    y[i] = x[i];
    y[i + 8] = x[i + 8];
  }
  for (int t = 0; t < n % 4; ++t) {
    memmove(q + 2, q + t, 5 * sizeof(Record));
    memmove(q, q + 1, n % 6 * sizeof(Record));
    for (Record &e : q) {
      e.a[0] = sin(e.a[0] * e.b[0] + e.v);
      e.v += e.b[0];
    }
  }
  double sum = 0;
  for (Record &e : q)
    sum += *e.a * *e.b * (e.count + 1) + e.v;
  return sum;
}

CHECK_NOINLINE static double pairs(const double *x, int n) {
  double *t[12], y[12], sum = 0;
  for (int i = 0; i < 12; ++i) {
    t[i] = y + i * 5 % 12;
    y[i] = x[i];
  }
  for (int k = 0; k < n; ++k) {
    memmove(t + 1, t, n % 11 * sizeof(double *));
    for (int i = 0; i < 6; ++i)
      *t[2 * i] = sin(*t[2 * i] + *t[2 * i + 1] * x[k]);
    memmove(t, t + 3, 9 * sizeof(double *));
    sum += *t[2 * (k % 6)];
  }
  return sum;
}

template <double F(const double *, int)> static void check(int n) {
  double x[N], dx[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = sin(1.7 * i + 0.3) + 0.1 * n;
  __verso_grad((void *)F, verso_dup, x, dx, verso_const, n);
  for (int i = 0; i < N; ++i) {
    double t[N] = {0};
    t[i] = 1;
    CHECK_CLOSE(dx[i], __verso_jvp((void *)F, verso_dup, x, t, verso_const, n),
                1e-12);
  }
}

int main() {
  check<constant>(0);
  for (int n = 0; n < 8; ++n) {
    check<records>(n);
    check<pairs>(n);
  }
  return check_status();
}
