//===- long-jumps.c - setjmp and longjmp ------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was done before a jump has been done, wherever it ends: in the function
// itself, callers over, out of a function that is called through a pointer, or
// in the caller of the request.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <math.h>
#include <setjmp.h>

double __verso_jvp(void *, ...);

static jmp_buf start;
static double note;

static double recurse(double x, int depth) {
  double local[4] = {x, x * x, x, x};
  if (depth == 0) {
    note = local[1];
    longjmp(start, 3);
  }
  return recurse(local[depth % 3] * 1.5, depth - 1) + local[2];
}
/// What a frame that was left has there are constants now.
CHECK_NOINLINE static double constants(const double *table, int n) {
  double local[8];
  for (int i = 0; i < n; ++i)
    local[i] = table[i] + 1;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += local[i];
  return sum;
}
CHECK_NOINLINE static double over_callers(double x) {
  static const double table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  volatile double y = x * x;
  int status = setjmp(start);
  if (status)
    return note * y * x + status * constants(table, 8);
  y = y * x;
  return recurse(x, 2);
}
CHECK_NOINLINE static double in_place(const double *x, int n) {
  volatile double sum = 0;
  for (volatile int i = 0; i < n; ++i) {
    jmp_buf here;
    volatile double t = x[i];
    if (!setjmp(here)) {
      t = sin(t);
      if (t > 0.3)
        longjmp(here, 1);
      sum += t * t;
    } else {
      sum += t * 3;
    }
  }
  return sum;
}

typedef struct {
  jmp_buf failed;
  double best;
} Solver;
static void step(Solver *s, double x) {
  s->best = s->best * x + x;
  if (s->best > 4)
    longjmp(s->failed, 1);
}
static void smaller(Solver *s, double x) { step(s, 0.5 * x); }
/// Tries again with another function and half of the number.
CHECK_NOINLINE static double retried(double x, int n) {
  void (*volatile each)(Solver *, double) = step;
  volatile double scale = 1;
  Solver s;
  if (setjmp(s.failed)) {
    each = smaller;
    scale = scale * x;
  }
  s.best = x;
  for (int i = 0; i < n; ++i)
    each(&s, x);
  return s.best * scale;
}

CHECK_NOINLINE static double leaves(double x) {
  note = x;
  if (x > 0)
    longjmp(start, 1);
  return x * x;
}

int main(void) {
  // x -> 1.5 x -> 1.5 (1.5 x)^2 -> its square, times x^4.
  const double x = 0.7, factor = 3.375 * 3.375;
  CHECK_CLOSE(__verso_grad((void *)over_callers, x), 8 * factor * pow(x, 7),
              1e-12);
  CHECK_CLOSE(__verso_jvp((void *)over_callers, verso_dup, x, 1.0),
              8 * factor * pow(x, 7), 1e-12);
  double all[] = {0.1, 0.5, 1.2, -0.4}, gradient[4] = {0};
  __verso_grad_void((void *)in_place, verso_dup, all, gradient, verso_const, 4);
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(gradient[i],
                sin(all[i]) > 0.3 ? 3 * cos(all[i]) : sin(2 * all[i]), 1e-12);
  // By differences.
  const double h = 1e-6,
               slope = (retried(1.6 + h, 3) - retried(1.6 - h, 3)) / (2 * h);
  CHECK_CLOSE(__verso_grad((void *)retried, 1.6, verso_const, 3), slope, 1e-8);
  CHECK_CLOSE(__verso_jvp((void *)retried, verso_dup, 1.6, 1.0, verso_const, 3),
              slope, 1e-8);
  // A request that is left; the next ones know nothing of it.
  volatile int left = 0;
  if (!setjmp(start)) {
    left = 1;
    __verso_grad((void *)leaves, x);
    left = 2;
  }
  CHECK_EQUAL(left, 1);
  CHECK_CLOSE(__verso_grad((void *)leaves, -x), -2 * x, 1e-12);
  CHECK_CLOSE(__verso_grad((void *)over_callers, x), 8 * factor * pow(x, 7),
              1e-12);
  return check_status();
}
