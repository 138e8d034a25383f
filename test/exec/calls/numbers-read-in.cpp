//===- numbers-read-in.cpp - the library overwrites numbers ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that vary are overwritten by what a file holds, in a loop, in part,
// by a call that may throw, by one that may be given no memory; what was
// computed of them before keeps its derivative.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <sstream>
#include <string>
#include <unistd.h>

#define INACTIVE CHECK_NOINLINE __attribute__((annotate("verso_inactive")))

enum { N = 6 };

INACTIVE static FILE *open_numbers() {
  FILE *f = tmpfile();
  double values[N] = {3, 5, 7, 11, 13, 17};
  if (!f || fwrite(values, sizeof(double), N, f) != N)
    abort();
  fflush(f);
  lseek(fileno(f), 0, SEEK_SET);
  return f;
}
INACTIVE static void close_numbers(FILE *f) { fclose(f); }

/// Each second number, from the file.
CHECK_NOINLINE static double in_loop(const double *x, int n) {
  FILE *f = open_numbers();
  double t[N], sum = 0;
  for (int i = 0; i < n; ++i)
    t[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i) {
    sum += t[i] * x[0];
    if (i % 2 && read(fileno(f), t + i, sizeof(double)) != sizeof(double))
      abort();
  }
  close_numbers(f);
  for (int i = 0; i < n; ++i)
    sum += t[i] * x[i];
  return sum;
}
/// All of a block at once; then one varies again.
CHECK_NOINLINE static double block(const double *x, int n) {
  FILE *f = open_numbers();
  double *t = static_cast<double *>(malloc(n * sizeof(double))), sum = 0;
  for (int i = 0; i < n; ++i)
    t[i] = x[i] * x[(i + 1) % n];
  for (int i = 0; i < n; ++i)
    sum += t[i];
  if (read(fileno(f), t, n * sizeof(double)) != ssize_t(n * sizeof(double)))
    abort();
  close_numbers(f);
  t[2] *= x[1];
  for (int i = 0; i < n; ++i)
    sum += t[i] * x[i];
  free(t);
  return sum;
}
static const char *volatile text = "1.5 2.5";
CHECK_NOINLINE static double stream(const double *x, int n) {
  double t[N] = {}, sum = 0;
  for (int i = 0; i < n; ++i)
    t[i] = x[i] * 3;
  for (int i = 0; i < n; ++i)
    sum += t[i] * t[i];
  std::istringstream in(text);
  in >> t[1] >> t[n - 1];
  for (int i = 0; i < n; ++i)
    sum += t[i] * x[i];
  return sum;
}

CHECK_NOINLINE static double named(const double *x, int n) {
  std::istringstream in("first 2.5 second 1.5\n");
  std::string name;
  double number, sum = 0;
  while (in >> name >> number)
    sum += number * x[name == "first" ? 0 : n - 1];
  return sum * sum;
}

static double in_loop_at(double *x) { return in_loop(x, N); }
static double block_at(double *x) { return block(x, N); }
static double stream_at(double *x) { return stream(x, N); }
static double named_at(double *x) { return named(x, N); }

int main() {
  double x[N], dx[N];
  for (int i = 0; i < N; ++i)
    x[i] = 1 + 0.25 * i;
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)in_loop, verso_dup, x, dx, N);
  CHECK_GRADIENT(in_loop_at, N, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)block, verso_dup, x, dx, N);
  CHECK_GRADIENT(block_at, N, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)stream, verso_dup, x, dx, N);
  CHECK_GRADIENT(stream_at, N, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)named, verso_dup, x, dx, N);
  CHECK_GRADIENT(named_at, N, x, dx, 1e-7);
  return check_status();
}
