//===- records-in-any.cpp - a number beside an integer in a std::any ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small record lies in the room of a pointer, so LLVM may load it as one and
// take the integer's halves apart, one of which is the number.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <any>

extern "C" double __verso_jvp(void *, ...);

struct Above {
  int i;
  float f;
};
struct Below {
  float f;
  int i;
};

static Above made(Above, double x) { return {3, float(x)}; }
static Below made(Below, double x) { return {float(x), 3}; }

template <class T> static double scaled(const double *x) {
  std::any a = made(T(), x[0]);
  T q = std::any_cast<T>(a);
  q.i ^= 1;
  q.f *= x[1];
  a = q;
  return std::any_cast<T>(a).f;
}

template <class T> static double assigned(const double *x) {
  std::any a = made(T(), x[0]);
  T q = std::any_cast<T>(a);
  q.i = 7;
  std::any_cast<T &>(a) = q;
  return std::any_cast<T>(a).f * x[1];
}

template <class T> static double changed(const double *x) {
  std::any a = made(T(), x[0]);
  T q = std::any_cast<T>(a);
  q.i ^= 1;
  a = q;
  q = std::any_cast<T>(a);
  return q.f * x[1] * (q.i - 1);
}

#define CHECK_RECORD(F)                                                        \
  do {                                                                         \
    double x[2] = {1.5, 0.75}, dx[2] = {0, 0}, t[2] = {1, 2};                  \
    __verso_grad_void((void *)F, verso_dup, x, dx);                            \
    CHECK_EQUAL(dx[0], 0.75);                                                  \
    CHECK_EQUAL(dx[1], 1.5);                                                   \
    CHECK_EQUAL(__verso_jvp((void *)F, verso_dup, x, t), 3.75);                \
  } while (0)

int main() {
  CHECK_RECORD(scaled<Above>);
  CHECK_RECORD(assigned<Above>);
  CHECK_RECORD(changed<Above>);
  CHECK_RECORD(scaled<Below>);
  CHECK_RECORD(assigned<Below>);
  CHECK_RECORD(changed<Below>);
  return check_status();
}
