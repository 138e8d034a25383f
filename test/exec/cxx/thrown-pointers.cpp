//===- thrown-pointers.cpp - handlers of pointers into arguments ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer into an array with a shadow is thrown, here and by a function that
// is not inlined; handlers get it by value and by reference, as one to const
// and as void *, out of an exception_ptr, thrown again, and write through it.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <exception>

extern "C" double __verso_jvp(void *, ...);

enum { N = 2 };

[[noreturn]] CHECK_NOINLINE static void raise(double *p) { throw p; }
[[noreturn]] CHECK_NOINLINE static void raiseConst(const double *p) { throw p; }

/// All are x[0]^2 x[1].
static double here(double *x) {
  try {
    throw &x[0];
  } catch (double *p) {
    return p[0] * p[0] * p[1];
  }
}
static double elsewhere(double *x) {
  try {
    raise(x + 1);
  } catch (double *p) {
    return p[-1] * p[-1] * p[0];
  }
}
static double constant(double *x) {
  try {
    raiseConst(x);
  } catch (const double *p) {
    return p[0] * p[0] * p[1];
  }
}
static double untyped(double *x) {
  try {
    raise(x);
  } catch (void *p) {
    const double *q = static_cast<double *>(p);
    return q[0] * q[0] * q[1];
  }
}
static double written(double *x) {
  const double second = x[1];
  try {
    raise(x);
  } catch (double *p) {
    p[0] *= p[0];
  }
  return x[0] * second;
}
static double byReference(double *x) {
  double local = x[0] * x[1];
  try {
    raise(&local);
  } catch (double *&p) {
    *p *= x[0];
  }
  return local;
}
static double again(double *x) {
  try {
    try {
      raise(x);
    } catch (double *&p) {
      ++p;
      throw;
    }
  } catch (double *p) {
    return p[-1] * p[-1] * p[0];
  }
}
static double kept(double *x) {
  std::exception_ptr e;
  try {
    raise(x);
  } catch (...) {
    e = std::current_exception();
  }
  try {
    std::rethrow_exception(e);
  } catch (double *p) {
    return p[0] * p[0] * p[1];
  }
}
/// Made without a throw.
static double made(double *x) {
  std::exception_ptr e = std::make_exception_ptr(&x[0]);
  try {
    std::rethrow_exception(e);
  } catch (double *p) {
    return p[0] * p[0] * p[1];
  }
}
/// Beside a handler of what is no pointer, and less than one.
static double notThrown(double *x) {
  try {
    if (x[0] > 0)
      throw 'c';
    raise(x);
  } catch (double *p) {
    return p[0];
  } catch (char) {
    return x[0] * x[0] * x[1];
  }
}

#define CHECK_ALL(F)                                                           \
  do {                                                                         \
    double x[N] = {1.5, 0.75}, d[N] = {0}, v[N] = {2, -1};                     \
    __verso_grad_void((void *)F, verso_dup, x, d);                             \
    CHECK_EQUAL(d[0], 2.25);                                                   \
    CHECK_EQUAL(d[1], 2.25);                                                   \
    double y[N] = {1.5, 0.75};                                                 \
    CHECK_EQUAL(__verso_jvp((void *)F, verso_dup, y, v), 2.25);                \
  } while (0)

int main() {
  CHECK_ALL(here);
  CHECK_ALL(elsewhere);
  CHECK_ALL(constant);
  CHECK_ALL(untyped);
  CHECK_ALL(written);
  CHECK_ALL(byReference);
  CHECK_ALL(again);
  CHECK_ALL(kept);
  CHECK_ALL(made);
  CHECK_ALL(notThrown);
  return check_status();
}
