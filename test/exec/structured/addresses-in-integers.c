//===- addresses-in-integers.c - pointers that go through integers --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tagged pointers, links that are integers, addresses that are stored as
// integers and copied byte by byte. Structured code has to know which memory
// is meant, and leave the function to the tape where it has no shadow.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <stdint.h>

enum { N = 6 };

/// An address with a tag that nobody sees through.
CHECK_NOINLINE static double tagged(double *x, int n) {
  double w[8], s = 0;
  for (int i = 0; i < n; i++)
    w[i] = x[i] * 2;
  volatile uintptr_t tag = 1;
  uintptr_t u = (uintptr_t)&w[n / 2] | tag;
  double *p = (double *)(u & ~(uintptr_t)1);
  for (int i = 0; i < n; i++)
    s += w[i] * w[i];
  *p = 3.0;
  for (int i = 0; i < n; i++)
    s += w[i] * w[i] * w[i];
  return s;
}

CHECK_NOINLINE static double slots(double *x, int n) {
  uintptr_t slot[8];
  double s = 0;
  for (int i = 0; i < n; i++)
    slot[i] = (uintptr_t)(x + i);
  for (int i = 0; i < n; i++) {
    double *p;
    memcpy(&p, &slot[(i * 5) % n], sizeof p);
    s += *p * *p * (i + 1);
  }
  return s;
}

union address {
  uintptr_t u;
  double *p;
};

CHECK_NOINLINE static double unions(double *x, int n) {
  union address *a = malloc(n * sizeof *a);
  double s = 0;
  for (int i = 0; i < n; i++)
    a[i].u = (uintptr_t)(x + i);
  for (int i = 0; i < n; i++)
    s += *a[n - 1 - i].p * *a[i].p * (i + 1);
  free(a);
  return s;
}

CHECK_NOINLINE static double bytes(double *x, int n) {
  double *a[8], *b[8], s = 0;
  for (int i = 0; i < n; i++)
    a[i] = x + i;
  for (int i = 0; i < n; i++)
    b[i] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < (int)sizeof *a; j++)
      ((char *)&b[n - 1 - i])[j] = ((char *)&a[i])[j];
  for (int i = 0; i < n; i++)
    s += *b[i] * *b[i] * (i + 1);
  return s;
}

struct node {
  double v;
  uintptr_t link; ///< Odd: an address and one.
};

CHECK_NOINLINE static double links(double *x, int n) {
  struct node *nodes = malloc(n * sizeof *nodes);
  double s = 0;
  for (int i = 0; i < n; i++) {
    nodes[i].v = x[i];
    nodes[i].link = (uintptr_t)(i + 1 < n ? &nodes[i + 1] : 0) | 1;
  }
  for (int i = 0; i < n; i++)
    s += nodes[i].v * nodes[i].v;
  int k = 0;
  for (struct node *q = nodes; q;
       q = (struct node *)(q->link & ~(uintptr_t)1), ++k)
    if (k % 2)
      q->v = 1.5;
  for (int i = 0; i < n; i++)
    s += nodes[i].v * nodes[i].v * nodes[i].v;
  free(nodes);
  return s;
}

typedef double function(double *, int);

static void compare(function *volatile f, const double *dot) {
  double x[N];
  for (int i = 0; i < N; i++)
    x[i] = 0.7 + 0.13 * i;
  for (int i = 0; i < N; i++) {
    double old = x[i], h = 1e-4, d[2];
    for (int k = 0; k < 2; k++) {
      x[i] = old + h / (k + 1);
      double up = f(x, N);
      x[i] = old - h / (k + 1);
      d[k] = (up - f(x, N)) / (2 * h / (k + 1));
    }
    x[i] = old;
    CHECK_CLOSE(dot[i], (4 * d[1] - d[0]) / 3, 1e-7);
  }
}

#define COMPARE(f)                                                             \
  do {                                                                         \
    double x[N], dot[N] = {0};                                                 \
    for (int i = 0; i < N; i++)                                                \
      x[i] = 0.7 + 0.13 * i;                                                   \
    __verso_grad_void((void *)f, verso_dup, x, dot, verso_const, N);           \
    compare(f, dot);                                                           \
  } while (0)

int main(void) {
  COMPARE(tagged);
  COMPARE(slots);
  COMPARE(unions);
  COMPARE(bytes);
  COMPARE(links);
  return check_status();
}
