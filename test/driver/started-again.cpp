//===- started-again.cpp - guesses that turn out to be wrong --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions copied out of a map by name, objects that a table's functions make,
// what is called on an exception's way and in handlers: nobody knows them beforehand. As long
// as they are this file's, gradients are structured; the first of another file
// makes the request start again by its tape, from wherever it is.
//
//===----------------------------------------------------------------------===//
// RUN: %clangxx_verso -std=c++20 -O2 -mllvm -verso-all-twins -DOTHERS -c %s \
// RUN:   -o %t.others.o
// RUN: %clangxx_verso -std=c++20 -O0 -g -Rpass=verso %s %t.others.o \
// RUN:   %verso_libs -o %t 2>&1 | FileCheck %s --check-prefix=UNTYPED && %t
// RUN: %clangxx_verso -std=c++20 -O1 -g -Rpass=verso %s %t.others.o \
// RUN:   %verso_libs -o %t 2>&1 | FileCheck %s && %t
// RUN: %clangxx_verso -std=c++20 -O2 -Rpass=verso %s %t.others.o \
// RUN:   %verso_libs -o %t 2>&1 | FileCheck %s && %t
// UNTYPED-COUNT-6: gradient of {{.*}} by reversed control flow, and by tape for
// CHECK-COUNT-7: gradient of {{.*}} by reversed control flow, and by tape for
// CHECK-NOT: by tape [

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

using Function = std::function<double(double)>;
struct Law {
  virtual double at(double x) const = 0;
  virtual ~Law() = default;
};
struct Tables {
  std::map<std::string, Function> functions;
  std::map<std::string, std::function<std::unique_ptr<Law>(double)>> laws;
  void (*leave)(int);
};

#ifdef OTHERS

struct Cubic : Law {
  std::vector<double> a;
  explicit Cubic(double k) : a(9, k) {}
  double at(double x) const override { return a[8] * x * x * x; }
};
static int left;
static void leaveOthers(int by) { left += by; }
int leftOthers() { return left; }
void addOthers(Tables &all) {
  std::vector<double> one(50, 1);
  all.functions["cube"] = [one](double x) { return x * x * x * one[7]; };
  all.functions["large"] = [one](double x) { return 1e6 * x * one[3]; };
  all.laws["cubic"] = [](double k) { return std::make_unique<Cubic>(k); };
  all.leave = leaveOthers;
}

#else

#include "../exec/check.h"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <thread>

#include <verso/verso.h>

void addOthers(Tables &all);
int leftOthers();

static int left;
struct Line : Law {
  double k;
  explicit Line(double k) : k(k) {}
  double at(double x) const override { return k * x; }
};
struct Wave : Law {
  double k;
  explicit Wave(double k) : k(k) {}
  double at(double x) const override { return std::sin(k * x); }
};
static Tables all{
    {{"square", [](double x) { return x * x; }},
     {"sine", [](double x) { return std::sin(x); }}},
    {{"line", [](double k) { return std::make_unique<Line>(k); }},
     {"wave", [](double k) { return std::make_unique<Wave>(k); }}},
    [](int by) { left += by; }};
static std::vector<std::string> names;

static double by_name(const double *x) {
  std::vector<double> h(x, x + 3);
  for (const std::string &name : names) {
    Function f = all.functions.at(name);
    std::vector<double> next(3);
    for (int i = 0; i < 3; ++i)
      next[i] = 1.5 * h[(i + 1) % 3] + f(h[i]);
    h = next;
  }
  return h[0] + h[1] * h[2];
}

static double by_law(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; ++i) {
    std::unique_ptr<Law> law = all.laws.at(names[i])(x[i]);
    for (double u = 0.5; u < 2; u += 0.5)
      s += law->at(u * x[(i + 1) % 3]);
  }
  return s * s;
}

static double throwing(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; ++i) {
    Function f = all.functions.at(names[i]);
    s += f(x[i]);
    if (s > 1e3)
      throw std::runtime_error("large");
  }
  return s * s;
}

struct Late : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Starts again in a handler, once within another one.
static double catching(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; ++i)
    try {
      if (x[i] < 1)
        throw Late("late");
      s += x[i] * s;
    } catch (const Late &e) {
      try {
        if (x[i] < 0)
          throw std::out_of_range("twice");
        s += all.functions.at(names[i])(x[i]) * std::strlen(e.what());
      } catch (const std::exception &) {
        s *= all.functions.at(names[1])(x[i]);
      }
    }
  return s;
}

struct Leaving {
  void (*how)(int) = nullptr;
  int by;
  ~Leaving() {
    if (how)
      how(by);
  }
};
static double leaving(const double *x) {
  std::vector<double> own(x, x + 3);
  Leaving l;
  l.by = int(own.size());
  for (double &v : own)
    v *= v;
  if (own[0] > 2) {
    l.how = all.leave;
    throw std::out_of_range("x");
  }
  return own[0] * own[1] * own[2];
}

static double by_value(double x, double y) {
  Function f = all.functions.at(names[0]), g = all.functions.at(names[1]);
  return f(x) * g(y);
}

template <double f(const double *)> static void check() {
  double x[3] = {0.5, 1.2, -0.7}, dx[3] = {0};
  double v = __verso_value_and_grad((void *)f, verso_dup, x, dx);
  CHECK_EQUAL(v, f(x));
  CHECK(!std::current_exception());
  for (int i = 0; i < 3; ++i) {
    double t[3] = {0};
    t[i] = 1;
    CHECK_CLOSE(dx[i], __verso_jvp((void *)f, verso_dup, x, t), 1e-13);
  }
}

template <typename Call> static void checkThrows(Call call, const char *what) {
  std::string got;
  try {
    call();
  } catch (const std::exception &e) {
    got = e.what();
    CHECK(std::uncaught_exceptions() == 0);
  }
  CHECK(got == what);
}

static void checkThrows() {
  checkThrows(check<throwing>, "large");
  int before = left + leftOthers();
  checkThrows(
      [] {
        double x[3] = {2, 1, 1}, dx[3] = {0};
        __verso_grad((void *)leaving, verso_dup, x, dx);
      },
      "x");
  CHECK(left + leftOthers() == before + 3);
}

struct Both {
  double x, y;
};
extern "C" Both __verso_grad_both(void *, ...);
static void checkValues() {
  Both d = __verso_grad_both((void *)by_value, verso_out, 0.4, verso_out, 1.1);
  CHECK_CLOSE(d.x,
              __verso_jvp((void *)by_value, verso_dup, 0.4, 1., verso_dup, 1.1,
                          0.),
              1e-14);
  CHECK_CLOSE(d.y,
              __verso_jvp((void *)by_value, verso_dup, 0.4, 0., verso_dup, 1.1,
                          1.),
              1e-14);
}

static void checkAll(std::vector<std::string> functions,
                     std::vector<std::string> laws) {
  for (int k = 0; k < 2; ++k) {
    names = functions;
    check<by_name>();
    check<throwing>();
    check<leaving>();
    check<catching>();
    checkValues();
    names = laws;
    check<by_law>();
  }
}

int main() {
  checkAll({"square", "sine", "square"}, {"line", "wave", "line"});
  addOthers(all);
  checkAll({"square", "sine", "square"}, {"line", "wave", "line"});
  // From several threads, in the middle of a loop.
  names = {"sine", "square", "cube"};
  std::thread others[3];
  for (std::thread &t : others)
    t = std::thread(check<by_name>);
  for (std::thread &t : others)
    t.join();
  checkAll({"square", "cube", "sine"}, {"line", "cubic", "wave"});
  names = {"large", "square", "sine"};
  for (int k = 0; k < 2; ++k)
    checkThrows();
  checkAll({"square", "sine", "square"}, {"line", "wave", "line"});
  return check_status();
}

#endif
