//===- moved-members.c - doubles that files with unions move as bytes -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a union may be moved, a double that was copied and then read is handed
// on by halves. In a kept linear map the second half is no input by itself, but
// it is moved as well.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>

typedef struct verso_tape verso_tape;
verso_tape *__verso_linearize(void *, ...);
void verso_pushforward(verso_tape *, const double *, double *);
void verso_pullback(verso_tape *, const double *, double *);
void verso_tape_free(verso_tape *);

typedef struct {
  int tag;
  union {
    double d;
    float f;
  };
} Value;

CHECK_NOINLINE static double get(Value v) { return v.tag ? v.f : v.d; }
CHECK_NOINLINE static double moved(double *x, double *y, Value *u, double a) {
  memcpy(y, x, 2 * sizeof *y);
  u[1] = u[0];
  return get(u[1]) * a + y[0] * a;
}

int main(void) {
  double x[2] = {1.5, 2.5}, y[2] = {0}, dx[2] = {0}, dy[2] = {0};
  Value u[2] = {{0, {1.25}}, {0, {0}}}, du[2];
  memset(du, 0, sizeof du);
  verso_tape *map =
      __verso_linearize((void *)moved, verso_dup, (double *)x, (double *)dx,
                        verso_dup, (double *)y, (double *)dy, verso_dup,
                        (Value *)u, (Value *)du, verso_out, 2.0);
  double one = 1, result;
  dx[0] = 0.3, dx[1] = 0.7, du[0].d = 0.9;
  verso_pushforward(map, &one, &result);
  CHECK_CLOSE(result, 2 * 0.9 + 1.25 + 2 * 0.3 + 1.5, 1e-15);
  CHECK_EQUAL(dy[0], 0.3);
  CHECK_EQUAL(dy[1], 0.7);
  CHECK_EQUAL(du[0].d, 0.9);
  CHECK_EQUAL(du[1].d, 0.9);

  for (int seeded = 0; seeded < 2; ++seeded) {
    dx[0] = dx[1] = du[0].d = 0;
    dy[0] = seeded, dy[1] = 10 * seeded, du[1].d = 100 * seeded;
    verso_pullback(map, &one, &result);
    CHECK_EQUAL(result, 2.75);
    CHECK_EQUAL(dx[0], 2 + seeded);
    CHECK_EQUAL(dx[1], 10 * seeded);
    CHECK_EQUAL(du[0].d, 2 + 100 * seeded);
    CHECK_EQUAL(dy[0], 0);
    CHECK_EQUAL(dy[1], 0);
    CHECK_EQUAL(du[1].d, 0);
  }
  verso_tape_free(map);
  return check_status();
}
