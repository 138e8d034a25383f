//===- copies.c - memory that is copied, moved, set, reallocated --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memcpy, memmove with overlap, memset over live tangents, calloc over memory
// that held tangents before, realloc that moves, aligned_alloc, copies of
// parts and byte by byte, struct assignment.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static void copies(double *x, double *y) {
  double a[8];
  memcpy(a, x, 4 * sizeof *a);
  memcpy(a + 4, x, 4 * sizeof *a);
  memmove(a + 1, a, 6 * sizeof *a);
  a[0] = a[1] * a[2];
  memcpy(y, a + 2, 3 * sizeof *a);
  y[3] = a[0] * a[6];
}
CHECK_NOINLINE static void sets(double *x, double *y) {
  double a[4];
  for (int i = 0; i < 4; ++i)
    a[i] = x[i] * x[i];
  memset(a + 1, 0, 2 * sizeof *a);
  y[0] = a[0] + a[1];
  y[1] = a[2] + 1;
  memset(x, 0, 2 * sizeof *x);
  y[2] = x[0] + x[2];
  y[3] = a[3];
}
CHECK_NOINLINE static void heap(double *x, double *y) {
  for (int round = 0; round < 5; ++round) {
    double *p = malloc(4 * sizeof *p);
    for (int i = 0; i < 4; ++i)
      p[i] = x[i] * (round + 1);
    free(p);
    // Likely the same memory, and zero again.
    double *q = calloc(4, sizeof *q);
    y[0] = q[0] + q[1] + q[2] + q[3];
    q[1] = x[1];
    q = realloc(q, 40000 * sizeof *q);
    q[3] += q[1] * q[2] + x[2];
    q = realloc(q, 4 * sizeof *q);
    y[1] = q[3] + q[1];
    free(q);
    // Uninitialised memory that is set to a constant.
    double *r = aligned_alloc(64, 64);
    r[0] = 1;
    r[1] = r[0] * x[3];
    y[2] = r[0] + r[1];
    free(r);
  }
  y[3] = x[0];
}
CHECK_NOINLINE static void grown(double *x, double *y) {
  static double *kept;
  double *p = malloc(4 * sizeof *p);
  for (int i = 0; i < 4; ++i)
    p[i] = x[i] * x[0];
  p = realloc(p, 40000 * sizeof *p);
  for (int i = 0; i < 4; ++i)
    y[i] = p[i];
  kept = p; // Nobody releases it.
}
CHECK_NOINLINE static void bytes(double *x, double *y) {
  double a[4];
  const unsigned char *from = (const unsigned char *)x;
  volatile unsigned char *to = (volatile unsigned char *)a;
  for (int i = 0; i < 32; ++i)
    to[i] = from[i];
  for (int i = 0; i < 4; ++i)
    y[i] = a[i] * a[(i + 1) % 4];
}
struct point {
  double x;
  int tag;
  double y;
};
CHECK_NOINLINE static void structs(double *x, double *y) {
  struct point p[3] = {{x[0], 1, x[1]}, {x[2], 2, x[3]}};
  p[2] = p[1];
  struct point t = p[0];
  p[0] = p[2];
  p[2] = t;
  t.x *= p[0].y;
  y[0] = t.x;
  y[1] = p[0].x * p[2].tag;
  y[2] = p[2].x + p[2].y;
  y[3] = p[0].tag;
}

int main(void) {
  double x[] = {1, 2, -0.5, 4};
  CHECK_TRANSPOSE(copies, 4, 4, x);
  CHECK_TRANSPOSE(sets, 4, 4, x);
  CHECK_TRANSPOSE(heap, 4, 4, x);
  CHECK_TRANSPOSE(grown, 4, 4, x);
  CHECK_TRANSPOSE(bytes, 4, 4, x);
  CHECK_TRANSPOSE(structs, 4, 4, x);
  return check_status();
}
