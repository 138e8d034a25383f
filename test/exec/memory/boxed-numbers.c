//===- boxed-numbers.c - integers in the bits of numbers ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values as interpreters keep them: a NaN with an integer in it where there is
// no number, and a union of a number and an integer beside a tag. The optimiser
// makes the bits of a number an operand of the integers' arithmetic, which is
// never reached with a number, or not used: no error of the compiler, and the
// integer is constant.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"

#include <stdint.h>

typedef union {
  double d;
  uint64_t u;
} box;
#define BOXED UINT64_C(0x7ff8000000000000)

CHECK_NOINLINE static double boxed(const double *x) {
  double s = 0;
  box b[3];
  b[0].d = x[0];
  b[1].u = BOXED + 6;
  b[2].d = x[1] * x[0];
  for (int i = 0; i < 3; i++)
    if ((b[i].u & BOXED) == BOXED)
      s += (b[i].u & 0xff) * x[2];
    else
      s += b[i].d;
  return s;
}

typedef struct {
  union {
    double n;
    int64_t i;
  } v;
  int is_integer;
} value;

/// Rounds down, as an interpreter has to.
static int64_t quotient(int64_t m, int64_t n) {
  if ((uint64_t)n + 1 <= 1)
    return n == 0 ? 0 : -m;
  int64_t q = m / n;
  if ((m ^ n) < 0 && m % n != 0)
    q -= 1;
  return q;
}

static value divided(value a, value b) {
  value r;
  if (a.is_integer && b.is_integer) {
    r.is_integer = 1;
    r.v.i = quotient(a.v.i, b.v.i);
  } else {
    r.is_integer = 0;
    r.v.n = (a.is_integer ? (double)a.v.i : a.v.n) /
            (b.is_integer ? (double)b.v.i : b.v.n);
  }
  return r;
}

/// A stack machine: numbers above 100 are integers, 0 divides.
CHECK_NOINLINE static double interpreted(const double *x, const int *code,
                                         int n) {
  value stack[8];
  int top = 0;
  for (int i = 0; i < n; ++i) {
    if (code[i] >= 100) {
      stack[top].v.i = code[i] - 150;
      stack[top++].is_integer = 1;
    } else if (code[i] > 0) {
      stack[top].v.n = x[code[i] - 1] * x[code[i] - 1];
      stack[top++].is_integer = 0;
    } else {
      --top;
      stack[top - 1] = divided(stack[top - 1], stack[top]);
    }
  }
  return stack[0].is_integer ? (double)stack[0].v.i * x[0] : stack[0].v.n;
}

int main() {
  const double x[] = {2, 3, 4};
  double d[3] = {0}, direction[3];
  __verso_grad_void((void *)boxed, verso_dup, x, d);
  CHECK_EQUAL(d[0], 4);
  CHECK_EQUAL(d[1], 2);
  CHECK_EQUAL(d[2], 6);
  for (int i = 0; i < 3; ++i) {
    memset(direction, 0, sizeof direction);
    direction[i] = 1;
    CHECK_EQUAL(__verso_jvp((void *)boxed, verso_dup, x, direction), d[i]);
  }
  // (x0^2 / (-21 / 4)) / x1^2, where -21 / 4 is -6.
  const int numbers[] = {1, 129, 154, 0, 0, 2, 0},
            integers[] = {129, 154, 0, 148, 0};
  memset(d, 0, sizeof d);
  __verso_grad_void((void *)interpreted, verso_dup, x, d, verso_const, numbers,
                    verso_const, 7);
  CHECK_CLOSE(d[0], -2 * 2 / 6.0 / 9, 1e-14);
  CHECK_CLOSE(d[1], 2 * 4 / 6.0 / 27, 1e-14);
  CHECK_EQUAL(d[2], 0);
  memset(direction, 0, sizeof direction);
  direction[1] = 1;
  CHECK_CLOSE(__verso_jvp((void *)interpreted, verso_dup, x, direction,
                          verso_const, numbers, verso_const, 7),
              d[1], 1e-14);
  memset(d, 0, sizeof d);
  __verso_grad_void((void *)interpreted, verso_dup, x, d, verso_const, integers,
                    verso_const, 5);
  CHECK_EQUAL(d[0], 3);
  CHECK_EQUAL(d[1], 0);
  return check_status();
}
