//===- own-shadow.c - an argument that is its own shadow ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the compiler cannot see it, derivatives are not added to the values:
// the program ends, or the argument does not vary (the tape tells by the
// pointer). Integers may be their own shadow. With enzyme_runtime_activity an
// argument that is seen to be one does not vary.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <sys/wait.h>
#include <unistd.h>

void __verso_grad_void(void *, ...);
double __verso_jvp(void *, ...);
extern int enzyme_runtime_activity;

enum { N = 3, Refused = 86 };

CHECK_NOINLINE static double weighted(const double *x, const double *w,
                                      const int *at) {
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += x[i] * x[i] * w[at[i]];
  return s;
}

static double x[N] = {1, 2, 3}, w[N] = {4, 5, 6}, dx[N], dw[N];
static int at[N] = {2, 0, 1};

static int is_right(void) {
  for (int i = 0; i < N; ++i)
    if (w[i] != 4 + i || at[i] != (i + 2) % N || dx[i] != 2 * x[i] * w[at[i]])
      return 0;
  return 1;
}

CHECK_NOINLINE static int status_of(double *shadow, int *integers) {
  int status = 0;
  pid_t child = fork();
  if (!child) {
    if (!freopen("/dev/null", "w", stderr))
      _exit(2);
    __verso_grad_void(weighted, verso_dup, x, dx, verso_dup, w, shadow,
                      verso_dup, at, integers);
    _exit(!is_right());
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
  static int other[N];
  int own = status_of(w, other);
  CHECK(own == Refused || own == 0);
  CHECK(status_of(dw, other) == 0);
  CHECK(status_of(dw, at) == 0);

  __verso_grad_void(weighted, enzyme_runtime_activity, verso_dup, x, dx,
                    verso_dup, w, w, verso_dup, at, at);
  CHECK(is_right());
  double tangent[N] = {1, 0, 0};
  CHECK_CLOSE(__verso_jvp(weighted, enzyme_runtime_activity, verso_dup, x,
                          tangent, verso_dup, w, w, verso_const, at),
              2 * x[0] * w[at[0]], 1e-15);
  return check_status();
}
