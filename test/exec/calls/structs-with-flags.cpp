//===- structs-with-flags.cpp - numbers beside integers in registers ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float and an integer share the register in which a struct is passed. What
// changes the integer in its bits leaves the float and its derivative alone.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

extern "C" double __verso_jvp(void *, ...);

struct Flag {
  bool set;
  float x;
};
struct Fields {
  int a : 5;
  int b : 7;
  float x;
};
struct Behind {
  float x;
  unsigned char kind, count;
};

CHECK_NOINLINE static Flag flag(Flag s, float w) {
  s.x *= s.set ? w : 1;
  s.set = !s.set;
  return s;
}
CHECK_NOINLINE static Fields fields(Fields s, float w) {
  s.x *= w * s.a;
  s.b++;
  s.a--;
  return s;
}
CHECK_NOINLINE static Behind behind(Behind s, float w) {
  s.x *= w * s.count;
  s.kind ^= 5;
  s.count += 3;
  return s;
}

CHECK_NOINLINE static double flags(const double *x) {
  Flag s = {true, (float)x[0]};
  s = flag(flag(s, (float)x[1]), 3);
  return (s.set ? 2 : 1) * s.x;
}
CHECK_NOINLINE static double bitFields(const double *x) {
  Fields s = Fields();
  s.a = 3, s.b = 4, s.x = (float)x[0];
  s = fields(fields(s, (float)x[1]), 3);
  return s.x * s.b;
}
CHECK_NOINLINE static double bytes(const double *x) {
  Behind s = {(float)x[0], 4, 2};
  s = behind(behind(s, (float)x[1]), 3);
  return s.x * s.kind + s.count;
}

template <double (*F)(const double *)> static void check(double factor) {
  double x[2] = {0.75, 1.5}, g[2] = {0, 0};
  __verso_grad_void((void *)F, verso_dup, x, g);
  for (int i = 0; i < 2; ++i) {
    double t[2] = {double(i == 0), double(i == 1)};
    CHECK_CLOSE(g[i], factor * x[1 - i], 1e-6);
    CHECK_CLOSE(__verso_jvp((void *)F, verso_dup, x, t), g[i], 1e-6);
  }
}

int main(void) {
  check<flags>(2);
  check<bitFields>(3 * 3 * 2 * 6);
  check<bytes>(2 * 3 * 5 * 4);
  return check_status();
}
