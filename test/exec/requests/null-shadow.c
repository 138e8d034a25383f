//===- null-shadow.c - a shadow that is null at run time ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A null pointer in the place of a shadow, which the compiler cannot see, ends
// the program with an error that names the line, the function and the parameter.
// A null argument may have one.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <sys/wait.h>
#include <unistd.h>

double __verso_jvp(void *, ...);
double __verso_value_and_grad(void *, ...);

enum { N = 3, Refused = 86 };

CHECK_NOINLINE static double weighted(const double *x, const double *w) {
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += x[i] * x[i] * (w ? w[i] : 1);
  return s;
}

static double x[N] = {1, 2, 3}, w[N] = {4, 5, 6}, dx[N], dw[N];

CHECK_NOINLINE static int status_of(void (*run)(double *), double *shadow,
                                    char *text, size_t room) {
  int ends[2], status = 0;
  if (pipe(ends))
    return -1;
  pid_t child = fork();
  if (!child) {
    dup2(ends[1], 2);
    run(shadow);
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t n; length + 1 < room &&
                  (n = read(ends[0], text + length, room - 1 - length)) > 0;)
    length += (size_t)n;
  text[length] = 0;
  close(ends[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void gradient(double *shadow) {
  __verso_grad(weighted, verso_dup, x, dx, verso_dup, w, shadow);
}
static void with_value(double *shadow) {
  __verso_value_and_grad(weighted, verso_dup, x, shadow, verso_const, w);
}
static void forward(double *shadow) {
  __verso_jvp(weighted, verso_dup, x, dx, verso_dup, w, shadow);
}

static void expect(void (*run)(double *), const char *parameter) {
  char text[1024];
  CHECK(status_of(run, 0, text, sizeof text) == Refused);
  CHECK(strstr(text, "the shadow of parameter") != 0);
  CHECK(strstr(text, parameter) != 0);
  CHECK(strstr(text, "of 'weighted' is a null pointer") != 0);
  CHECK(status_of(run, dw, text, sizeof text) == 0);
  CHECK(!*text);
}

/// Where there is nothing, nothing is needed.
CHECK_NOINLINE static void without_weights(double *nothing, double *shadow) {
  for (int i = 0; i < N; ++i)
    dx[i] = 0;
  __verso_grad(weighted, verso_dup, x, dx, verso_dup, nothing, shadow);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i]);
}

int main(int argc, char **argv) {
  (void)argv;
  expect(gradient, "parameter 2");
  expect(with_value, "parameter 1");
  expect(forward, "parameter 2");
  without_weights(argc ? 0 : w, argc ? 0 : dw);
  return check_status();
}
