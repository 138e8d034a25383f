//===- variadic-pointers.cpp - variadic functions that write --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores through pointers that came as variable arguments: to arrays of the
// request, of the caller, and on the heap; a member function and one that
// returns a struct through memory; one that throws, caught beside the call.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <cstdarg>

namespace {

/// *p_k = f * *p_k for all pointers up to null; the sum of what was there.
CHECK_NOINLINE double scale_all(double f, ...) {
  va_list list;
  va_start(list, f);
  double sum = 0;
  while (double *p = va_arg(list, double *)) {
    sum += *p;
    *p *= f;
  }
  va_end(list);
  return sum;
}

struct statistics {
  double sum, squares, last;
};
struct collector {
  double weight;
  CHECK_NOINLINE statistics collect(int count, ...) const;
};
statistics collector::collect(int count, ...) const {
  va_list list;
  va_start(list, count);
  statistics s = {0, 0, 0};
  for (int k = 0; k < count; ++k) {
    s.last = va_arg(list, double) * weight;
    s.sum += s.last;
    s.squares += s.last * s.last;
  }
  va_end(list);
  return s;
}

/// The sum of the arguments, thrown when it is negative.
CHECK_NOINLINE double checked(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  while (count--)
    sum += va_arg(list, double);
  va_end(list);
  if (sum < 0)
    throw sum;
  return sum;
}

double in_place(double *x, int n) {
  double local = x[0], *heap = new double(x[1]);
  double sum = 0;
  for (int k = 1; k < n; ++k)
    sum += scale_all(x[0], &x[k], &local, heap, &x[k - 1], nullptr);
  sum += local * *heap;
  delete heap;
  return sum;
}
/// in_place in plain code, for differences.
double reference(double *x) {
  double local = x[0], heap = x[1], sum = 0;
  for (int k = 1; k < 4; ++k) {
    double f = x[0];
    double *all[] = {&x[k], &local, &heap, &x[k - 1]};
    for (double *p : all) {
      sum += *p;
      *p *= f;
    }
  }
  return sum + local * heap;
}

double collected(double x, double y) {
  statistics s = collector{y}.collect(3, x, x * x, 2.0);
  return s.sum + 10 * s.squares + 100 * s.last;
}
double guarded(double x) {
  double sum = 0;
  for (double sign = -1; sign < 2; sign += 2)
    try {
      sum += checked(3, sign * x, sign * x * x, sign);
    } catch (double thrown) {
      sum += 2 * thrown * x;
    }
  return sum;
}

} // namespace

struct two {
  double x, y;
};
extern "C" two __verso_grad_two(void *, ...);

int main() {
  double x[] = {1.25, -0.5, 2, 0.75}, dx[4] = {}, kept[4];
  memcpy(kept, x, sizeof x);
  __verso_grad_void((void *)in_place, verso_dup, x, dx, verso_const, 4);
  CHECK_GRADIENT(reference, 4, kept, dx, 1e-7);

  double a = 1.5, b = 0.5;
  two g = __verso_grad_two((void *)collected, a, b);
  // b (a + a^2 + 2) + 10 b^2 (a^2 + a^4 + 4) + 200 b
  CHECK_CLOSE(g.x, b * (1 + 2 * a) + 10 * b * b * (2 * a + 4 * a * a * a),
              1e-14);
  CHECK_CLOSE(g.y, a + a * a + 2 + 20 * b * (a * a + a * a * a * a + 4) + 200,
              1e-14);
  // (x + x^2 + 1) (1 - 2 x)
  CHECK_CLOSE(__verso_grad((void *)guarded, a),
              (1 + 2 * a) * (1 - 2 * a) - 2 * (a + a * a + 1), 1e-14);
  return check_status();
}
