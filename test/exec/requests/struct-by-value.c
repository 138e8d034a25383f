//===- struct-by-value.c - structs as arguments and derivatives -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs of numbers given by value, as the ABI lowers them: a pair of doubles
// in two registers, floats packed into vectors, five doubles in memory. The
// derivative is the same struct.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct pair {
  double x, y;
};
struct floats2 {
  float x, y;
};
struct floats3 {
  float x, y, z;
};
struct big {
  double a[5];
};
struct pair __verso_grad_pair(void *, ...);
struct floats2 __verso_grad_floats2(void *, ...);
struct floats3 __verso_grad_floats3(void *, ...);
struct big __verso_grad_big(void *, ...);

static double of_pair(struct pair p) { return p.x * p.x * p.y; }
static float of_floats2(struct floats2 p) { return p.x * p.x * p.y; }
static float of_floats3(struct floats3 p) { return p.x * p.y + p.z * p.z; }
static double of_big(struct big b) {
  double sum = 0;
  for (int i = 0; i < 5; ++i)
    sum += (i + 1) * b.a[i] * b.a[i];
  return sum;
}

int main(void) {
  struct pair p = {3, 5};
  struct pair dp = __verso_grad_pair(of_pair, p);
  CHECK_EQUAL(dp.x, 30);
  CHECK_EQUAL(dp.y, 9);
  struct floats2 q = {3, 5};
  struct floats2 dq = __verso_grad_floats2(of_floats2, q);
  CHECK_EQUAL(dq.x, 30);
  CHECK_EQUAL(dq.y, 9);
  struct floats3 r = {2, 3, 4};
  struct floats3 dr = __verso_grad_floats3(of_floats3, r);
  CHECK_EQUAL(dr.x, 3);
  CHECK_EQUAL(dr.y, 2);
  CHECK_EQUAL(dr.z, 8);
  struct big b = {{1, 2, 3, 4, 5}};
  struct big db = __verso_grad_big(of_big, b);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(db.a[i], 2 * (i + 1) * b.a[i]);
  return check_status();
}
