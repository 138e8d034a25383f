//===- Convolution.h - two-dimensional convolution --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared norm of an image of about n pixels convolved with a 5 x 5
// filter, where the filter fits, as a function of both.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_CONVOLUTION_H
#define VERSO_BENCHMARKS_KERNELS_CONVOLUTION_H

#include "../Harness.h"

constexpr size_t FilterWidth = 5;

template <typename Real>
Real convolution(const Real *Image, const Real *Filter, Real *Out, size_t Rows,
                 size_t Columns) {
  const size_t OutRows = Rows - FilterWidth + 1;
  const size_t OutColumns = Columns - FilterWidth + 1;
  for (size_t Y = 0; Y != OutRows; ++Y)
    for (size_t X = 0; X != OutColumns; ++X) {
      Real Sum = 0.0;
      for (size_t I = 0; I != FilterWidth; ++I)
        for (size_t J = 0; J != FilterWidth; ++J)
          Sum += Filter[I * FilterWidth + J] * Image[(Y + I) * Columns + X + J];
      Out[Y * OutColumns + X] = Sum;
    }
  Real Norm = 0.0;
  for (size_t I = 0; I != OutRows * OutColumns; ++I)
    Norm += Out[I] * Out[I];
  return 0.5 * Norm;
}

template <typename Real>
[[gnu::flatten]] Real
convolutionRestrict(const Real *__restrict Image, const Real *__restrict Filter,
                    Real *__restrict Out, size_t Rows, size_t Columns) {
  return convolution<Real>(Image, Filter, Out, Rows, Columns);
}

template <typename Real> struct Convolution {
  explicit Convolution(size_t N)
      : Rows(N / Columns), Image(Rows * Columns),
        Filter(FilterWidth * FilterWidth), Out(Rows * Columns) {
    verso_bench::Random Rng(16);
    forEachActive([&](Real &V) { V = Rng.uniform(-1, 1); });
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Image)
      Visit(V);
    for (Real &V : Filter)
      Visit(V);
  }
  Real evaluate() const {
    return convolution<Real>(Image.data(), Filter.data(), Out.data(), Rows,
                             Columns);
  }
  Real evaluateRestrict() const {
    return convolutionRestrict<Real>(Image.data(), Filter.data(), Out.data(),
                                     Rows, Columns);
  }

  static constexpr size_t Columns = 128;
  size_t Rows;
  std::vector<Real> Image, Filter;
  mutable std::vector<Real> Out;
};

/// The filter's adjoint of one row of the image, a row I below that of the
/// output G.
inline void filterAdjoint(const double *G, const double *Image,
                          double *__restrict DFilter, size_t OutColumns) {
#pragma clang fp reassociate(on)
  double Sums[FilterWidth] = {};
  for (size_t X = 0; X != OutColumns; ++X)
    for (size_t J = 0; J != FilterWidth; ++J)
      Sums[J] += G[X] * Image[X + J];
  for (size_t J = 0; J != FilterWidth; ++J)
    DFilter[J] += Sums[J];
}

/// The output G, its own adjoint, has zeros around it, so that an image's pixel
/// gathers from all places of the filter.
inline void handAdjoint(const Convolution<double> &P, Convolution<double> &D,
                        verso_bench::Tape &T) {
  constexpr size_t W = FilterWidth, Border = W - 1;
  constexpr size_t Columns = Convolution<double>::Columns;
  constexpr size_t OutColumns = Columns - Border;
  constexpr size_t Padded = OutColumns + 2 * Border;
  const size_t OutRows = P.Rows - Border;
  double *__restrict G = T.keep((OutRows + 2 * Border) * Padded);
  std::memset(G, 0, (OutRows + 2 * Border) * Padded * sizeof(double));
  const double *Image = P.Image.data(), *Filter = P.Filter.data();
  double *__restrict DImage = D.Image.data();
  for (size_t Y = 0; Y != OutRows; ++Y)
    for (size_t X = 0; X != OutColumns; ++X) {
      double Sum = 0;
      for (size_t I = 0; I != W; ++I)
        for (size_t J = 0; J != W; ++J)
          Sum += Filter[I * W + J] * Image[(Y + I) * Columns + X + J];
      G[(Y + Border) * Padded + X + Border] = Sum;
    }
  for (size_t Y = 0; Y != OutRows; ++Y)
    for (size_t I = 0; I != W; ++I)
      filterAdjoint(G + (Y + Border) * Padded + Border,
                    Image + (Y + I) * Columns, D.Filter.data() + I * W,
                    OutColumns);
  for (size_t Y = 0; Y != P.Rows; ++Y)
    for (size_t X = 0; X != Columns; ++X) {
      double Sum = 0;
      for (size_t I = 0; I != W; ++I)
        for (size_t J = 0; J != W; ++J)
          Sum +=
              Filter[I * W + J] * G[(Y + Border - I) * Padded + X + Border - J];
      DImage[Y * Columns + X] += Sum;
    }
}

/// The tangent of the norm is the product of the output and its tangent, which
/// nobody needs to store.
inline double handTangent(const Convolution<double> &P,
                          const Convolution<double> &D) {
  constexpr size_t W = FilterWidth;
  constexpr size_t Columns = Convolution<double>::Columns;
  constexpr size_t OutColumns = Columns - W + 1;
  const double *Image = P.Image.data(), *Filter = P.Filter.data();
  const double *DImage = D.Image.data(), *DFilter = D.Filter.data();
  double Row[OutColumns], DRow[OutColumns];
  double Tangent = 0;
  for (size_t Y = 0; Y != P.Rows - W + 1; ++Y) {
    for (size_t X = 0; X != OutColumns; ++X) {
      double Sum = 0, DSum = 0;
      for (size_t I = 0; I != W; ++I)
        for (size_t J = 0; J != W; ++J) {
          const size_t K = I * W + J, At = (Y + I) * Columns + X + J;
          Sum += Filter[K] * Image[At];
          DSum += Filter[K] * DImage[At] + DFilter[K] * Image[At];
        }
      Row[X] = Sum;
      DRow[X] = DSum;
    }
    Tangent += verso_bench::dotInAnyOrder(Row, DRow, OutColumns);
  }
  return Tangent;
}

#endif // VERSO_BENCHMARKS_KERNELS_CONVOLUTION_H
