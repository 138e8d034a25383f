//===- sparse-hessian.cpp - Hessians by the colours of their patterns -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tape of a gradient: of a sum over neighbours (a band), an arrowhead, and
// pairs anywhere. Values and patterns agree with the dense Hessian, forward
// mode over reverse; the matrix is symmetric; the number of sweeps is that of
// the colours.
//
// AddressSanitizer's own shadow leaves no room for so many windows.
// REQUIRES: unsanitized
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "sparse-functions.h"

template <class F> static verso::SparseMatrix<double> check(F f, int n) {
  const Vector x = point(n);
  auto s = verso::sparse_hessian(f, x);
  CHECK(verso::hessian_sparsity(f, x) == s.pattern());
  CHECK(s.pattern() == s.pattern().transposed());
  auto dense = verso::hessian(f)(x);
  for (int i = 0; i != n; ++i)
    for (int j = 0; j != n; ++j) {
      CHECK_CLOSE(s(i, j), dense(i, j), 1e-13);
      CHECK(dense(i, j) == 0 || s.pattern().contains(i, j));
    }
  return s;
}

static double differences(const Vector &x) {
  double s = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    s += (x[i] - x[i + 1]) * (x[i] - x[i + 1]);
  return s;
}
static double weighted(const Vector &x, double c) { return c * chain(x); }

int main() {
  auto band = check(verso::fn<chain>, 20);
  CHECK_EQUAL(band.sweeps(), 3);
  CHECK_EQUAL(band.nonZeros(), 20 + 2 * 19);
  // The hub and the rest.
  auto arrow = check(verso::fn<hub>, 20);
  CHECK_EQUAL(arrow.sweeps(), 2);
  CHECK(arrow.nonZeros() >= 19 + 2 * 19 && arrow.nonZeros() <= 20 + 2 * 19);
  auto random = check(verso::fn<pairs>, 40);
  CHECK(random.sweeps() >= 3 && random.sweeps() < 20);

  // Where the gradient is zero the Hessian is not.
  auto flat = verso::sparse_hessian(verso::fn<differences>, Vector(5, 1.0));
  CHECK_EQUAL(flat.nonZeros(), 5 + 2 * 4);
  for (int i = 0; i != 5; ++i)
    for (int j = 0; j != 5; ++j)
      CHECK_EQUAL(flat(i, j), i == j ? (i == 0 || i == 4 ? 2 : 4)
                              : std::abs(i - j) == 1 ? -2
                                                     : 0);

  auto scaled = verso::sparse_hessian(verso::fn<weighted>, point(6),
                                      verso::constant(2.0));
  auto plain = verso::sparse_hessian(verso::fn<chain>, point(6));
  CHECK(scaled.rows() == 6 && scaled.cols() == 6);
  for (int i = 0; i != 6; ++i)
    for (int j = 0; j != 6; ++j)
      CHECK_CLOSE(scaled(i, j), 2 * plain(i, j), 1e-14);
  return check_status();
}
