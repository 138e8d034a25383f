//===- structs-by-value.c - structures and complex numbers by value -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments and results in every form that the x86-64 ABI has for them: in
// registers (SSE, INTEGER, mixed, packed floats), in memory, and through a
// hidden pointer; as varying arguments of the request itself and of calls
// below it.
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <complex.h>

struct two {
  double x, y;
};
struct one {
  double x;
};
struct floats {
  float x, y;
};
struct three_floats {
  float x, y, z;
};
struct mixed {
  double x;
  long n;
};
struct int_float {
  int n;
  float x;
};
struct big {
  double v[5];
  int n;
};
struct nested {
  struct two p;
  struct floats q;
};
typedef double vec4 __attribute__((vector_size(32)));
typedef float vec2f __attribute__((vector_size(8)));

struct two __verso_jvp_two(void *, ...);
struct one __verso_jvp_one(void *, ...);
struct floats __verso_jvp_floats(void *, ...);
struct three_floats __verso_jvp_three_floats(void *, ...);
struct big __verso_jvp_big(void *, ...);
double _Complex __verso_jvp_complex(void *, ...);
float _Complex __verso_jvp_complex_float(void *, ...);
vec2f __verso_jvp_vec2f(void *, ...);

CHECK_NOINLINE static struct two rotate(struct two p, double a) {
  struct two r = {p.x * cos(a) - p.y * sin(a), p.x * sin(a) + p.y * cos(a)};
  return r;
}
CHECK_NOINLINE static struct one square(struct one p) {
  struct one r = {p.x * p.x};
  return r;
}
CHECK_NOINLINE static struct floats swap(struct floats p) {
  struct floats r = {p.y * 2, p.x * p.x};
  return r;
}
CHECK_NOINLINE static struct three_floats cross(struct three_floats a,
                                                struct three_floats b) {
  struct three_floats r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
                           a.x * b.y - a.y * b.x};
  return r;
}
CHECK_NOINLINE static double power(struct mixed m) {
  double r = 1;
  for (long i = 0; i < m.n; ++i)
    r *= m.x;
  return r;
}
CHECK_NOINLINE static float scaled(struct int_float m) {
  return m.n * m.x * m.x;
}
CHECK_NOINLINE static struct big squares(struct big b) {
  for (int i = 0; i < b.n; ++i)
    b.v[i] *= b.v[i];
  return b;
}
CHECK_NOINLINE static double complex mul(double complex a, double complex b) {
  return a * b;
}
CHECK_NOINLINE static float complex mulf(float complex a, float complex b) {
  return a * b + a;
}
CHECK_NOINLINE static vec2f twice(vec2f a) { return a * a; }
CHECK_NOINLINE static struct nested renest(struct nested n) {
  struct nested r = {{n.q.x * n.p.x, n.p.y}, {(float)n.p.y, n.q.y * n.q.x}};
  return r;
}

// All of them below a request.
CHECK_NOINLINE static void everything(double *x, double *y) {
  struct two t = rotate((struct two){x[0], x[1]}, x[2]);
  struct one o = square((struct one){x[3]});
  struct floats f = swap((struct floats){2, 3});
  struct big b = {{x[0], x[1], x[2], x[3], t.x}, 4};
  b = squares(b);
  double complex c = mul(x[0] + I * x[1], b.v[2] + I * o.x);
  struct nested n = {{x[4], x[5]}, {f.x, f.y}};
  n = renest(n);
  y[0] = t.x + t.y * o.x;
  y[1] = creal(c) + b.v[4];
  y[2] = cimag(c) * b.v[0] + power((struct mixed){x[5], 4});
  y[3] = n.p.x + n.p.y * n.p.y;
}

int main(void) {
  struct two r = __verso_jvp_two(rotate, verso_dup, ((struct two){1, 2}),
                                 ((struct two){0.5, -1}), verso_dup, 0.3, 2.0);
  CHECK_CLOSE(r.x, 0.5 * cos(0.3) + sin(0.3) - 2 * (sin(0.3) + 2 * cos(0.3)),
              1e-15);
  CHECK_CLOSE(r.y, 0.5 * sin(0.3) - cos(0.3) + 2 * (cos(0.3) - 2 * sin(0.3)),
              1e-15);
  struct one o = __verso_jvp_one(square, verso_dup, ((struct one){3}),
                                 ((struct one){0.5}));
  CHECK_EQUAL(o.x, 3);
  struct floats f = __verso_jvp_floats(swap, verso_dup, ((struct floats){3, 4}),
                                       ((struct floats){0.5f, 7}));
  CHECK_EQUAL(f.x, 14);
  CHECK_EQUAL(f.y, 3);
  struct three_floats c = __verso_jvp_three_floats(
      cross, verso_dup, ((struct three_floats){1, 2, 3}),
      ((struct three_floats){1, 0, 0}), verso_const,
      ((struct three_floats){4, 5, 6}));
  CHECK_EQUAL(c.x, 0);
  CHECK_EQUAL(c.y, -6);
  CHECK_EQUAL(c.z, 5);
  CHECK_EQUAL(__verso_jvp(power, verso_dup, ((struct mixed){2, 3}),
                          ((struct mixed){0.5, 0})),
              6);
  CHECK_EQUAL(__verso_jvp_float(scaled, verso_dup, ((struct int_float){2, 3}),
                                ((struct int_float){0, 0.5f})),
              6);
  struct big b =
      __verso_jvp_big(squares, verso_dup, ((struct big){{1, 2, 3, 4, 5}, 4}),
                      ((struct big){{1, 1, 1, 1, 1}, 0}));
  CHECK_EQUAL(b.v[0], 2);
  CHECK_EQUAL(b.v[3], 8);
  CHECK_EQUAL(b.v[4], 1);
  double complex z =
      __verso_jvp_complex(mul, verso_dup, 1.0 + 2.0 * I, 0.5 + 0.0 * I,
                          verso_dup, 3.0 - 1.0 * I, 0.0 + 1.0 * I);
  CHECK_EQUAL(creal(z), 1.5 - 2);
  CHECK_EQUAL(cimag(z), -0.5 + 1);
  float complex zf =
      __verso_jvp_complex_float(mulf, verso_dup, 1.0f + 2.0f * I,
                                1.0f + 0.0f * I, verso_const, 3.0f - 1.0f * I);
  CHECK_EQUAL(crealf(zf), 4);
  CHECK_EQUAL(cimagf(zf), -1);
  vec2f v =
      __verso_jvp_vec2f(twice, verso_dup, ((vec2f){1, 3}), ((vec2f){2, 0.5}));
  CHECK_EQUAL(v[0], 4);
  CHECK_EQUAL(v[1], 3);
  double x[] = {1, 2, 0.3, 1.5, 0.7, 1.25};
  CHECK_TRANSPOSE(everything, 6, 4, x);
  return check_status();
}
