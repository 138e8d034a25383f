//===- Brusselator.h - a reaction with diffusion ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared norm of the two fields of the Brusselator after ten explicit
// Euler steps on a periodic grid of 64 columns and n cells,
//   u' = 1 + u^2 v - 4.4 u + a (laplacian of u)
//   v' = 3.4 u - u^2 v + a (laplacian of v),
// as a function of where they start.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_BRUSSELATOR_H
#define VERSO_BENCHMARKS_KERNELS_BRUSSELATOR_H

#include "../Harness.h"

#include <utility>

constexpr int BrusselatorSteps = 10;
constexpr double BrusselatorDt = 0.005;
constexpr double BrusselatorDiffusion = 20;

template <typename Real>
void brusselatorStep(const Real *U, const Real *V, Real *NextU, Real *NextV,
                     size_t Rows, size_t Columns) {
  for (size_t I = 0; I != Rows; ++I) {
    size_t Up = (I == 0 ? Rows - 1 : I - 1) * Columns;
    size_t Down = (I + 1 == Rows ? 0 : I + 1) * Columns;
    for (size_t J = 0; J != Columns; ++J) {
      size_t At = I * Columns + J;
      size_t Left = I * Columns + (J == 0 ? Columns - 1 : J - 1);
      size_t Right = I * Columns + (J + 1 == Columns ? 0 : J + 1);
      Real LapU = U[Up + J] + U[Down + J] + U[Left] + U[Right] - 4.0 * U[At];
      Real LapV = V[Up + J] + V[Down + J] + V[Left] + V[Right] - 4.0 * V[At];
      Real Reaction = U[At] * U[At] * V[At];
      NextU[At] = U[At] + BrusselatorDt * (1.0 + Reaction - 4.4 * U[At] +
                                           BrusselatorDiffusion * LapU);
      NextV[At] = V[At] + BrusselatorDt * (3.4 * U[At] - Reaction +
                                           BrusselatorDiffusion * LapV);
    }
  }
}

template <typename Real>
[[gnu::flatten]] void
brusselatorStepRestrict(const Real *__restrict U, const Real *__restrict V,
                        Real *__restrict NextU, Real *__restrict NextV,
                        size_t Rows, size_t Columns) {
  brusselatorStep<Real>(U, V, NextU, NextV, Rows, Columns);
}

template <typename Real, void Step(const Real *, const Real *, Real *, Real *,
                                   size_t, size_t) = brusselatorStep<Real>>
Real brusselator(const Real *InitialU, const Real *InitialV, size_t Rows,
                 size_t Columns) {
  const size_t Cells = Rows * Columns;
  std::vector<Real> U(InitialU, InitialU + Cells), NextU(Cells);
  std::vector<Real> V(InitialV, InitialV + Cells), NextV(Cells);
  for (int I = 0; I != BrusselatorSteps; ++I) {
    Step(U.data(), V.data(), NextU.data(), NextV.data(), Rows, Columns);
    U.swap(NextU);
    V.swap(NextV);
  }
  Real Sum = 0.0;
  for (size_t I = 0; I != Cells; ++I)
    Sum += U[I] * U[I] + V[I] * V[I];
  return 0.5 * Sum;
}

template <typename Real>
Real brusselatorRestrict(const Real *__restrict InitialU,
                         const Real *__restrict InitialV, size_t Rows,
                         size_t Columns) {
  return brusselator<Real, brusselatorStepRestrict<Real>>(InitialU, InitialV,
                                                          Rows, Columns);
}

template <typename Real> struct Brusselator {
  explicit Brusselator(size_t N)
      : Rows(N / Columns), U(Rows * Columns), V(Rows * Columns) {
    verso_bench::Random Rng(25);
    forEachActive([&](Real &X) { X = Rng.uniform(0, 2); });
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &X : U)
      Visit(X);
    for (Real &X : V)
      Visit(X);
  }
  Real evaluate() const {
    return brusselator<Real>(U.data(), V.data(), Rows, Columns);
  }
  Real evaluateRestrict() const {
    return brusselatorRestrict<Real>(U.data(), V.data(), Rows, Columns);
  }

  static constexpr size_t Columns = 64;
  size_t Rows;
  std::vector<Real> U, V;
};

/// Two fields of one step.
struct BrusselatorFields {
  double *U, *V;
};

/// LU and LV become NextU and NextV, the adjoints before the step, gathered:
/// the laplacian of a periodic grid is symmetric.
inline void brusselatorAdjoint(const double *U, const double *V,
                               const BrusselatorFields &L,
                               const BrusselatorFields &Next, size_t Rows,
                               size_t Columns) {
  const double *__restrict LU = L.U, *__restrict LV = L.V;
  double *__restrict NextU = Next.U, *__restrict NextV = Next.V;
  for (size_t I = 0; I != Rows; ++I) {
    const size_t Up = (I == 0 ? Rows - 1 : I - 1) * Columns;
    const size_t Down = (I + 1 == Rows ? 0 : I + 1) * Columns;
    for (size_t J = 0; J != Columns; ++J) {
      const size_t At = I * Columns + J;
      const size_t Left = I * Columns + (J == 0 ? Columns - 1 : J - 1);
      const size_t Right = I * Columns + (J + 1 == Columns ? 0 : J + 1);
      const double LapU =
          LU[Up + J] + LU[Down + J] + LU[Left] + LU[Right] - 4 * LU[At];
      const double LapV =
          LV[Up + J] + LV[Down + J] + LV[Left] + LV[Right] - 4 * LV[At];
      const double DReaction = LU[At] - LV[At];
      NextU[At] = LU[At] + BrusselatorDt *
                               (2 * U[At] * V[At] * DReaction - 4.4 * LU[At] +
                                3.4 * LV[At] + BrusselatorDiffusion * LapU);
      NextV[At] = LV[At] + BrusselatorDt * (U[At] * U[At] * DReaction +
                                            BrusselatorDiffusion * LapV);
    }
  }
}

/// The fields before all steps are kept.
inline void handAdjoint(const Brusselator<double> &P, Brusselator<double> &D,
                        verso_bench::Tape &T) {
  const size_t Columns = P.Columns, Cells = P.Rows * Columns;
  double *Kept = T.keep(2 * Cells * BrusselatorSteps);
  BrusselatorFields L = {T.scratch(Cells), T.scratch(Cells)};
  BrusselatorFields Next = {T.scratch(Cells), T.scratch(Cells)};
  auto Fields = [&](int Step) -> BrusselatorFields {
    return {Kept + 2 * Step * Cells, Kept + (2 * Step + 1) * Cells};
  };
  std::memcpy(Fields(0).U, P.U.data(), Cells * sizeof(double));
  std::memcpy(Fields(0).V, P.V.data(), Cells * sizeof(double));
  for (int Step = 0; Step != BrusselatorSteps; ++Step) {
    BrusselatorFields Now = Fields(Step);
    BrusselatorFields Then =
        Step + 1 == BrusselatorSteps ? L : Fields(Step + 1);
    brusselatorStepRestrict<double>(Now.U, Now.V, Then.U, Then.V, P.Rows,
                                    Columns);
  }
  for (int Step = BrusselatorSteps; Step-- != 0;) {
    brusselatorAdjoint(Fields(Step).U, Fields(Step).V, L, Next, P.Rows,
                       Columns);
    std::swap(L, Next);
  }
  for (size_t I = 0; I != Cells; ++I) {
    D.U[I] += L.U[I];
    D.V[I] += L.V[I];
  }
}

/// One step of fields and tangents.
inline void brusselatorTangent(const BrusselatorFields &X,
                               const BrusselatorFields &DX,
                               const BrusselatorFields &Y,
                               const BrusselatorFields &DY, size_t Rows,
                               size_t Columns) {
  const double *__restrict U = X.U, *__restrict V = X.V;
  const double *__restrict DU = DX.U, *__restrict DV = DX.V;
  double *__restrict NextU = Y.U, *__restrict NextV = Y.V;
  double *__restrict NextDU = DY.U, *__restrict NextDV = DY.V;
  for (size_t I = 0; I != Rows; ++I) {
    const size_t Up = (I == 0 ? Rows - 1 : I - 1) * Columns;
    const size_t Down = (I + 1 == Rows ? 0 : I + 1) * Columns;
    for (size_t J = 0; J != Columns; ++J) {
      const size_t At = I * Columns + J;
      const size_t Left = I * Columns + (J == 0 ? Columns - 1 : J - 1);
      const size_t Right = I * Columns + (J + 1 == Columns ? 0 : J + 1);
      auto Laplacian = [&](const double *__restrict F) {
        return F[Up + J] + F[Down + J] + F[Left] + F[Right] - 4 * F[At];
      };
      const double Square = U[At] * U[At], Reaction = Square * V[At];
      const double DReaction = 2 * U[At] * V[At] * DU[At] + Square * DV[At];
      NextU[At] =
          U[At] + BrusselatorDt * (1.0 + Reaction - 4.4 * U[At] +
                                   BrusselatorDiffusion * Laplacian(U));
      NextV[At] =
          V[At] + BrusselatorDt * (3.4 * U[At] - Reaction +
                                   BrusselatorDiffusion * Laplacian(V));
      NextDU[At] =
          DU[At] + BrusselatorDt * (DReaction - 4.4 * DU[At] +
                                    BrusselatorDiffusion * Laplacian(DU));
      NextDV[At] =
          DV[At] + BrusselatorDt * (3.4 * DU[At] - DReaction +
                                    BrusselatorDiffusion * Laplacian(DV));
    }
  }
}

inline double handTangent(const Brusselator<double> &P,
                          const Brusselator<double> &D, verso_bench::Tape &T) {
  const size_t Cells = P.Rows * P.Columns;
  BrusselatorFields X = {T.scratch(Cells), T.scratch(Cells)};
  BrusselatorFields Y = {T.scratch(Cells), T.scratch(Cells)};
  BrusselatorFields DX = {T.scratch(Cells), T.scratch(Cells)};
  BrusselatorFields DY = {T.scratch(Cells), T.scratch(Cells)};
  std::copy_n(P.U.data(), Cells, X.U);
  std::copy_n(P.V.data(), Cells, X.V);
  std::copy_n(D.U.data(), Cells, DX.U);
  std::copy_n(D.V.data(), Cells, DX.V);
  for (int Step = 0; Step != BrusselatorSteps; ++Step) {
    brusselatorTangent(X, DX, Y, DY, P.Rows, P.Columns);
    std::swap(X, Y);
    std::swap(DX, DY);
  }
  double Sum = 0;
  for (size_t I = 0; I != Cells; ++I)
    Sum += X.U[I] * DX.U[I] + X.V[I] * DX.V[I];
  return Sum;
}

#endif // VERSO_BENCHMARKS_KERNELS_BRUSSELATOR_H
