//===- library-virtuals.cpp - virtual functions of the C++ library --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls through tables that lie in the library: what() of exceptions that the
// library or the program throws, buffers of streams, characters of a locale,
// objects that are deleted through a pointer to their base.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static std::string Log;

CHECK_NOINLINE static void refuse(double x, const std::vector<int> &table) {
  if (x > 2)
    throw std::runtime_error("above two");
  if (x < 0)
    throw std::out_of_range("below zero");
  if (x > 1.75)
    (void)std::stoi("x");
  if (x > 1.5)
    (void)table.at(7);
  if (x > 1.25)
    throw std::bad_alloc();
}

/// What a message says decides, but has no derivative.
CHECK_NOINLINE static double guarded(const double *x, int n) {
  std::vector<int> table(3);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      refuse(x[i], table);
      s += x[i] * x[i];
    } catch (const std::exception &e) {
      Log += e.what();
      s += (double)(1 + (e.what()[0] == 'a')) * x[i] * x[0];
    }
  }
  return s;
}

CHECK_NOINLINE static double lines(const double *x, int n) {
  std::istringstream in("0 1\n2 3\n\n1 1\n");
  std::string line;
  double s = 0;
  while (std::getline(in, line)) {
    if (line.empty())
      continue;
    int a = line[0] - '0', b = line[2] - '0';
    s += x[a % n] * x[b % n];
  }
  std::ostringstream out;
  for (int i = 0; i < 100; ++i)
    out << s << ' ' << i << std::endl;
  out.rdbuf()->sputc('!');
  Log += out.str();
  return s;
}

/// A number beside what a base class owns.
struct Failure {
  double weight;
  std::unique_ptr<std::exception> why;
};

CHECK_NOINLINE static double kept(const double *x, int n) {
  std::vector<Failure> failures;
  for (int i = 0; i < n; ++i)
    if (x[i] > 1)
      failures.push_back(
          {x[i] * x[i], std::make_unique<std::runtime_error>("large")});
    else
      failures.push_back({3 * x[i], std::make_unique<std::logic_error>("no")});
  std::unique_ptr<std::ostream> out = std::make_unique<std::ostringstream>();
  double s = 0;
  for (Failure &f : failures) {
    *out << f.why->what();
    s += f.weight * (f.why->what()[0] == 'l' ? 1 : x[0]);
  }
  return s;
}

typedef double function(const double *x, int n);

template <function f> static void check(const double *expected) {
  double x[6] = {1, 3, -1, 1.6, 1.3, 1.8}, dx[6] = {0};
  __verso_grad((void *)f, verso_dup, x, dx, verso_const, 6);
  for (int i = 0; i < 6; ++i) {
    CHECK_CLOSE(dx[i], expected[i], 1e-14);
    double t[6] = {0};
    t[i] = 1;
    CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, t, verso_const, 6),
                expected[i], 1e-14);
  }
}

int main() {
  // x0^2 + x0 (2 x1 + x2 + x3 + x4 + x5)
  const double ofGuarded[] = {2 + 6 - 1 + 1.6 + 1.3 + 1.8, 2, 1, 1, 1, 1};
  check<guarded>(ofGuarded);
  // x0 x1 + x2 x3 + x1 x1
  const double ofLines[] = {3, 1 + 6, 1.6, -1, 0, 0};
  check<lines>(ofLines);
  // 3 x0 x0 + 3 x2 x0 + the squares of the others
  const double ofKept[] = {6 - 3, 6, 3, 3.2, 2.6, 3.6};
  check<kept>(ofKept);
  CHECK_EQUAL(Log.find("above two") != std::string::npos, 1);
  return check_status();
}
