//===- pointers-to-nowhere.cpp - accesses that are never made -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where LLVM has followed null pointers, accesses are left through addresses
// close to null (a member of an empty vector's first element), and loops that
// release what hangs on a unique_ptr which only ever held null: pointers there
// are loaded through what was loaded before.
//
// STRATEGY: structured
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cmath>
#include <memory>
#include <variant>
#include <vector>

struct Push {
  double value;
};
struct Add {};
struct Multiply {};
struct Sine {};
using Operation = std::variant<Push, Add, Multiply, Sine>;

/// A program for a machine with a stack, and the machine.
CHECK_NOINLINE static double machine(const double *x, int n) {
  std::vector<Operation> program;
  for (int i = 0; i < n; ++i) {
    program.push_back(Push{x[i]});
    if (i % 2)
      program.push_back(Add{});
    else if (i)
      program.push_back(Multiply{});
    if (i % 3 == 0)
      program.push_back(Sine{});
  }
  std::vector<double> stack;
  for (const Operation &o : program) {
    if (const Push *p = std::get_if<Push>(&o)) {
      stack.push_back(p->value);
    } else if (std::holds_alternative<Sine>(o)) {
      stack.back() = std::sin(stack.back());
    } else {
      double b = stack.back();
      stack.pop_back();
      double a = stack.back();
      stack.pop_back();
      stack.push_back(std::holds_alternative<Add>(o) ? a + b : a * b);
    }
  }
  return stack.back() * stack.back();
}

struct Node {
  double value;
  std::unique_ptr<Node> next;
};
CHECK_NOINLINE static double list(const double *x, int n) {
  std::unique_ptr<Node> head;
  for (int i = 0; i < n; ++i) {
    auto node = std::make_unique<Node>();
    node->value = x[i];
    node->next = std::move(head);
    head = std::move(node);
  }
  double s = 1;
  for (const Node *p = head.get(); p; p = p->next.get())
    s = std::sin(s) * p->value + p->value * p->value;
  return s;
}

static constexpr int N = 9;
template <double (*f)(const double *, int)> static double primal(double *x) {
  return f(x, N);
}
template <double (*f)(const double *, int)> static void check(const double *x) {
  double gradient[N] = {0};
  __verso_grad((void *)f, verso_dup, x, gradient, N);
  CHECK_GRADIENT(primal<f>, N, x, gradient, 1e-7);
  // The dot-product test, against differences in a direction.
  double direction[N], dot = 0;
  for (int i = 0; i < N; ++i) {
    direction[i] = std::cos(3.0 * i);
    dot += gradient[i] * direction[i];
  }
  static const double *at, *along;
  at = x;
  along = direction;
  CHECK_CLOSE(dot,
              central_difference(
                  [](double t) {
                    double moved[N];
                    for (int i = 0; i < N; ++i)
                      moved[i] = at[i] + t * along[i];
                    return f(moved, N);
                  },
                  0),
              1e-7);
}

int main() {
  double x[N];
  for (int i = 0; i < N; ++i)
    x[i] = 0.9 + 0.4 * std::sin(2.0 * i + 1);
  check<machine>(x);
  check<list>(x);
  return check_status();
}
