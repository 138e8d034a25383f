//===- texts-of-exceptions.cpp - what() in a handler ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers by a class of the library ask for the text of what was thrown, also
// of a class of the program's own; the function goes on. What is no what() but
// stands where it would be, of an object in a template of the library, is called
// as ever.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

static std::size_t Read;

struct Diverged : std::runtime_error {
  std::string Text;
  explicit Diverged(const char *Text) : std::runtime_error(""), Text(Text) {}
  const char *what() const noexcept override { return Text.c_str(); }
};

static double root(double x) {
  if (x < 0)
    throw std::invalid_argument("negative");
  if (x == 0)
    throw Diverged("at a pole");
  return std::sqrt(x);
}

CHECK_NOINLINE static double by_base(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; ++i)
    try {
      s += root(x[i]) * x[1];
    } catch (const std::exception &e) {
      Read += std::strlen(e.what());
      s += 3 * x[i];
    }
  return s;
}

CHECK_NOINLINE static double by_several(const double *x) {
  double s = x[0] * x[2];
  try {
    s *= root(x[2]);
  } catch (const std::invalid_argument &e) {
    std::string text = std::string("bad: ") + e.what();
    Read += text.size();
    s *= x[1];
  } catch (const std::runtime_error &e) {
    Read += std::strlen(e.what());
    s += x[1];
  } catch (...) {
    s = 0;
  }
  return s;
}

static double Number;
struct Shape {
  virtual ~Shape() = default;
  virtual Shape *scale() {
    Number *= 2;
    return this;
  }
};

CHECK_NOINLINE static double no_text(const double *x) {
  Number = x[0] * x[1];
  try {
    throw std::array<Shape, 1>{};
  } catch (std::array<Shape, 1> &shapes) {
    shapes[0].scale();
  }
  return Number;
}

/// A class of the library that has no what(), where its third function is.
struct Scaling : std::nested_exception {
  virtual Scaling *scale() noexcept {
    Number *= 2;
    return this;
  }
};

CHECK_NOINLINE static double nested(const double *x) {
  Number = x[0] * x[1];
  try {
    throw Scaling();
  } catch (std::nested_exception &e) {
    static_cast<Scaling &>(e).scale();
  }
  return Number;
}

typedef double function(const double *);
template <function f>
static void check(double x, double y, double z, const double (&d)[3],
                  std::size_t length) {
  double p[3] = {x, y, z}, dp[3] = {};
  Read = 0;
  __verso_grad((void *)f, verso_dup, p, dp);
  for (int i = 0; i < 3; ++i)
    CHECK_CLOSE(dp[i], d[i], 1e-14);
  CHECK(Read == length);
}

int main() {
  check<by_base>(4, 9, 16, {9. / 4, 2 + 3 + 1.5 + 4, 9. / 8}, 0);
  check<by_base>(-4, 9, 0, {3, 3 + 1.5, 3}, 8 + 9);
  check<by_several>(2, 3, 4, {8, 0, 6}, 0);
  check<by_several>(2, 3, -4, {-12, -8, 6}, 13);
  check<by_several>(2, 3, 0, {0, 1, 2}, 9);
  check<no_text>(2, 3, 0, {6, 4, 0}, 0);
  check<nested>(2, 3, 0, {6, 4, 0}, 0);
  return check_status();
}
