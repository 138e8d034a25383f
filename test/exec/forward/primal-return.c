//===- primal-return.c - the value beside the tangents ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enzyme's marker enzyme_primal_return with our entry point and theirs: for
// structures, for a function that returns a pointer or an integer, and
// together with verso_width.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

extern int enzyme_primal_return;
struct two {
  double x, y;
};
struct twos {
  struct two value, tangent;
};
struct floats {
  float value, tangent;
};
struct value_and_tangents {
  double value, tangents[3];
};
struct twos __verso_jvp_twos(void *, ...);
struct floats __verso_jvp_floats(void *, ...);
struct value_and_tangents __verso_jvp_three(void *, ...);

CHECK_NOINLINE static struct two polar(double r, double a) {
  struct two p = {r * cos(a), r * sin(a)};
  return p;
}
static float square(float x) { return x * x; }
static double cube(double x) { return x * x * x; }

int main(void) {
  struct twos t = __verso_jvp_twos(polar, enzyme_primal_return, verso_dup, 2.0,
                                   1.0, verso_dup, 0.5, 0.25);
  CHECK_EQUAL(t.value.x, 2 * cos(0.5));
  CHECK_EQUAL(t.value.y, 2 * sin(0.5));
  CHECK_CLOSE(t.tangent.x, cos(0.5) - 2 * sin(0.5) * 0.25, 1e-15);
  CHECK_CLOSE(t.tangent.y, sin(0.5) + 2 * cos(0.5) * 0.25, 1e-15);
  struct floats f =
      __verso_jvp_floats(square, enzyme_primal_return, verso_dup, 3.0f, 0.5f);
  CHECK_EQUAL(f.value, 9);
  CHECK_EQUAL(f.tangent, 3);
  struct value_and_tangents v =
      __verso_jvp_three(cube, enzyme_primal_return, verso_width, 3, verso_dup,
                        2.0, 1.0, 2.0, 3.0);
  CHECK_EQUAL(v.value, 8);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(v.tangents[i], 12 * (i + 1));
  return check_status();
}
