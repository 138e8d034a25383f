//===- Minors.h - determinants by expansion in minors -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of the determinants of n matrices of 7 x 7 entries, expanded in
// minors along the rows by a recursion over the set of columns that are used
// up.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_MINORS_H
#define VERSO_BENCHMARKS_KERNELS_MINORS_H

#include "../Harness.h"

constexpr size_t MinorsWidth = 7;

template <typename Real> Real minor(const Real *A, size_t Row, unsigned Used) {
  if (Row == MinorsWidth)
    return 1.0;
  Real Sum = 0.0;
  bool Negative = false;
  for (size_t J = 0; J != MinorsWidth; ++J) {
    if (Used >> J & 1)
      continue;
    Real Term =
        A[Row * MinorsWidth + J] * minor<Real>(A, Row + 1, Used | 1u << J);
    if (Negative)
      Sum -= Term;
    else
      Sum += Term;
    Negative = !Negative;
  }
  return Sum;
}

template <typename Real> Real sumOfDeterminants(const Real *A, size_t N) {
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I)
    Sum += minor<Real>(A + I * MinorsWidth * MinorsWidth, 0, 0);
  return Sum;
}

template <typename Real> struct Minors {
  explicit Minors(size_t N) : N(N), A(N * MinorsWidth * MinorsWidth) {
    verso_bench::Random Rng(22);
    for (Real &V : A)
      V = Rng.uniform(-1, 1);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : A)
      Visit(V);
  }
  Real evaluate() const { return sumOfDeterminants<Real>(A.data(), N); }

  size_t N;
  std::vector<Real> A;
};

/// A minor's adjoint is known on the way down, from the entries above it, and
/// its value on the way up: one walk does both and keeps nothing.
inline double minorAdjoint(const double *A, double *__restrict D, size_t Row,
                           unsigned Used, double Adjoint) {
  if (Row == MinorsWidth)
    return 1;
  double Sum = 0, Sign = 1;
  for (size_t J = 0; J != MinorsWidth; ++J) {
    if (Used >> J & 1)
      continue;
    const double Entry = Sign * A[Row * MinorsWidth + J];
    const double Below =
        minorAdjoint(A, D, Row + 1, Used | 1u << J, Adjoint * Entry);
    Sum += Entry * Below;
    D[Row * MinorsWidth + J] += Sign * Adjoint * Below;
    Sign = -Sign;
  }
  return Sum;
}

inline void handAdjoint(const Minors<double> &P, Minors<double> &D) {
  constexpr size_t Entries = MinorsWidth * MinorsWidth;
  for (size_t I = 0; I != P.N; ++I)
    minorAdjoint(P.A.data() + I * Entries, D.A.data() + I * Entries, 0, 0, 1);
}

#endif // VERSO_BENCHMARKS_KERNELS_MINORS_H
