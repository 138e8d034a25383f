//===- nested-threads.c - nested requests in several threads ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread's outer request holds tangent memory while the inner one asks
// for more: they must neither wait for one another forever nor for themselves.
//
// AddressSanitizer's own shadow leaves no room for so many windows.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <pthread.h>

struct pair {
  double a, b;
};
struct four {
  double v[4];
};
struct pair __verso_jvp_pair(void *, ...);
struct four __verso_jvp_four(void *, ...);

static _Thread_local double cell[2];
CHECK_NOINLINE static double power(double x) {
  cell[0] = x * x;
  cell[1] = cell[0] * x;
  return cell[1] * x;
}
CHECK_NOINLINE static double inner(double x) {
  struct four r =
      __verso_jvp_four(power, verso_width, 4, verso_dup, x, 1.0, 2.0, 3.0, 4.0);
  cell[0] = r.v[0];
  return r.v[3] + cell[0];
}
static _Atomic int wrong;
static void *run(void *unused) {
  for (int i = 0; i < 200; ++i) {
    struct pair p =
        __verso_jvp_pair(inner, verso_width, 2, verso_dup, 1.0, 1.0, 2.0);
    wrong += p.a != 60 || p.b != 120;
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], 0);
  CHECK_EQUAL(wrong, 0);
  return check_status();
}
