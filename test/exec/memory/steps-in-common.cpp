//===- steps-in-common.cpp - strides that share a divisor -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers at 8 + 88 * i + 40 * j are at multiples of 8, but not at each of them:
// what is moved there may be two floats (they were added as one double, or a
// double as two floats, without a word). The tape sees what is accessed.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

int At[4] = {0, 1, 2, 3};

// Records in records, which a function takes and returns by value.
struct Inner {
  float m;
};
struct Record {
  double d[4];
  float a;
  Inner b;
};
struct Outer {
  double head;
  Record r[2];
};
static Record pass(Record x) { return x; }
CHECK_NOINLINE static double records(Outer *w) {
  w[At[0]].r[1] = pass(w[At[0]].r[0]);
  return 2 * w[At[0]].r[At[0]].d[0] * w[At[0]].r[At[0]].d[1];
}

// Floats beside a double that is moved as an integer.
struct Mixed {
  double u[2];
  float f[4];
  double v;
  float g[3];
};
CHECK_NOINLINE static double moved(Mixed *w) {
  double y = 1.5 * w[At[1]].f[1] * w[0].g[0];
  memcpy(&w[At[0]].u[At[1]], &w[At[0]].u[0], 8);
  return y;
}

// A union of which nobody reads the float, beside a double that is set.
union Bits {
  float f;
  uint64_t n;
};
struct Tagged {
  Bits bits;
  bool is;
};
struct Holder {
  double x;
  float y;
  Bits bits;
  Tagged tagged;
  uint64_t rest[3];
};
struct All {
  Tagged t[4];
  Holder h[4];
};
CHECK_NOINLINE static double chosen(All *w) {
  w[At[0]].h[At[2]].x = 1.5;
  w[0].h[At[3]].bits = w[0].t[At[1]].bits;
  return 0;
}

// Floats of two rows, from any of them.
struct Row {
  float q[2][2];
  double s;
};
struct Rows {
  Row row[3];
  double d[4];
};
CHECK_NOINLINE static double rows(Rows *w) {
  w[At[0]].d[2] = w[At[0]].d[1];
  memmove(&w[0].row[0], &w[0].row[1].q[At[0]][0], sizeof(Row));
  return 0;
}

static void check_records() {
  static Outer w[1], d[1];
  for (int k = 0; k < 4; k++)
    w[0].r[0].d[k] = 2 + k, d[0].r[1].d[k] = 1;
  w[0].r[0].a = 3, w[0].r[0].b.m = 4;
  d[0].r[1].a = 0.7f, d[0].r[1].b.m = 0.9f;
  __verso_vjp_void((void *)records, verso_dup, w, d, 1.0);
  CHECK_CLOSE(d[0].r[0].a, 0.7, 1e-6);
  CHECK_CLOSE(d[0].r[0].b.m, 0.9, 1e-6);
  CHECK_CLOSE(d[0].r[0].d[0], 7, 1e-12);
  CHECK_CLOSE(d[0].r[0].d[1], 5, 1e-12);
  CHECK_CLOSE(d[0].r[0].d[2], 1, 1e-12);
  CHECK_CLOSE(d[0].r[1].a, 0, 0);
}

static void check_moved() {
  static Mixed w[2], d[2];
  w[0].u[0] = 1.1, w[0].u[1] = 1.2, w[1].f[1] = 3, w[0].g[0] = 2;
  d[0].u[0] = 0.25, d[0].u[1] = 0.7558693;
  __verso_vjp_void((void *)moved, verso_dup, w, d, 1.0);
  CHECK_CLOSE(d[0].u[0], 1.0058693, 1e-12);
  CHECK_CLOSE(d[0].u[1], 0, 0);
  CHECK_CLOSE(d[1].f[1], 3, 1e-6);
  CHECK_CLOSE(d[0].g[0], 4.5, 1e-6);
}

static void check_chosen() {
  static All w[1], d[1];
  w[0].t[1].bits.f = 2.5f;
  d[0].h[3].bits.f = 0.3f, d[0].h[2].x = 5;
  __verso_vjp_void((void *)chosen, verso_dup, w, d, 1.0);
  CHECK_CLOSE(d[0].t[1].bits.f, 0.3, 1e-6);
  CHECK_CLOSE(d[0].h[3].bits.f, 0, 0);
  CHECK_CLOSE(d[0].h[2].x, 0, 0);
}

static void check_rows() {
  static Rows w[1], d[1];
  w[0].d[1] = 2;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      w[0].row[1].q[i][k] = 1.5f + i + k, d[0].row[0].q[i][k] = 0.3f + i + k;
  d[0].row[0].s = 0.25, d[0].d[2] = 4;
  __verso_vjp_void((void *)rows, verso_dup, w, d, 1.0);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      CHECK_CLOSE(d[0].row[1].q[i][k], 0.3 + i + k, 1e-6);
  CHECK_CLOSE(d[0].row[1].s, 0.25, 0);
  CHECK_CLOSE(d[0].d[1], 4, 0);
}

int main() {
  check_records();
  check_moved();
  check_chosen();
  check_rows();
  return check_status();
}
