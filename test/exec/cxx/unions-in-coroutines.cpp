//===- unions-in-coroutines.cpp - variables that move to a frame ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A coroutine with a variable of a union of a double and floats, in a file with
// a request. (The compiler ended: such variables are kept in memory elsewhere.)
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <coroutine>

struct Tagged {
  int tag; ///< 0: a double.
  union {
    double d;
    float f[2];
  };
};
struct Counter {
  struct promise_type {
    Tagged Value;
    Counter get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(Tagged t) {
      Value = t;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> Handle;
};

static Counter count(Tagged from) {
  for (;;) {
    Tagged next = from;
    if (next.tag)
      next.f[1] += 1;
    else
      next.d += 1;
    co_yield next;
    from = next;
  }
}
static double square(const double *x) { return *x * *x; }

int main() {
  Tagged zero = {};
  Counter c = count(zero);
  c.Handle.resume();
  CHECK_CLOSE(c.Handle.promise().Value.d, 2, 0);
  c.Handle.destroy();
  double x = 3, dx = 0;
  __verso_grad_void((void *)square, verso_dup, &x, &dx);
  CHECK_CLOSE(dx, 6, 0);
  return check_status();
}
