//===- unwatched.c - requests beside watched memory -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same request while memory is watched and while none is: what the function
// finds by a pointer, by a global variable's name, and by a copy; for one thread
// only. In a recursion too.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <pthread.h>

void verso_watch(void *, size_t);
void verso_unwatch(void *);
void *verso_adjoint_of(const void *);

struct pair {
  double a, b;
};
static double scale = 3;

CHECK_NOINLINE static double by_pointer(const double *p, double x) {
  double s = 0;
  for (int i = 0; i < 3; ++i)
    s += p[i] * p[i] * x;
  return s;
}
CHECK_NOINLINE static double by_name(double x) { return scale * x * x; }
CHECK_NOINLINE static double by_copy(const struct pair *p, double x) {
  struct pair q = *p;
  q.a *= q.b;
  return q.a * x;
}
CHECK_NOINLINE static double recursive(const double *p, int n, double x) {
  return n ? p[n - 1] * x + recursive(p, n - 1, x) : 0;
}

static double data[3] = {1, 2, 3};
static struct pair both = {2, 5};

static double adjoint(const void *p) {
  const double *a = verso_adjoint_of(p);
  return a ? *a : -1;
}

static void check(int is_watched) {
  CHECK_EQUAL(__verso_grad(by_pointer, verso_const, data, 2.0), 14);
  if (is_watched)
    CHECK_EQUAL(adjoint(data + 2), 12);
  CHECK_EQUAL(__verso_grad(by_name, 2.0), 12);
  if (is_watched)
    CHECK_EQUAL(adjoint(&scale), 4);
  CHECK_EQUAL(__verso_grad(by_copy, verso_const, &both, 2.0), 10);
  if (is_watched)
    CHECK_EQUAL(adjoint(&both.b), 4);
  CHECK_EQUAL(
      __verso_grad(recursive, verso_const, data, verso_const, 3, 2.0), 6);
  if (is_watched)
    CHECK_EQUAL(adjoint(data + 1), 2);
}

static void *check_elsewhere(void *unused) {
  (void)unused;
  check(0);
  return NULL;
}

int main(void) {
  check(0);
  verso_watch(data, sizeof data);
  verso_watch(&scale, sizeof scale);
  verso_watch(&both, sizeof both);
  check(1);
  pthread_t other;
  pthread_create(&other, NULL, check_elsewhere, NULL);
  pthread_join(other, NULL);
  check(1);
  verso_unwatch(data);
  verso_unwatch(&scale);
  verso_unwatch(&both);
  check(0);
  return check_status();
}
