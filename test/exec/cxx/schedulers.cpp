//===- schedulers.cpp - coroutines that wait for one another -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A producer and two consumers hand numbers through a channel; a consumer that
// finds it empty catches what is thrown. Inlined, that is a loop with several
// entries, among them landing pads of several calls.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <coroutine>
#include <exception>
#include <queue>
#include <vector>

struct Empty {
  double Instead;
};

struct Job {
  struct promise_type {
    Job get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> Handle;
};

struct Scheduler {
  std::queue<std::coroutine_handle<>> Ready;
  void run() {
    while (!Ready.empty()) {
      auto Next = Ready.front();
      Ready.pop();
      Next.resume();
    }
  }
};

struct Channel {
  std::queue<double> Numbers;
  std::vector<std::coroutine_handle<>> Waiting;
  Scheduler *S;

  void put(double x) {
    Numbers.push(x);
    if (!Waiting.empty()) {
      S->Ready.push(Waiting.back());
      Waiting.pop_back();
    }
  }
  struct Awaiter {
    Channel *C;
    bool await_ready() { return !C->Numbers.empty(); }
    void await_suspend(std::coroutine_handle<> H) { C->Waiting.push_back(H); }
    double await_resume() {
      if (C->Numbers.empty())
        throw Empty{-1};
      double x = C->Numbers.front();
      C->Numbers.pop();
      return x;
    }
  };
  Awaiter get() { return {this}; }
};

struct Yield {
  Scheduler *S;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> H) { S->Ready.push(H); }
  void await_resume() {}
};

static Job produce(Channel *C, Scheduler *S, const double *x, int n) {
  double sum = 1;
  for (int i = 0; i < n; ++i) {
    sum = sum * 0.5 + x[i];
    C->put(sum * x[i]);
    co_await Yield{S};
  }
}

static Job consume(Channel *C, double *out, int n, double weight) {
  double kept[2] = {weight, 1};
  for (int i = 0; i < n; ++i) {
    double x;
    try {
      x = co_await C->get();
    } catch (Empty E) {
      x = E.Instead;
    }
    kept[1] = kept[1] * 0.3 + x * kept[0];
    *out += kept[1] * x;
  }
}

static double passed(double *x, int n) {
  Scheduler S;
  Channel C;
  C.S = &S;
  double out = 0;
  Job a = produce(&C, &S, x, n), b = consume(&C, &out, 3, x[0]),
      c = consume(&C, &out, 3, x[1]);
  S.Ready.push(b.Handle);
  S.Ready.push(a.Handle);
  S.Ready.push(c.Handle);
  S.run();
  a.Handle.destroy();
  b.Handle.destroy();
  c.Handle.destroy();
  return out;
}

static double passed6(double *x) { return passed(x, 6); }

int main() {
  double x[6] = {1.5, 0.7, -0.9, 1.2, 0.3, -0.8}, dx[6] = {};
  __verso_grad_void((void *)passed, verso_dup, x, dx, verso_const, int{6});
  CHECK_GRADIENT(passed6, 6, x, dx, 1e-7);
  return check_status();
}
