//===- thousand-requests.c - many requests leave nothing behind ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tangents that a request wrote to globals, thread-locals, the heap, the stack
// and memory that it leaked to the caller are gone when the next one starts,
// after a thousand requests of changing widths as after one; resident memory
// does not grow.
//
// AddressSanitizer keeps freed memory.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "forward.h"

static double globals[1000], *kept;
static _Thread_local double local;
CHECK_NOINLINE static double leave(double x, int n) {
  for (int i = 0; i < 1000; ++i)
    globals[i] = x * i;
  local = x;
  kept = malloc(100000 * sizeof *kept);
  for (int i = 0; i < 100000; i += 100)
    kept[i] = x * n;
  double stack[500];
  for (int i = 0; i < 500; ++i)
    stack[i] = x + globals[i];
  return stack[n % 500] + local;
}
CHECK_NOINLINE static double find(double x) {
  double sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum += globals[i];
  for (int i = 0; i < 100000; i += 100)
    sum += kept[i];
  volatile double stack[500];
  for (int i = 0; i < 500; ++i)
    stack[i] = 1;
  for (int i = 0; i < 500; ++i)
    sum += stack[i];
  return sum * x + local;
}
struct pair {
  double a, b;
};
struct pair __verso_jvp_pair(void *, ...);

static long resident(void) {
  long size, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%ld %ld", &size, &pages) != 2)
    pages = -1;
  fclose(file);
  return pages;
}

int main(void) {
  long before = 0;
  for (int i = 0; i < 1000; ++i) {
    if (i % 3 == 0) {
      CHECK_EQUAL(__verso_jvp(leave, verso_dup, 2.0, 1.0, verso_const, i),
                  1 + i % 500 + 1);
    } else {
      struct pair p = __verso_jvp_pair(leave, verso_width, 2, verso_dup, 2.0,
                                       1.0, 0.5, verso_const, i);
      CHECK_EQUAL(p.a, 1 + i % 500 + 1);
      CHECK_EQUAL(p.b, 0.5 * (1 + i % 500 + 1));
    }
    double expected = find(2) - find(1);
    double got;
    if (i % 2) {
      got = __verso_jvp(find, verso_dup, 1.0, 1.0);
    } else {
      struct pair p =
          __verso_jvp_pair(find, verso_width, 2, verso_dup, 1.0, 0.0, 1.0);
      CHECK_EQUAL(p.a, 0);
      got = p.b;
    }
    CHECK_CLOSE(got, expected, 1e-13);
    double dx = 0;
    __verso_grad_void(find, verso_const, 1.0);
    (void)dx;
    free(kept);
    if (i == 100)
      before = resident();
    if (check_failures)
      break;
  }
  // Pages of 4 KiB.
  CHECK(resident() - before < 1000);
  return check_status();
}
