//===- variadic-inside.c - what a variadic function may contain -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Second derivatives through a variadic function, and a request inside one; an
// interpreter with computed goto; a list on the heap that outlives a call; a
// logger, which reads and computes nothing; a function that is called by a
// second name; one that ignores what it is passed. The functions themselves
// stay as they are: they are called outside of requests, too.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdarg.h>

CHECK_NOINLINE static double product(int count, ...) {
  va_list list;
  va_start(list, count);
  double p = 1;
  while (count--)
    p *= va_arg(list, double);
  va_end(list);
  return p;
}
static double cube(double x) { return product(3, x, x, x); }
static double slope(double x) { return __verso_grad(cube, x); }

/// The sum of a_k * cube'(a_k).
CHECK_NOINLINE static double slopes(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  while (count--) {
    double a = va_arg(list, double);
    sum += a * slope(a);
  }
  va_end(list);
  return sum;
}
static double run_slopes(double x) { return slopes(2, x, 2 * x); }

enum { ADD, MULTIPLY, SQUARE, STOP };
CHECK_NOINLINE static double interpret(double x, ...) {
  static void *const labels[] = {&&add, &&multiply, &&square, &&stop};
  va_list list;
  va_start(list, x);
  goto *labels[va_arg(list, int)];
add:
  x += va_arg(list, double);
  goto *labels[va_arg(list, int)];
multiply:
  x *= va_arg(list, double);
  goto *labels[va_arg(list, int)];
square:
  x *= x;
  goto *labels[va_arg(list, int)];
stop:
  va_end(list);
  return x;
}
static double run_interpreter(double x) {
  return interpret(x, ADD, x, SQUARE, MULTIPLY, x, ADD, 7.0, STOP);
}

struct reader {
  va_list list;
  int left;
};
CHECK_NOINLINE static double next(struct reader *r) {
  return r->left-- > 0 ? va_arg(r->list, double) : 0;
}
CHECK_NOINLINE static double with_reader(int count, ...) {
  struct reader *r = malloc(sizeof *r);
  r->left = count;
  va_start(r->list, count);
  double sum = 0;
  while (r->left > 0) {
    double a = next(r);
    sum += a * next(r);
  }
  va_end(r->list);
  free(r);
  return sum;
}
static double run_reader(double x) {
  return with_reader(10, x, 1.0, x, x, 2.0, x, x, 3.0, x, x);
}

static char logged[64];
CHECK_NOINLINE static void log_text(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(logged, sizeof logged, format, list);
  va_end(list);
}
CHECK_NOINLINE static double ignore(double x, ...) { return 2 * x; }
CHECK_NOINLINE double other_name(int count, ...)
    __attribute__((alias("public_name")));
CHECK_NOINLINE double public_name(int count, ...) {
  va_list list;
  va_start(list, count);
  double last = 0;
  while (count--)
    last = va_arg(list, double);
  va_end(list);
  return last;
}
static double run_others(double x) {
  log_text("%d %s %.2f", 3, "text", x);
  return ignore(x, x, x) * other_name(2, 1.0, x * x) + public_name(1, x);
}

int main(void) {
  double x = 1.5;
  CHECK_CLOSE(__verso_grad(slope, x), 6 * x, 1e-15);
  // 3 x^3 + 24 x^3
  CHECK_CLOSE(__verso_grad(run_slopes, x), 81 * x * x, 1e-14);
  // (2 x)^2 x + 7
  CHECK_CLOSE(__verso_grad(run_interpreter, x), 12 * x * x, 1e-15);
  CHECK_CLOSE(run_interpreter(x), 4 * x * x * x + 7, 1e-15);
  // x + x^2 + 2 x + 3 x + x^2
  CHECK_CLOSE(__verso_grad(run_reader, x), 6 + 4 * x, 1e-15);
  // 2 x^3 + x
  CHECK_CLOSE(__verso_grad(run_others, x), 6 * x * x + 1, 1e-15);
  CHECK(strcmp(logged, "3 text 1.50") == 0);
  CHECK_CLOSE(run_others(x), 2 * x * x * x + x, 1e-15);
  return check_status();
}
