//===- numbers-in-integers.c - members that hold a number's bits ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of a number are kept in an integer member, structures are assigned,
// and the member is read as a number: a declaration as an integer is no proof
// (it was, from -O1 on, and the derivative was zero).
//
// UNCHECKED: the check seeds integers beside them, which nobody adds
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>

struct Long {
  int k;
  long bits;
  double v;
};
struct Int {
  int bits;
  int k;
  float g;
};

static double number(const long *bits) {
  double x;
  memcpy(&x, bits, sizeof x);
  return x;
}
static float small(const int *bits) {
  float x;
  memcpy(&x, bits, sizeof x);
  return x;
}

static void longs(struct Long *p, double *y) {
  p[0] = p[1];
  y[0] = number(&p[0].bits) * p[0].v;
  p[2] = p[1];
}
static void ints(struct Int *p, double *y) {
  p[0] = p[1];
  y[0] = small(&p[0].bits) * p[0].g;
  p[2] = p[1];
}

int main(void) {
  double y = 0, dy = 1;
  struct Long p[3] = {{0}}, d[3] = {{0}};
  struct Int q[3] = {{0}}, e[3] = {{0}};
  for (int i = 0; i < 3; i++) {
    double x = 5 + i;
    float s = 5 + i;
    memcpy(&p[i].bits, &x, sizeof x);
    memcpy(&q[i].bits, &s, sizeof s);
    p[i].v = q[i].g = i + 1;
    p[i].k = q[i].k = -1 - i;
  }
  __verso_vjp_void((void *)longs, verso_dup, p, d, verso_dup, &y, &dy);
  CHECK_CLOSE(number(&d[1].bits), 2, 0);
  CHECK_CLOSE(d[1].v, 6, 0);
  dy = 1;
  __verso_vjp_void((void *)ints, verso_dup, q, e, verso_dup, &y, &dy);
  CHECK_CLOSE(small(&e[1].bits), 2, 0);
  CHECK_CLOSE(e[1].g, 6, 0);
  return check_status();
}
