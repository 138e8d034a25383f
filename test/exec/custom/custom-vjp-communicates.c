//===- custom-vjp-communicates.c - a VJP that others wait for -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a function whose roles begin with a '!' the VJP and the JVP are called as
// often as the function was: also where nothing that it reads varies, where
// nobody uses what it writes, where all adjoints are zero; and what it writes
// varies.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <verso/verso.h>

static int calls, vjps, jvps;

// What stands for the other side: it has what was sent, and derivatives.
static double there = 3, dthere;

CHECK_NOINLINE static void give(const double *x, int n) {
  ++calls;
  for (int i = 0; i < n; ++i)
    there += x[i];
}
static void give_counts(size_t *count, const double *x, int n) { *count = n; }
static void give_vjp(const double *x, double *dx, int n) {
  ++vjps;
  for (int i = 0; i < n; ++i)
    dx[i] += dthere;
}
static void give_jvp(const double *x, const double *dx, int n) {
  ++jvps;
  for (int i = 0; i < n; ++i)
    dthere += dx[i];
}
VERSO_CUSTOM_VJP(give, double, "!r-", give_counts, give_vjp, give_jvp);

CHECK_NOINLINE static void take(double *y) {
  ++calls;
  *y = there;
}
static void take_counts(size_t *count, double *y) { *count = 1; }
static void take_vjp(double *y, double *dy) {
  ++vjps;
  dthere += *dy;
}
static void take_jvp(double *y, double *dy) {
  ++jvps;
  *dy = dthere;
}
VERSO_CUSTOM_VJP(take, double, "!w", take_counts, take_vjp, take_jvp);

// The sum of what is sent comes back.
static double both(const double *x, int n) {
  double y;
  give(x, n);
  take(&y);
  return y * y;
}
// Nothing comes back, nothing is sent that varies.
static double nothing(const double *x, int n) {
  double constants[2] = {1, 2}, y;
  give(constants, n);
  take(&y);
  return 2 * x[0];
}
// All adjoints are zero.
static double zero(const double *x, int n) {
  double y, z = 0;
  take(&y);
  for (int i = 0; i < n; ++i)
    z += (x[i] - x[i]) * y;
  return z;
}
// No number of the request's is in sight.
CHECK_NOINLINE static void alone(int n) {
  double y;
  for (int i = 0; i < n; ++i)
    take(&y);
}
static double in_another(const double *x, int n) {
  alone(n);
  return x[0];
}

static void begin(void) {
  there = dthere = 0;
  calls = vjps = jvps = 0;
}
#define COUNTS(F, N, CALLS)                                                    \
  do {                                                                         \
    double x[2] = {1, 2}, dx[2] = {0}, v[2] = {1, 1};                          \
    begin();                                                                   \
    __verso_grad_void((void *)F, verso_dup, x, dx, verso_const, N);            \
    CHECK_EQUAL(vjps, CALLS);                                                  \
    CHECK_EQUAL(calls, CALLS);                                                 \
    begin();                                                                   \
    __verso_jvp((void *)F, verso_dup, x, v, verso_const, N);                   \
    CHECK_EQUAL(jvps, CALLS);                                                  \
  } while (0)

int main(void) {
  double x[2] = {1, 2}, dx[2] = {0}, v[2] = {0.5, 2};
  begin();
  __verso_grad_void((void *)both, verso_dup, x, dx, verso_const, 2);
  CHECK_CLOSE(dx[0], 6, 1e-15);
  CHECK_CLOSE(dx[1], 6, 1e-15);
  begin();
  CHECK_CLOSE(__verso_jvp((void *)both, verso_dup, x, v, verso_const, 2), 15,
              1e-15);
  COUNTS(both, 2, 2);
  COUNTS(nothing, 2, 2);
  COUNTS(zero, 2, 1);
  COUNTS(in_another, 3, 3);
  return check_status();
}
