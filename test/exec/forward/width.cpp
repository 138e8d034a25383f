//===- width.cpp - several directions at once ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Widths 1, 2, 3, 4, 8 and 28: each direction equals the request of width 1
// with that direction, bit for bit, for returned numbers, structures, outputs
// in memory, linked shadows, globals, heap and calls. Fewer results than
// directions would show as a wrong struct.
//
// AddressSanitizer's own shadow leaves no room for so many windows.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <utility>
#include <vector>

template <int K> struct Many {
  double v[K];
};
template <class Result, class... Args> Result __verso_jvp_any(Args...);

static double heaped;
CHECK_NOINLINE static double work(const double *x, double *y, double s) {
  double *p = static_cast<double *>(malloc(4 * sizeof(double)));
  for (int i = 0; i < 4; ++i)
    p[i] = std::sin(x[i]) * s + x[(i + 1) % 4];
  heaped = p[1] * p[2];
  std::vector<double> v(p, p + 4);
  free(p);
  v.push_back(heaped);
  double sum = 0;
  for (double e : v)
    sum += e * e;
  for (int i = 0; i < 3; ++i)
    y[i] = v[i] * v[i + 1] + std::fabs(x[i]) / (1 + s * s);
  memcpy(y + 3, &v[4], sizeof(double));
  float f = static_cast<float>(x[0]);
  return sum * s + f * f;
}
static double scalar(double x) { return x * x * x; }

static double x[4] = {0.5, -1.25, 2, 0.75};
static double dx[28][4], dy[28][4], ds[28], expected[28][5];

template <int K, int... I> static void check(std::integer_sequence<int, I...>) {
  double y[4];
  for (auto &d : dy)
    for (double &e : d)
      e = 99;
  Many<K> r = __verso_jvp_any<Many<K>>(
      (void *)work, &verso_width, K, &verso_dup, (double *)x,
      (double *)dx[I]..., &verso_dup, (double *)y, (double *)dy[I]...,
      &verso_dup, 1.5, (double)ds[I]...);
  for (int k = 0; k < K; ++k) {
    CHECK_CLOSE(r.v[k], expected[k][4], 1e-14);
    for (int i = 0; i < 4; ++i)
      CHECK_CLOSE(dy[k][i], expected[k][i], 1e-14);
  }
  for (int k = K; k < 28; ++k)
    CHECK_EQUAL(dy[k][0], 99);
  Many<K> c = __verso_jvp_any<Many<K>>((void *)scalar, &verso_width, K, 2.0,
                                       (double)ds[I]...);
  for (int k = 0; k < K; ++k)
    CHECK_CLOSE(c.v[k], 12 * ds[k], 1e-15);
}
template <int K> static void check() {
  check<K>(std::make_integer_sequence<int, K>());
}

int main() {
  for (int k = 0; k < 28; ++k) {
    fill_direction(dx[k], 4, k + 1);
    fill_direction(&ds[k], 1, k + 100);
    double y[4], t[4] = {9, 9, 9, 9};
    expected[k][4] =
        __verso_jvp((void *)work, verso_dup, (double *)x, (double *)dx[k],
                    verso_dup, (double *)y, (double *)t, verso_dup, 1.5, ds[k]);
    memcpy(expected[k], t, sizeof t);
  }
  check<2>();
  check<3>();
  check<4>();
  check<8>();
  check<28>();
  return check_status();
}
