//===- containers.cpp - gradients of arrays, vectors, spans ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a container is a container of the same shape, that of a view
// owns its numbers. Containers nest; temporaries and empty ones are arguments
// as others are.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

static double sum_of_squares(std::span<const double> x) {
  double sum = 0;
  for (double v : x)
    sum += v * v;
  return sum;
}
static double chain(const std::vector<double> &x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    sum += x[i] * x[i] * x[i + 1];
  return sum;
}
static double chain_of(double *x) { return chain(std::vector(x, x + 5)); }
static double by_value(std::vector<double> x) {
  for (double &v : x)
    v *= v;
  x.push_back(x[0] * x[1]);
  return x.back() + x[2];
}
static double table(const std::vector<std::vector<float>> &rows,
                    const std::array<std::array<double, 2>, 3> &m) {
  double sum = 0;
  for (std::size_t i = 0; i != rows.size(); ++i)
    for (std::size_t j = 0; j != rows[i].size(); ++j)
      sum +=
          (i + 1.0) * (j + 1.0) * rows[i][j] * rows[i][j] * m[i][0] + m[i][1];
  return sum;
}
static double indexed(const std::vector<double> &x,
                      const std::vector<int> &order) {
  double product = 1;
  for (int i : order)
    product *= x[i];
  return product;
}
static double magnitude(std::complex<double> z,
                        const std::vector<std::complex<double>> &w) {
  double sum = z.real() * z.real() + 3 * z.imag();
  for (const auto &c : w)
    sum += std::norm(c);
  return sum;
}
static double grouped(const std::pair<double, std::tuple<float, int>> &p,
                      std::span<const double, 3> s) {
  auto [a, rest] = p;
  return a * std::get<0>(rest) * std::get<1>(rest) + s[0] * s[1] * s[2];
}

int main() {
  std::vector<double> x{1, 3, 2, 5, 4};
  std::vector<double> dx = verso::grad(chain)(x);
  CHECK(dx.size() == 5);
  CHECK_GRADIENT(chain_of, 5, x.data(), dx.data(), 1e-9);
  auto temporary = verso::grad(chain)(std::vector<double>{1, 2, 3});
  CHECK_EQUAL(temporary[1], 1 + 12);
  CHECK(verso::grad(chain)(std::vector<double>()).empty());

  std::vector<double> ds = verso::grad(sum_of_squares)(x);
  CHECK_EQUAL(ds[3], 10);
  // A part of it, by a view.
  auto part = verso::grad(sum_of_squares)(std::span(x).subspan(1, 2));
  CHECK(part.size() == 2 && part[0] == 6 && part[1] == 4);
  double raw[3] = {1, 2, 3};
  auto of_array = verso::grad(sum_of_squares)(raw);
  CHECK(of_array.size() == 3 && of_array[2] == 6);

  auto dv = verso::grad(by_value)(x);
  CHECK_EQUAL(dv[0], 2 * 9);
  CHECK_EQUAL(dv[1], 6);
  CHECK_EQUAL(dv[2], 4);
  CHECK_EQUAL(dv[4], 0);
  CHECK(x.size() == 5 && x[1] == 3);

  auto [drows, dm] =
      verso::value_and_grad(table)(
          std::vector<std::vector<float>>{{1, 2}, {}, {3}},
          std::array<std::array<double, 2>, 3>{{{1, 2}, {3, 4}, {5, 6}}})
          .gradient;
  CHECK(drows.size() == 3 && drows[0].size() == 2 && drows[1].empty());
  CHECK_EQUAL(drows[0][1], 8);
  CHECK_EQUAL(drows[2][0], 3 * 6 * 5);
  CHECK_EQUAL(dm[0][0], 1 + 8);
  CHECK_EQUAL(dm[2][0], 27);
  CHECK_EQUAL(dm[0][1], 2);
  CHECK_EQUAL(dm[1][1], 0);

  auto di = verso::grad(indexed)(x, std::vector<int>{1, 1, 3});
  CHECK_EQUAL(di[1], 2 * 3 * 5);
  CHECK_EQUAL(di[3], 9);
  CHECK_EQUAL(di[0], 0);

  auto [dz, dw] =
      verso::grad(magnitude)(std::complex<double>(3, 4),
                             std::vector<std::complex<double>>{{1, 2}, {5, 6}});
  CHECK(dz == std::complex<double>(6, 3));
  CHECK(dw[1] == std::complex<double>(10, 12));

  auto [dp, d3] = verso::grad(grouped)(std::pair{2.0, std::tuple{3.0f, 5}},
                                       std::span<const double, 3>(raw));
  CHECK_EQUAL(dp.first, 15);
  CHECK_EQUAL(std::get<0>(dp.second), 10);
  CHECK_EQUAL(std::get<1>(dp.second), 5);
  static_assert(std::is_same_v<decltype(d3), std::array<double, 3>>);
  CHECK_EQUAL(d3[0], 6);
  return check_status();
}
