//===- HeatNonlinear.h - heat whose conduction depends on it ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explicit steps of the two-dimensional heat equation, double buffered, with
// fixed borders and a conductivity of 1 + u^2, the mean of the two cells' at
// each face; then a weighted sum of the field. A grid has 128 columns and about
// n cells.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_HEATNONLINEAR_H
#define VERSO_BENCHMARKS_KERNELS_HEATNONLINEAR_H

#include "../Harness.h"

#include <utility>

constexpr int HeatNonlinearSteps = 20;
constexpr double HeatNonlinearFlow = 0.05;

/// What flows into a cell of heat U from a neighbour of heat V.
template <typename Real> Real heatFlux(const Real &U, const Real &V) {
  return (1.0 + 0.5 * (U * U + V * V)) * (V - U);
}

template <typename Real>
void heatNonlinearStep(const Real *From, Real *To, size_t Rows,
                       size_t Columns) {
  for (size_t I = 1; I + 1 < Rows; ++I)
    for (size_t J = 1; J + 1 < Columns; ++J) {
      const Real *C = From + I * Columns + J;
      To[I * Columns + J] =
          C[0] + HeatNonlinearFlow *
                     (heatFlux<Real>(C[0], C[-1]) + heatFlux<Real>(C[0], C[1]) +
                      heatFlux<Real>(C[0], C[-(ptrdiff_t)Columns]) +
                      heatFlux<Real>(C[0], C[Columns]));
    }
}

template <typename Real>
[[gnu::flatten]] void heatNonlinearStepRestrict(const Real *__restrict From,
                                                Real *__restrict To,
                                                size_t Rows, size_t Columns) {
  heatNonlinearStep<Real>(From, To, Rows, Columns);
}

template <typename Real, void Step(const Real *, Real *, size_t,
                                   size_t) = heatNonlinearStep<Real>>
Real heatNonlinear(const Real *Initial, const double *Weights, size_t Rows,
                   size_t Columns) {
  std::vector<Real> Now(Initial, Initial + Rows * Columns), Then = Now;
  for (int I = 0; I != HeatNonlinearSteps; ++I) {
    Step(Now.data(), Then.data(), Rows, Columns);
    Now.swap(Then);
  }
  Real Sum = 0.0;
  for (size_t I = 0; I != Rows * Columns; ++I)
    Sum += Weights[I] * Now[I];
  return Sum;
}

template <typename Real>
Real heatNonlinearRestrict(const Real *__restrict Initial,
                           const double *__restrict Weights, size_t Rows,
                           size_t Columns) {
  return heatNonlinear<Real, heatNonlinearStepRestrict<Real>>(Initial, Weights,
                                                              Rows, Columns);
}

template <typename Real> struct HeatNonlinear {
  explicit HeatNonlinear(size_t N)
      : Rows(N / Columns < 4 ? 4 : N / Columns), Initial(Rows * Columns),
        Weights(Rows * Columns) {
    verso_bench::Random Rng(24);
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
    return heatNonlinear<Real>(Initial.data(), Weights.data(), Rows, Columns);
  }
  Real evaluateRestrict() const {
    return heatNonlinearRestrict<Real>(Initial.data(), Weights.data(), Rows,
                                       Columns);
  }

  static constexpr size_t Columns = 128;
  size_t Rows;
  std::vector<Real> Initial;
  std::vector<double> Weights;
};

/// The derivative of heatFlux(U, V) with respect to U. By the flux's symmetry,
/// that with respect to V is minus the one of heatFlux(V, U).
inline double heatFluxSlope(double U, double V) {
  return V * (U - 0.5 * V) - (1 + 1.5 * (U * U));
}

/// L is the adjoint of the inner cells after a step, with zeros at the borders,
/// Next the one before it, gathered. U is the field before the step. What the
/// border cells gave goes to Border.
inline void heatNonlinearAdjoint(const double *U, const double *__restrict L,
                                 double *__restrict Next,
                                 double *__restrict Border, size_t Rows,
                                 size_t Columns) {
  const ptrdiff_t Around[] = {-1, 1, -(ptrdiff_t)Columns, (ptrdiff_t)Columns};
  for (size_t I = 1; I + 1 < Rows; ++I)
    for (size_t J = 1; J + 1 < Columns; ++J) {
      const double *C = U + I * Columns + J, *G = L + I * Columns + J;
      double Sum = 0;
      for (ptrdiff_t At : Around)
        Sum += (G[0] - G[At]) * heatFluxSlope(C[0], C[At]);
      Next[I * Columns + J] = G[0] + HeatNonlinearFlow * Sum;
    }
  auto Give = [&](size_t Outer, size_t Inner) {
    Border[Outer] -=
        HeatNonlinearFlow * L[Inner] * heatFluxSlope(U[Outer], U[Inner]);
  };
  const size_t Last = (Rows - 1) * Columns;
  for (size_t J = 1; J + 1 < Columns; ++J) {
    Give(J, Columns + J);
    Give(Last + J, Last - Columns + J);
  }
  for (size_t I = 1; I + 1 < Rows; ++I) {
    Give(I * Columns, I * Columns + 1);
    Give((I + 1) * Columns - 1, (I + 1) * Columns - 2);
  }
}

/// The fields before all steps are kept.
inline void handAdjoint(const HeatNonlinear<double> &P,
                        HeatNonlinear<double> &D, verso_bench::Tape &T) {
  const size_t Columns = P.Columns, Cells = P.Rows * Columns;
  double *Fields = T.keep(Cells * HeatNonlinearSteps);
  double *L = T.zeroed(Cells), *Next = T.zeroed(Cells);
  double *__restrict DInitial = D.Initial.data();
  std::memcpy(Fields, P.Initial.data(), Cells * sizeof(double));
  for (int Step = 0; Step + 1 != HeatNonlinearSteps; ++Step) {
    double *Now = Fields + Step * Cells, *Then = Now + Cells;
    heatNonlinearStep<double>(Now, Then, P.Rows, Columns);
    std::memcpy(Then, Now, Columns * sizeof(double));
    for (size_t I = 1; I != P.Rows; ++I) {
      Then[I * Columns - 1] = Now[I * Columns - 1];
      Then[I * Columns] = Now[I * Columns];
    }
    std::memcpy(Then + Cells - Columns, Now + Cells - Columns,
                Columns * sizeof(double));
  }
  for (size_t I = 0; I != P.Rows; ++I)
    for (size_t J = 0; J != Columns; ++J) {
      size_t At = I * Columns + J;
      bool Inner = I && J && I + 1 != P.Rows && J + 1 != Columns;
      (Inner ? L : DInitial)[At] += P.Weights[At];
    }
  for (int Step = HeatNonlinearSteps; Step-- != 0;) {
    heatNonlinearAdjoint(Fields + Step * Cells, L, Next, DInitial, P.Rows,
                         Columns);
    std::swap(L, Next);
  }
  for (size_t I = 0; I != Cells; ++I)
    DInitial[I] += L[I];
}

#endif // VERSO_BENCHMARKS_KERNELS_HEATNONLINEAR_H
