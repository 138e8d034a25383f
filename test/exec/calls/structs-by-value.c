//===- structs-by-value.c - structs passed and returned inside ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs given to and returned from functions in every way of the ABI: in two
// registers, packed floats, a float and an integer in one integer register, in
// memory (byval, sret), nested, and with an array.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct complex_number {
  double re, im;
};
struct pair_of_floats {
  float a, b;
};
struct tagged {
  float value;
  int tag;
};
struct nested {
  struct complex_number z[2];
  struct tagged t;
};

CHECK_NOINLINE static struct complex_number multiply(struct complex_number a,
                                                     struct complex_number b) {
  return (struct complex_number){a.re * b.re - a.im * b.im,
                                 a.re * b.im + a.im * b.re};
}
CHECK_NOINLINE static struct pair_of_floats swap(struct pair_of_floats p) {
  return (struct pair_of_floats){p.b * 2, p.a * 3};
}
CHECK_NOINLINE static struct tagged bump(struct tagged t) {
  return (struct tagged){t.value * t.value, t.tag + 1};
}
CHECK_NOINLINE static struct nested update(struct nested n, double x) {
  n.z[0] = multiply(n.z[0], n.z[1]);
  n.z[1].re += x;
  n.t = bump(n.t);
  return n;
}
CHECK_NOINLINE static double run(double x, double y) {
  struct nested n = {{{x, y}, {y, 1}}, {(float)x, 7}};
  for (int i = 0; i < 3; ++i)
    n = update(n, x * y);
  struct pair_of_floats p = swap((struct pair_of_floats){(float)y, 0.5f});
  return n.z[0].re * n.z[1].re + n.z[0].im + n.t.value * (n.t.tag - 9) +
         p.a * p.b;
}
/// The same in doubles without structs.
static double reference(double *v) {
  double x = v[0], y = v[1], a = x, b = y, c = y, d = 1, t = x;
  for (int i = 0; i < 3; ++i) {
    double re = a * c - b * d, im = a * d + b * c;
    a = re, b = im, c += x * y, t *= t;
  }
  return a * c + b + t + 0.5 * 2 * y * 3;
}
struct two {
  double x, y;
};
struct two __verso_grad_two(void *, ...);

int main(void) {
  // A quarter of an integer, so that the floats inside are exact.
  double v[] = {0.75, 1.25};
  struct two g = __verso_grad_two(run, v[0], v[1]);
  double gradient[] = {g.x, g.y};
  CHECK_CLOSE(run(v[0], v[1]), reference(v), 1e-6);
  CHECK_GRADIENT(reference, 2, v, gradient, 1e-6);
  return check_status();
}
