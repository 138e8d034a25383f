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
struct Several {
  float a;
  bool p, q;
  float b;
  bool s;
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

CHECK_NOINLINE static Several several(Several t, float w) {
  t.p = !t.q;
  t.q ^= t.s;
  t.s = !t.p | t.q;
  t.a *= t.p ? w : t.b;
  t.b += t.q ? t.a : w;
  return t;
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

CHECK_NOINLINE static double severals(const double *x) {
  Several t = {1.5f, true, false, (float)x[0], true};
  t = several(several(t, (float)x[1]), 3);
  return (t.p ? 2 : 1) * t.a + t.b;
}

template <double (*F)(const double *)> static void check(void) {
  double x[2] = {0.75, 1.5}, g[2] = {0, 0};
  __verso_grad_void((void *)F, verso_dup, x, g);
  for (int i = 0; i < 2; ++i) {
    // All are at most quadratic, and the steps are exact in float.
    double t[2] = {double(i == 0), double(i == 1)}, y[2];
    for (int side = 0; side < 2; ++side) {
      double z[2] = {x[0], x[1]};
      z[i] += side ? 0.0625 : -0.0625;
      y[side] = F(z);
    }
    CHECK_CLOSE(g[i], (y[1] - y[0]) / 0.125, 1e-5);
    CHECK_CLOSE(__verso_jvp((void *)F, verso_dup, x, t), g[i], 1e-6);
  }
}

int main(void) {
  check<flags>();
  check<bitFields>();
  check<bytes>();
  check<severals>();
  return check_status();
}
