//===- recursion-that-throws.cpp - exceptions through recursive callers ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursion that allocates, so that an exception may leave it at any time, and
// such that really throws: callers that clean up, catch, throw again, throw
// numbers that vary; before the first call, out of the whole recursion. Each
// activation's destructor computes, so a clean-up that is left out is seen.
//
//===----------------------------------------------------------------------===//
// STRATEGY: structured

#include "../check.h"
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

using Vector = std::vector<double>;

static Vector butterflies(const Vector &x) {
  std::size_t half = x.size() / 2;
  if (half == 0)
    return x;
  Vector even(half), odd(half);
  for (std::size_t i = 0; i < half; ++i) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1] * x[2 * i];
  }
  Vector p = butterflies(even), q = butterflies(odd), result(2 * half);
  for (std::size_t i = 0; i < half; ++i) {
    result[i] = p[i] + std::sin(q[i]);
    result[i + half] = p[i] - q[i] * 0.5;
  }
  return result;
}
CHECK_NOINLINE static double transformed(const double *x, int) {
  double s = 0;
  for (double y : butterflies(Vector(x, x + 8)))
    s += y * y;
  return s;
}

static void relax(double *x, const double *b, int n) {
  for (int i = 1; i < n - 1; ++i)
    x[i] = 0.5 * (x[i - 1] + x[i + 1] + b[i]);
}
static void cycle(double *x, const double *b, int n) {
  relax(x, b, n);
  if (n <= 3)
    return;
  int m = n / 2 + 1;
  Vector residual(m), error(m);
  for (int i = 1; i < m - 1; ++i)
    residual[i] = b[2 * i] - 2 * x[2 * i] + x[2 * i - 1] + x[2 * i + 1];
  cycle(error.data(), residual.data(), m);
  for (int i = 1; i < m - 1; ++i)
    x[2 * i] += error[i] * std::cos(error[i]);
  relax(x, b, n);
}
CHECK_NOINLINE static double multigrid(const double *x, int n) {
  Vector solution(17), right(17);
  for (int i = 0; i < 17; ++i)
    right[i] = x[i % 8] * x[(i + n) % 8];
  cycle(solution.data(), right.data(), 17);
  double s = 0;
  for (double y : solution)
    s += y * y;
  return s;
}

/// An activation that computes when it is left.
struct Left {
  double &sum;
  double factor;
  ~Left() { sum += factor * sum; }
};

static double descend(double &sum, const double *x, int n) {
  Left left{sum, x[n % 5]};
  auto own = std::make_unique<double>(x[n % 3]);
  if (n == 0) {
    if (x[0] > 0)
      throw std::runtime_error("at the bottom");
    return *own;
  }
  if (n == 4)
    try {
      return *own * descend(sum, x, n - 1);
    } catch (const std::runtime_error &) {
      return *own * 3 + sum;
    }
  double below = descend(sum, x, n - 1) * *own;
  return below + sum * x[1];
}
CHECK_NOINLINE static double caughtInTheMiddle(const double *x, int n) {
  double sum = 1;
  double result = descend(sum, x, n);
  return result + sum;
}
CHECK_NOINLINE static double caughtOutside(const double *x, int n) {
  double sum = 1, result;
  try {
    result = descend(sum, x, n % 4) * x[2];
  } catch (...) {
    result = x[2] * x[2];
  }
  return result * sum;
}

/// Throws before it has a frame.
static double refuse(double &sum, const double *x, int n) {
  if (n < 0)
    throw std::out_of_range("below");
  if (n == 0 && x[0] > 0)
    return x[0] * sum;
  Left left{sum, x[n % 5]};
  return refuse(sum, x, n - 1) * x[1] + sum;
}
CHECK_NOINLINE static double refused(const double *x, int n) {
  double sum = 1, result;
  try {
    result = refuse(sum, x, n);
  } catch (const std::exception &) {
    result = sum * x[3];
  }
  return result * sum;
}

/// Throws a number, each caller another one.
static double throwNumbers(double &sum, const double *x, int n) {
  Left left{sum, x[n % 4]};
  if (n == 0)
    throw x[0] * x[1] * sum;
  try {
    return throwNumbers(sum, x, n - 1) * 2;
  } catch (double thrown) {
    if (n == 3)
      return thrown * x[2] + sum;
    throw thrown * x[n % 5] + sum;
  }
}
CHECK_NOINLINE static double numbers(const double *x, int n) {
  double sum = 1, result;
  try {
    result = throwNumbers(sum, x, n);
  } catch (double thrown) {
    result = thrown * thrown;
  }
  return result + sum * sum;
}

/// What is caught outside by its type is caught by callers whatever it is.
static double throwAgain(double &sum, const double *x, int n) {
  Left left{sum, x[n % 4]};
  if (n == 0)
    throw std::runtime_error("at the bottom");
  double factor = x[n % 5] * sum;
  try {
    return throwAgain(sum, x, n - 1) * 2;
  } catch (...) {
    sum *= factor;
    if (n == 3)
      return sum;
    throw;
  }
}
CHECK_NOINLINE static double again(const double *x, int n) {
  double sum = 1, result;
  try {
    result = throwAgain(sum, x, n);
  } catch (const std::logic_error &) {
    result = -1;
  } catch (const std::runtime_error &) {
    result = x[4] * x[4];
  }
  return result + sum * sum;
}

/// In a circle, with calls in loops.
static double odd(Vector &v, const double *x, int n);
static double even(Vector &v, const double *x, int n) {
  v.push_back(x[n % 5] * (v.empty() ? 1 : v.back()));
  double s = 0;
  for (int i = 1; i <= 2 && n >= i; ++i) {
    Vector w(3, v.back());
    w[0] *= x[i];
    s += odd(w, x, n - i) * w.back();
  }
  return s + v.back();
}
static double odd(Vector &v, const double *x, int n) {
  v.push_back(x[n % 3]);
  if (n > 6)
    throw std::out_of_range("too many");
  double s = v[v.size() / 2];
  for (int i = 1; i <= 2 && n >= i; ++i) {
    Vector w(2, s);
    s += even(w, x, n - i) * w[0];
  }
  return s;
}
CHECK_NOINLINE static double circle(const double *x, int n) {
  Vector v;
  try {
    return even(v, x, n);
  } catch (const std::out_of_range &) {
    return x[0] * x[4];
  }
}

extern "C" double __verso_value_and_grad(void *, ...);

static int passed;
template <auto *f> static void check(const double *x, int n) {
  passed = n;
  double gradient[8] = {};
  double value = __verso_value_and_grad((void *)f, verso_dup, x, gradient,
                                        verso_const, n);
  CHECK_CLOSE(value, f(x, n), 1e-13);
  CHECK_GRADIENT([](double *v) { return f(v, passed); }, 8, x, gradient, 1e-6);
}

int main() {
  double x[8], y[8];
  for (int i = 0; i < 8; ++i)
    y[i] = -(x[i] = 0.3 + 0.1 * std::sin(i * 2.3));
  for (int round = 0; round < 2; ++round) {
    check<transformed>(x, 0);
    check<multigrid>(x, 3);
    for (int n : {0, 3, 4, 7})
      check<caughtOutside>(x, n);
    for (int n : {4, 5, 7})
      check<caughtInTheMiddle>(x, n);
    for (int n : {0, 2, 7})
      check<caughtInTheMiddle>(y, n);
    check<refused>(x, 6);
    check<refused>(y, 6);
    for (int n : {0, 2, 3, 6}) {
      check<numbers>(x, n);
      check<again>(x, n);
    }
    check<circle>(x, 5);
    check<circle>(x, 8);
  }
  return check_status();
}
