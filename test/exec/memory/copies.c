//===- copies.c - memcpy, memmove and memset ------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives move with the bytes: copies of arrays and of structs, overlapping
// moves in both directions, copies of a length known only at run time, and
// memset, which makes a constant.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct body {
  double position[3], velocity[3];
  int id;
};

CHECK_NOINLINE static double shuffle(const double *x, int n, size_t bytes) {
  double a[16], b[16];
  memcpy(a, x, bytes);
  memmove(a + 1, a, bytes - sizeof(double)); // Upwards: a[0] twice.
  memcpy(b, a, bytes);
  memmove(b, b + 2, bytes - 2 * sizeof(double)); // Downwards.
  memset(b + n - 1, 0, sizeof(double));
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * b[i] * b[i];
  return sum;
}
CHECK_NOINLINE static struct body advance(struct body b, double dt) {
  for (int i = 0; i < 3; ++i)
    b.position[i] += dt * b.velocity[i];
  return b;
}
CHECK_NOINLINE static double flight(const double *x) {
  struct body bodies[3];
  memset(bodies, 0, sizeof bodies);
  for (int i = 0; i < 3; ++i)
    bodies[0].velocity[i] = x[i];
  for (int i = 1; i < 3; ++i) {
    bodies[i] = bodies[i - 1];
    bodies[i] = advance(bodies[i], x[3]);
  }
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += (i + 1) * bodies[2].position[i];
  return sum;
}
static double shuffle_6(double *x) { return shuffle(x, 6, 6 * sizeof *x); }
static double flight_of(double *x) { return flight(x); }

int main(void) {
  double x[] = {1, 2, 3, 4, 5, 6}, dx[6] = {0};
  __verso_grad_void(shuffle, verso_dup, x, dx, 6, 6 * sizeof *x);
  CHECK_GRADIENT(shuffle_6, 6, x, dx, 1e-9);
  double v[] = {3, 5, 7, 0.5}, dv[4] = {0};
  __verso_grad_void(flight, verso_dup, v, dv);
  CHECK_GRADIENT(flight_of, 4, v, dv, 1e-9);
  return check_status();
}
