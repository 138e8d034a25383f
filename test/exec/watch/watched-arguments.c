//===- watched-arguments.c - arguments in memory that is watched ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Watched memory has its adjoint, and so has an argument with a shadow: where
// one is the other, all of it or in part, the request ends in an error. Not one
// that is verso_const, in other memory, or of an inner request.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

void verso_watch(void *, size_t);
void verso_unwatch(void *);
void *verso_adjoint_of(const void *);

/// What Verso ends a program with.
enum { N = 3, Refused = 86 };

CHECK_NOINLINE static double squares(const double *x) {
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += x[i] * x[i];
  return s;
}

/// Asks for a gradient itself: 2 x[1].
CHECK_NOINLINE static double inner(const double *x) {
  double dx[N] = {0};
  __verso_grad_void((void *)squares, verso_dup, x, dx);
  return dx[1];
}

static double x[N] = {1, 2, 3}, dx[N];

static int status(void) {
  fflush(stderr);
  int status;
  pid_t child = fork();
  if (child == 0) {
    fclose(stderr);
    __verso_grad_void((void *)squares, verso_dup, x, dx);
    _exit(dx[1] != 4);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

int main(void) {
  CHECK(status() == 0);
  verso_watch(x, sizeof x);
  CHECK(status() == Refused);
  __verso_grad_void((void *)squares, verso_const, x);
  CHECK_EQUAL(((double *)verso_adjoint_of(x))[1], 4);
  __verso_grad_void((void *)inner, verso_const, x);
  CHECK_EQUAL(((double *)verso_adjoint_of(x))[1], 2);
  double other[N] = {3, 4, 5}, d[N] = {0};
  __verso_grad_void((void *)squares, verso_dup, other, d);
  CHECK_EQUAL(d[1], 8);
  verso_unwatch(x);
  verso_watch(x + 1, sizeof *x);
  CHECK(status() == Refused);
  verso_unwatch(x + 1);
  CHECK(status() == 0);
  return check_status();
}
