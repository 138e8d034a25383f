//===- atomic-exchange.c - numbers that are exchanged as integers -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an atomic exchange finds is a number's bits, also where it stores a
// constant; so is what a comparison finds that fails.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdatomic.h>

double __verso_jvp(void *, ...);

CHECK_NOINLINE static double exchanged(double *a) {
  double r, b = 2;
  __atomic_exchange(a, &b, &r, __ATOMIC_SEQ_CST);
  return r * r;
}
CHECK_NOINLINE static double exchanged_for_number(double *a) {
  double r, b = a[1] * a[1];
  __atomic_exchange(a, &b, &r, __ATOMIC_SEQ_CST);
  return r * a[0];
}
CHECK_NOINLINE static double compared(double *a) {
  double e = a[0], b = 2 * a[0];
  __atomic_compare_exchange(a, &e, &b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return e * a[0];
}
CHECK_NOINLINE static double found_another(double *a) {
  double e = 17, b = 2 * a[0];
  __atomic_compare_exchange(a, &e, &b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return e * a[0];
}
CHECK_NOINLINE static double of_local(double *a) {
  _Atomic double s = a[0] * a[1];
  _Atomic float f = (float)a[1];
  return atomic_exchange(&s, 2.0) + s + atomic_exchange(&f, 1.0f) * f;
}

int main(void) {
#define CHECK_ATOMIC(F, D0, D1)                                                \
  do {                                                                         \
    double x[2] = {3, 5}, d[2] = {0, 0};                                       \
    __verso_grad_void((void *)F, verso_dup, x, d);                             \
    CHECK_CLOSE(d[0], D0, 1e-14);                                              \
    CHECK_CLOSE(d[1], D1, 1e-14);                                              \
    double y[2] = {3, 5}, dy[2] = {1, 10};                                     \
    CHECK_CLOSE(__verso_jvp((void *)F, verso_dup, y, dy), D0 + 10.0 * D1,      \
                1e-14);                                                        \
  } while (0)
  CHECK_ATOMIC(exchanged, 6, 0);
  CHECK_ATOMIC(exchanged_for_number, 25, 30);
  CHECK_ATOMIC(compared, 12, 0);
  CHECK_ATOMIC(found_another, 6, 0);
  CHECK_ATOMIC(of_local, 5, 4);
  return check_status();
}
