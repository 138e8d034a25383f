//===- coroutines.cpp - functions that are suspended ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generators whose frames hold numbers while others run: endless ones, left in
// the middle, one within another, with an exception. And a task that awaits
// others in a loop, of which some throw: the loop is left where a frame has
// just been allocated. And tasks that hand on to whom awaits them, or to nobody:
// std::noop_coroutine().
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <coroutine>
#include <exception>
#include <stdexcept>
#include <utility>

class Generator {
public:
  struct promise_type {
    double Value = 0;
    std::exception_ptr Thrown;

    Generator get_return_object() {
      return Generator(Handle::from_promise(*this));
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() { Thrown = std::current_exception(); }
    void return_void() {}
    std::suspend_always yield_value(double X) {
      Value = X;
      return {};
    }
  };
  using Handle = std::coroutine_handle<promise_type>;

  explicit Generator(Handle H) : H(H) {}
  Generator(Generator &&That) : H(std::exchange(That.H, {})) {}
  ~Generator() {
    if (H)
      H.destroy();
  }
  bool next() {
    H.resume();
    if (auto &Thrown = H.promise().Thrown)
      std::rethrow_exception(std::exchange(Thrown, nullptr));
    return !H.done();
  }
  double value() const { return H.promise().Value; }

private:
  Handle H;
};

static Generator powers(double x) {
  for (double p = x;; p *= x)
    co_yield p;
}

static Generator sums(Generator of, const double *weights, int n) {
  double s = 0;
  for (int i = 0; i < n && of.next(); ++i) {
    s += weights[i] * of.value();
    co_yield s;
  }
  throw std::runtime_error("no more");
}

/// w0 x + (w0 x + w1 x^2) + (w0 x + w1 x^2 + w2 x^3), and 5 times the last.
CHECK_NOINLINE static double function(const double *x) {
  Generator g = sums(powers(x[0]), x + 1, 3);
  double s = 0;
  try {
    while (g.next())
      s += g.value();
  } catch (const std::runtime_error &e) {
    s += (e.what()[0] == 'n') * 5 * g.value();
  }
  return s;
}

struct Task {
  struct promise_type {
    double Value = 0;
    std::exception_ptr Thrown;

    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() { Thrown = std::current_exception(); }
    void return_value(double X) { Value = X; }
  };

  std::coroutine_handle<promise_type> H;
  Task(std::coroutine_handle<promise_type> H) : H(H) {}
  Task(const Task &) = delete;
  ~Task() { H.destroy(); }
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  double await_resume() {
    H.resume();
    if (H.promise().Thrown)
      std::rethrow_exception(H.promise().Thrown);
    return H.promise().Value;
  }
};

static Task large(double a) {
  if (a < 0.6)
    throw a * a;
  co_return a;
}

static Task sumOfTasks(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    try {
      s += co_await large(x[i]);
    } catch (double e) {
      s += 3 * e;
    }
  co_return s;
}

CHECK_NOINLINE static double awaiting(const double *x, int n) {
  Task t = sumOfTasks(x, n);
  while (!t.H.done())
    t.H.resume();
  return t.H.promise().Value;
}

static void checkTasks() {
  double x[4] = {0.5, 1.25, 2, 0.25}, dx[4] = {0};
  __verso_grad_void((void *)awaiting, verso_dup, x, dx, verso_const, 4);
  for (int i = 0; i < 4; ++i) {
    double expected = x[i] < 0.6 ? 6 * x[i] : 1, t[4] = {0};
    t[i] = 1;
    CHECK_CLOSE(dx[i], expected, 1e-14);
    CHECK_CLOSE(__verso_jvp((void *)awaiting, verso_dup, x, t, verso_const, 4),
                expected, 1e-14);
  }
}

struct Link {
  struct promise_type {
    double Result;
    std::coroutine_handle<> Awaiting;

    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<>
      await_suspend(std::coroutine_handle<promise_type> H) noexcept {
        auto Next = H.promise().Awaiting;
        return Next ? Next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Link get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_value(double X) { Result = X; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> H;

  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> By) {
    H.promise().Awaiting = By;
    return H;
  }
  double await_resume() { return H.promise().Result; }
};

static Link power(double x, int k) {
  if (k == 0)
    co_return 1;
  Link lower = power(x, k - 1);
  double result = x * co_await lower;
  lower.H.destroy();
  co_return result;
}

CHECK_NOINLINE static double handedOn(double x) {
  Link cube = power(x, 3);
  cube.H.resume();
  double result = cube.H.promise().Result;
  cube.H.destroy();
  // What does nothing is destroyed, too.
  std::coroutine_handle<> nobody = std::noop_coroutine();
  nobody.destroy();
  return result;
}

int main() {
  checkTasks();
  CHECK_CLOSE(__verso_grad((void *)handedOn, 2.0), 12, 1e-14);
  CHECK_CLOSE(__verso_jvp((void *)handedOn, verso_dup, 2.0, 1.0), 12, 1e-14);
  double x[4] = {0.5, 2, 3, 4}, dx[4] = {0};
  __verso_grad((void *)function, verso_dup, x, dx);
  const double p = x[0];
  const double expected[4] = {8 * 2 + 7 * 3 * 2 * p + 6 * 4 * 3 * p * p, 8 * p,
                              7 * p * p, 6 * p * p * p};
  for (int i = 0; i < 4; ++i) {
    double t[4] = {0};
    t[i] = 1;
    CHECK_CLOSE(dx[i], expected[i], 1e-14);
    CHECK_CLOSE(__verso_jvp((void *)function, verso_dup, x, t), expected[i],
                1e-14);
  }
  return check_status();
}
