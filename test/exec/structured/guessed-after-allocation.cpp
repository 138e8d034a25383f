//===- guessed-after-allocation.cpp - a guess that is made good early -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function behind a pointer of the caller is asked for when the request
// begins, although memory is allocated, something may be thrown or nothing
// called at all before the program comes to it. Where the function itself may
// have written the pointer before, or there is none, nothing is asked.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <vector>

using Function = double (*)(double);
static double square(double x) { return x * x; }
static double inverse(double x) { return 1 / x; }

struct Task {
  double scale;
  Function call;
};

CHECK_NOINLINE static double afterwards(const Task *t, const double *x, int n) {
  std::vector<double> copy(x, x + n);
  double sum = 0;
  for (double v : copy)
    sum += t->scale * t->call(v);
  return sum;
}
/// It writes where the pointer is, by another pointer.
CHECK_NOINLINE static double changes(const Task *t, Task *same, double x) {
  std::vector<double> copy(3, x);
  if (copy[1] > 1)
    same->call = inverse;
  return t->call(copy[2]) * x;
}
/// There may be no object.
CHECK_NOINLINE static double maybe(const Task *t, double x) {
  std::vector<double> copy(2, x);
  return t ? t->call(copy[1]) : 3 * copy[0];
}

CHECK_NOINLINE static void sums(Function f) {
  Task t{0.5, f};
  double x[] = {0.5, 1.5, 2}, dx[3] = {};
  __verso_grad_void((void *)afterwards, verso_const, &t, verso_dup, x, dx, 3);
  for (int i = 0; i < 3; ++i)
    CHECK_CLOSE(dx[i],
                0.5 * (f == square    ? 2 * x[i]
                       : f == inverse ? -1 / (x[i] * x[i])
                                      : std::cos(x[i])),
                1e-14);
  __verso_grad_void((void *)afterwards, verso_const, &t, verso_dup, x, dx, 0);
}
CHECK_NOINLINE static double slope(const Task *t, double x) {
  return __verso_grad((void *)maybe, verso_const, t, x);
}

int main() {
  sums(square);
  sums(inverse);
  sums(std::sin);
  for (double x : {0.5, 2.0}) {
    Task t{1, square};
    double d =
        __verso_grad((void *)changes, verso_const, &t, verso_const, &t, x);
    CHECK_CLOSE(d, x > 1 ? 0 : 3 * x * x, 1e-14);
    CHECK(t.call == (x > 1 ? inverse : square));
  }
  Task t{1, square};
  CHECK_EQUAL(slope(&t, 3), 6);
  CHECK_EQUAL(slope(nullptr, 3), 3);
  return check_status();
}
