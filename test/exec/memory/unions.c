//===- unions.c - one cell, several types ---------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A union of a double and an integer, of two floats and a double, and a union
// that holds numbers of different types at different times.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

union number {
  double d;
  long long i;
  float f[2];
};

CHECK_NOINLINE static double as_double(double x) {
  union number u, v;
  u.d = x * x;
  v.i = u.i;
  return v.d * x;
}
CHECK_NOINLINE static double as_floats(double x) {
  union number u, v;
  u.f[0] = (float)x;
  u.f[1] = (float)(x * 2);
  v.d = u.d; // Carries two floats.
  return v.f[0] * v.f[1];
}
CHECK_NOINLINE static double in_turn(const int *kind, int n, double x) {
  union number u = {0};
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    switch (kind[i]) {
    case 0:
      u.d = x * (i + 1);
      break;
    case 1:
      u.i = i;
      break;
    case 2:
      u.f[0] = (float)x;
      break;
    }
    sum += kind[i] == 0   ? u.d * u.d
           : kind[i] == 1 ? (double)u.i * x
                          : u.f[0] * u.f[0];
  }
  return sum;
}

int main(void) {
  CHECK_EQUAL(__verso_grad(as_double, 3.0), 27);
  CHECK_EQUAL(__verso_grad(as_floats, 3.0), 12);
  const int kind[] = {0, 1, 2, 0};
  CHECK_EQUAL(__verso_grad(in_turn, verso_const, kind, 4, 3.0),
              2 * 3 + 1 + 2 * 3 + 2 * 16 * 3);
  return check_status();
}
