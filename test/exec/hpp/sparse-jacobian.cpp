//===- sparse-jacobian.cpp - Jacobians by the colours of their patterns ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A discretised PDE (a band), an arrowhead, and a random pattern: at small n
// pattern and values are those of the dense Jacobian; the function runs once,
// and as many sweeps are made as there are colours.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "sparse-functions.h"

template <class F> static verso::SparseMatrix<double> check(F f, int n) {
  const Vector x = point(n);
  runs = 0;
  auto s = verso::sparse_jacobian(f, x);
  CHECK_EQUAL(runs, 1);
  CHECK(verso::jacobian_sparsity(f, x) == s.pattern());
  auto dense = verso::jacrev(f)(x);
  CHECK(s.rows() == dense.rows() && s.cols() == dense.cols());
  auto t = s.transposed();
  std::size_t entries = 0;
  for (std::size_t i = 0; i != dense.rows(); ++i)
    for (std::size_t j = 0; j != dense.cols(); ++j) {
      CHECK_CLOSE(s(i, j), dense(i, j), 1e-14);
      CHECK(s(i, j) == t(j, i));
      CHECK(s.pattern().contains(i, j) == (dense(i, j) != 0));
      entries += dense(i, j) != 0;
    }
  CHECK_EQUAL(s.nonZeros(), entries);
  return s;
}

struct Mixed {
  float a;
  std::vector<double> b;
  std::array<double, 2> c;
};
static Mixed mixed(const Mixed &x) {
  return {x.a * x.a, {x.c[0], 3, x.b[1]}, {x.a + x.b[0], x.c[1] * x.c[1]}};
}

int main() {
  // Three columns of a row of a band, which no two rows apart share.
  CHECK_EQUAL(check(burgers, 40).sweeps(), 3);
  CHECK_EQUAL(check(burgers, 3).sweeps(), 3);
  CHECK_EQUAL(check(steps, 50).sweeps(), 21);
  // One sweep for the long row, two colours for the other rows.
  CHECK_EQUAL(check(arrow, 30).sweeps(), 3);
  auto random = check(scattered, 50);
  CHECK(random.sweeps() >= 3 && random.sweeps() < 15);
  // One long row: by rows.
  auto row = check(
      [](const Vector &x) {
        ++runs;
        return Vector{sum(x)};
      },
      20);
  CHECK_EQUAL(row.sweeps(), 1);
  // A value that depends on more inputs than are listed is used again.
  auto normed = check(
      [](const Vector &x) {
        ++runs;
        Vector y;
        const double s = sum(x);
        for (double v : x)
          y.push_back(v * s);
        return y;
      },
      25);
  CHECK_EQUAL(normed.nonZeros(), 625);

  auto m = verso::sparse_jacobian(mixed, Mixed{2, {3, 4}, {5, 6}});
  CHECK(m.rows() == 6 && m.cols() == 5 && m.nonZeros() == 6);
  CHECK(m(0, 0) == 4 && m(1, 3) == 1 && m(3, 2) == 1 && m(4, 0) == 1 &&
        m(4, 1) == 1 && m(5, 4) == 12);
  auto one = verso::sparse_jacobian([](double x) { return x * x * x; }, 2);
  CHECK(one.rows() == 1 && one(0, 0) == 12);
  auto none = verso::sparse_jacobian([](const Vector &) { return Vector(3); },
                                     Vector(2));
  CHECK(none.rows() == 3 && none.cols() == 2 && none.nonZeros() == 0 &&
        none.sweeps() == 0);
  return check_status();
}
