//===- Heat.h - the linear heat equation on a grid --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explicit steps of the two-dimensional heat equation with fixed borders,
// double buffered, then a weighted sum of the field: linear, so that no adjoint
// needs a tape. A grid has 128 columns and about n cells.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_HEAT_H
#define VERSO_BENCHMARKS_KERNELS_HEAT_H

#include "../Harness.h"

#include <utility>

constexpr int HeatSteps = 20;
constexpr double HeatFlow = 0.2;

template <typename Real>
void heatStep(const Real *From, Real *To, size_t Rows, size_t Columns,
              double Flow) {
  for (size_t I = 1; I + 1 < Rows; ++I)
    for (size_t J = 1; J + 1 < Columns; ++J) {
      const Real *C = From + I * Columns + J;
      To[I * Columns + J] =
          C[0] + Flow * (C[-1] + C[1] + C[-(ptrdiff_t)Columns] + C[Columns] -
                         4.0 * C[0]);
    }
}

template <typename Real>
Real heat(const Real *Initial, const double *Weights, size_t Rows,
          size_t Columns, int Steps, double Flow) {
  std::vector<Real> Now(Initial, Initial + Rows * Columns), Then = Now;
  for (int Step = 0; Step != Steps; ++Step) {
    heatStep<Real>(Now.data(), Then.data(), Rows, Columns, Flow);
    Now.swap(Then);
  }
  Real Sum = 0.0;
  for (size_t I = 0; I != Rows * Columns; ++I)
    Sum += Weights[I] * Now[I];
  return Sum;
}

template <typename Real> struct Heat {
  explicit Heat(size_t N)
      : Rows(N / Columns < 4 ? 4 : N / Columns), Initial(Rows * Columns),
        Weights(Rows * Columns) {
    verso_bench::Random Rng(8);
    for (size_t I = 0; I != Initial.size(); ++I) {
      Initial[I] = Rng.uniform(0, 1);
      Weights[I] = Rng.uniform(-1, 1);
    }
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Initial)
      Visit(V);
  }
  Real evaluate() const {
    return heat<Real>(Initial.data(), Weights.data(), Rows, Columns, HeatSteps,
                      HeatFlow);
  }

  static constexpr size_t Columns = 128;
  size_t Rows;
  std::vector<Real> Initial;
  std::vector<double> Weights;
};

/// What the border cells of a step's field gave to the cells beside them.
/// Corners give nothing.
inline void heatBorderAdjoint(const double *Inner, double *Border, size_t Rows,
                              size_t Columns, double Flow) {
  const size_t Last = (Rows - 1) * Columns;
  for (size_t J = 1; J + 1 < Columns; ++J) {
    Border[J] += Flow * Inner[Columns + J];
    Border[Last + J] += Flow * Inner[Last - Columns + J];
  }
  for (size_t I = 1; I + 1 < Rows; ++I) {
    Border[I * Columns] += Flow * Inner[I * Columns + 1];
    Border[(I + 1) * Columns - 1] += Flow * Inner[(I + 1) * Columns - 2];
  }
}

/// The step is symmetric but for the borders: L, the adjoint of the inner
/// cells, goes through the same step with zero around it.
inline void handAdjoint(const Heat<double> &P, Heat<double> &D,
                        verso_bench::Tape &T) {
  const size_t Columns = P.Columns, Cells = P.Rows * Columns;
  double *L = T.zeroed(Cells), *Next = T.zeroed(Cells);
  double *__restrict DInitial = D.Initial.data();
  for (size_t I = 0; I != P.Rows; ++I)
    for (size_t J = 0; J != Columns; ++J) {
      size_t At = I * Columns + J;
      bool Inner = I && J && I + 1 != P.Rows && J + 1 != Columns;
      (Inner ? L : DInitial)[At] += P.Weights[At];
    }
  for (int Step = 0; Step != HeatSteps; ++Step) {
    heatBorderAdjoint(L, DInitial, P.Rows, Columns, HeatFlow);
    heatStep<double>(L, Next, P.Rows, Columns, HeatFlow);
    std::swap(L, Next);
  }
  for (size_t I = 0; I != Cells; ++I)
    DInitial[I] += L[I];
}

/// All is linear: the same steps, of the tangent alone.
inline double handTangent(const Heat<double> &P, const Heat<double> &D,
                          verso_bench::Tape &T) {
  const size_t Columns = P.Columns, Cells = P.Rows * Columns;
  double *Now = T.scratch(Cells), *Then = T.scratch(Cells);
  std::copy_n(D.Initial.data(), Cells, Now);
  std::copy_n(D.Initial.data(), Cells, Then);
  for (int Step = 0; Step != HeatSteps; ++Step) {
    heatStep<double>(Now, Then, P.Rows, Columns, HeatFlow);
    std::swap(Now, Then);
  }
  double Sum = 0;
  for (size_t I = 0; I != Cells; ++I)
    Sum += P.Weights[I] * Now[I];
  return Sum;
}

#endif // VERSO_BENCHMARKS_KERNELS_HEAT_H
