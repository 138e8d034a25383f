//===- inner-requests.cpp - requests inside of one that watches -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A derivative that the program gives makes a request itself, which reads what
// is watched: it is no outermost one, so that its adjoints are nobody's. So it
// is when an exception has left a request before, whose adjoints are gone.
//
// LEVELS: O0 O1 O2g O3
// UNCHECKED: a derivative that is given has no tangent
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdexcept>
#include <string>
#include <verso/verso.h>

struct Parameters {
  double w[2];
  int throws;
};
static Parameters p = {{3, 4}, 0};

CHECK_NOINLINE static double energy(double u) { return u * p.w[0] * p.w[1]; }
double curve(double u);
double curve(double u) { return u * u; }
double slope(double u);
// 2 u, and a request of its own.
CHECK_NOINLINE double slope(double u) {
  return 2 * u + 0 * __verso_grad((void *)energy, verso_out, u);
}
VERSO_DERIVATIVE(curve, slope);

CHECK_NOINLINE static double outer(const Parameters *q, double x) {
  double r = x * q->w[0];
  if (q->throws)
    throw 1;
  return r + curve(x) * q->w[1];
}

// Leaves through functions without a handler; the next request is further down
// the stack.
static std::string text = "x";
CHECK_NOINLINE static double checked(double x) {
  return x * p.w[0] + text.at(x > 1 ? 9 : 0);
}
CHECK_NOINLINE static double request(double x) {
  return __verso_grad((void *)checked, verso_out, x);
}
CHECK_NOINLINE static double deeper(double x) {
  volatile char room[256];
  room[0] = 0;
  return request(x) + room[0];
}

int main() {
  verso_watch(p.w, sizeof p.w);
  for (int pass = 0; pass < 3; ++pass) {
    p.throws = pass == 1;
    double x = 2 + pass;
    bool left = false;
    try {
      CHECK_EQUAL(__verso_grad((void *)outer, verso_const, &p, verso_out, x),
                  p.w[0] + 2 * x * p.w[1]);
    } catch (int) {
      left = true;
    }
    CHECK_EQUAL(left, p.throws);
    auto *w = (double *)verso_adjoint_of(p.w);
    CHECK_EQUAL(w[0], left ? 0 : x);
    CHECK_EQUAL(w[1], left ? 0 : x * x);
  }
  // That one is an outermost request now.
  CHECK_EQUAL(__verso_grad((void *)energy, verso_out, 5.0), 12);
  CHECK_EQUAL(((double *)verso_adjoint_of(p.w))[0], 20);
  try {
    request(2);
  } catch (const std::out_of_range &) {
  }
  CHECK_EQUAL(deeper(0.5), 3);
  CHECK_EQUAL(*(double *)verso_adjoint_of(p.w), 0.5);
  return check_status();
}
