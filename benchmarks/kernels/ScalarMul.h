//===- ScalarMul.h - one multiplication -------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paper's first function: x * y. Google Benchmark's loop differentiates it
// many times over, so this is the cost of a request and hardly that of anything
// else.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_SCALARMUL_H
#define VERSO_BENCHMARKS_KERNELS_SCALARMUL_H

#include "../Harness.h"

/// A call, as in the paper: a single multiplication that is not inlined.
template <typename Real>
[[gnu::noinline]] Real multiply(const Real &X, const Real &Y) {
  return X * Y;
}

template <typename Real> struct ScalarMul {
  explicit ScalarMul(size_t) : X(0.75), Y(-1.25) {}
  template <typename F> void forEachActive(F Visit) {
    Visit(X);
    Visit(Y);
  }
  Real evaluate() const { return multiply<Real>(X, Y); }

  Real X, Y;
};

inline void handAdjoint(const ScalarMul<double> &P, ScalarMul<double> &D) {
  D.X += P.Y;
  D.Y += P.X;
}

#endif // VERSO_BENCHMARKS_KERNELS_SCALARMUL_H
