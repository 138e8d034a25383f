//===- variadic-structs.c - structs as variable arguments -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs by value: in vector registers, in both kinds, packed floats, in
// memory, nested, with a pointer. One that is aligned to 16 bytes travels in
// two registers without padding, and on the stack with it. Each is read while
// there are registers, and when there are none.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdarg.h>

struct two {
  double a, b;
};
struct mixed {
  double value;
  long count;
};
struct floats {
  float a, b, c;
};
struct big {
  double a[3];
  struct mixed m;
};
struct reference {
  const double *to;
  int factor;
};
struct aligned {
  _Alignas(16) double a;
  double b;
};
struct very_aligned {
  _Alignas(32) double a;
  int i;
};

CHECK_NOINLINE static double read_structs(int rounds, ...) {
  va_list list;
  va_start(list, rounds);
  double sum = 0;
  for (int k = 1; k <= rounds; ++k) {
    struct aligned w = va_arg(list, struct aligned);
    struct two t = va_arg(list, struct two);
    struct mixed m = va_arg(list, struct mixed);
    struct floats f = va_arg(list, struct floats);
    struct big b = va_arg(list, struct big);
    struct reference r = va_arg(list, struct reference);
    struct very_aligned v = va_arg(list, struct very_aligned);
    sum += k * (w.a + 2 * w.b + 3 * t.a + 4 * t.b + 5 * m.value + m.count +
                6 * f.a + 7 * f.b + 8 * f.c + 9 * b.a[0] + 10 * b.a[1] +
                11 * b.a[2] + 12 * b.m.value + b.m.count + r.factor * *r.to +
                14 * v.a + v.i);
  }
  va_end(list);
  return sum;
}

static double run(double x, double y) {
  struct aligned w = {x, y};
  struct two t = {x, y};
  struct mixed m = {x, 1};
  struct floats f = {(float)x, (float)y, (float)x};
  struct big b = {{x, y, x}, {y, 2}};
  struct reference r = {&y, 13};
  struct very_aligned v = {x, 3};
  double one = read_structs(1, w, t, m, f, b, r, v);
  // The callee's copies are its own.
  return one * one + read_structs(3, w, t, m, f, b, r, v, w, t, m, f, b, r, v,
                                  w, t, m, f, b, r, v);
}

struct two __verso_grad_two(void *, ...);

int main(void) {
  double x = 0.75, y = 1.25;
  // One round is 57 x + 48 y + 6.
  double one = 57 * x + 48 * y + 6;
  struct two g = __verso_grad_two(run, x, y);
  CHECK_CLOSE(run(x, y), one * one + 6 * one, 1e-15);
  CHECK_CLOSE(g.a, (2 * one + 6) * 57, 1e-15);
  CHECK_CLOSE(g.b, (2 * one + 6) * 48, 1e-15);
  return check_status();
}
