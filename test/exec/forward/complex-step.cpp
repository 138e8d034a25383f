//===- complex-step.cpp - forward mode against the complex step ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An oracle that shares nothing with the rules: templates over the scalar
// type, evaluated at complex numbers with a step of 1e-100.
//
//===----------------------------------------------------------------------===//

#include "../complex_step.h"
#include "forward.h"

template <class T> static T elementary(const T *x) {
  using std::cos, std::cosh, std::exp, std::log, std::sin, std::sinh, std::sqrt,
      std::tan, std::tanh, std::pow;
  T a = sin(x[0]) * exp(x[1]) + log(x[2]) / sqrt(x[0]);
  T b = tan(x[1]) * tanh(x[2]) - pow(x[0], x[2]);
  return a * b + cosh(x[1]) - sinh(a) * cos(b);
}
template <class T> static T looped(const T *x) {
  T u = x[0], v = x[1], table[8];
  for (int i = 0; i < 8; ++i)
    table[i] = u * T(i) + v;
  for (int i = 0; i < 30; ++i) {
    T t = u + T(0.05) * (v - table[i % 8] * u * x[2]);
    v = v - T(0.05) * u * v;
    u = t;
    table[(i * 3) % 8] = u * v;
  }
  return u * v + table[5];
}
static double elementary_of(const double *x) { return elementary(x); }
static double looped_of(const double *x) { return looped(x); }

int main() {
  std::vector<double> x{0.8, 0.3, 1.7};
  auto ge = complex_step([](auto &z) { return elementary(z.data()); }, x);
  auto gl = complex_step([](auto &z) { return looped(z.data()); }, x);
  for (int i = 0; i < 3; ++i) {
    double v[3];
    fill_direction(v, 3, i + 1);
    double t =
        __verso_jvp((void *)elementary_of, verso_dup, x.data(), (double *)v);
    check_transposed("elementary", __FILE__, __LINE__, t,
                     dot_product(ge.data(), v, 3), dot_scale(ge.data(), v, 3));
    t = __verso_jvp((void *)looped_of, verso_dup, x.data(), (double *)v);
    check_transposed("looped", __FILE__, __LINE__, t,
                     dot_product(gl.data(), v, 3), dot_scale(gl.data(), v, 3));
  }
  return check_status();
}
