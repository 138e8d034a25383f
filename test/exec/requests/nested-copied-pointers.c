//===- nested-copied-pointers.c - pointers out of bytes, differentiated twice =//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse over reverse: the inner function copies a structure as bytes, of which
// the runtime finds out later that they are pointers and numbers. The outer
// request must see where the shadows of these come from.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct {
  double *values;
  double scale;
} Model;

CHECK_NOINLINE static void move_bytes(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}

/// scale * values[0]^3 * values[1]
CHECK_NOINLINE static double inner(Model *m) {
  Model copies[2];
  memcpy(&copies[0], m, sizeof *m);
  move_bytes(&copies[1], &copies[0], sizeof *m);
  double *v = copies[1].values;
  return copies[1].scale * v[0] * v[0] * v[0] * v[1];
}
CHECK_NOINLINE static double inner_by_bytes(Model *m) {
  Model copy;
  move_bytes(&copy, m, sizeof *m);
  double *v = copy.values;
  return copy.scale * v[0] * v[0] * v[0] * v[1];
}

/// d inner / d values[0], d scale
static double slope(Model *m, double by) {
  double d[2] = {0};
  Model dm = {d, 0};
  __verso_grad_void((void *)inner, verso_dup, m, &dm);
  return d[0] * by + dm.scale;
}
static double slope_by_bytes(Model *m, double by) {
  double d[2] = {0};
  Model dm = {d, 0};
  __verso_grad_void((void *)inner_by_bytes, verso_dup, m, &dm);
  return d[0] * by + dm.scale;
}

#define CHECK_SLOPE(function)                                                  \
  do {                                                                         \
    double v[2] = {2, 5}, dv[2] = {0};                                         \
    Model m = {v, 3}, dm = {dv, 0};                                            \
    double by =                                                                \
        __verso_grad((void *)function, verso_dup, &m, &dm, verso_out, 0.5);    \
    CHECK_CLOSE(by, 3 * 3 * 4 * 5, 1e-12);                                     \
    CHECK_CLOSE(dm.scale, 0.5 * 3 * 4 * 5, 1e-12);                             \
    CHECK_CLOSE(dv[0], 0.5 * 6 * 3 * 2 * 5 + 3 * 4 * 5, 1e-12);                \
    CHECK_CLOSE(dv[1], 0.5 * 3 * 3 * 4 + 8, 1e-12);                            \
  } while (0)

/// slope = by * 3 s a^2 b + a^3 b
int main(void) {
  CHECK_SLOPE(slope);
  CHECK_SLOPE(slope_by_bytes);
  return check_status();
}
