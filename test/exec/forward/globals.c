//===- globals.c - globals and thread-locals ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers, arrays and structures in globals, thread-locals and function
// statics. Between requests their tangents are zero again, whatever the
// request before wrote.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

static double g, table[4];
static _Thread_local double local[2];
static struct {
  float f;
  long double l;
  double *p;
} record;
CHECK_NOINLINE static double counter(double x) {
  static double sum;
  sum += x;
  return sum;
}
CHECK_NOINLINE static void write_all(double x) {
  g = x * x;
  for (int i = 0; i < 4; ++i)
    table[i] = g * i;
  local[1] = x;
  record.f = (float)(2 * x);
  record.l = 3 * x;
}
CHECK_NOINLINE static double read_all(double x) {
  return (g + table[2] + local[1] + record.f + (double)record.l) * x;
}
static double both(double x) {
  write_all(x);
  return read_all(1) + counter(x);
}
static double scaled_table(double x) {
  for (int i = 0; i < 4; ++i)
    table[i] *= x;
  return table[1];
}

static double first_two(double *p);

int main(void) {
  // Nothing but x varies: globals hold constants at the start.
  for (int i = 0; i < 5; ++i) {
    CHECK_CLOSE(__verso_jvp(both, verso_dup, 2.0, 1.0), 3 * 4 + 1 + 2 + 3 + 1,
                1e-15);
    CHECK_CLOSE(__verso_jvp(read_all, verso_dup, 5.0, 1.0), read_all(1), 1e-15);
    CHECK_EQUAL(__verso_jvp(counter, verso_dup, 1.0, 0.25), 0.25);
    table[1] = 3;
    CHECK_EQUAL(__verso_jvp(scaled_table, verso_dup, 2.0, 1.0), 3);
    CHECK_EQUAL(__verso_jvp(scaled_table, verso_dup, 2.0, 1.0), 6);
  }
  return check_status();
}
// Reads the global through its name and through the pointer: one memory, one
// tangent.
static double first_two(double *p) { return p[1] * p[1] + p[0] * table[1]; }
