//===- Rk4.h - Runge-Kutta 4 on the Lorenz-96 system ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared norm of the state after twenty classical Runge-Kutta steps
// of
//   x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + 8,  indices modulo n,
// as a function of the initial state.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_RK4_H
#define VERSO_BENCHMARKS_KERNELS_RK4_H

#include "../Harness.h"

#include <algorithm>

constexpr int Rk4Steps = 20;
constexpr double Rk4Dt = 0.01;

template <typename Real> void lorenz96(const Real *X, Real *F, size_t N) {
  F[0] = (X[1] - X[N - 2]) * X[N - 1] - X[0] + 8.0;
  F[1] = (X[2] - X[N - 1]) * X[0] - X[1] + 8.0;
  for (size_t I = 2; I < N - 1; ++I)
    F[I] = (X[I + 1] - X[I - 2]) * X[I - 1] - X[I] + 8.0;
  F[N - 1] = (X[0] - X[N - 3]) * X[N - 2] - X[N - 1] + 8.0;
}

template <typename Real>
Real rk4(const Real *Initial, size_t N, int Steps, double Dt) {
  std::vector<Real> X(Initial, Initial + N), Stage(N);
  std::vector<Real> K1(N), K2(N), K3(N), K4(N);
  for (int Step = 0; Step != Steps; ++Step) {
    lorenz96<Real>(X.data(), K1.data(), N);
    for (size_t I = 0; I != N; ++I)
      Stage[I] = X[I] + 0.5 * Dt * K1[I];
    lorenz96<Real>(Stage.data(), K2.data(), N);
    for (size_t I = 0; I != N; ++I)
      Stage[I] = X[I] + 0.5 * Dt * K2[I];
    lorenz96<Real>(Stage.data(), K3.data(), N);
    for (size_t I = 0; I != N; ++I)
      Stage[I] = X[I] + Dt * K3[I];
    lorenz96<Real>(Stage.data(), K4.data(), N);
    for (size_t I = 0; I != N; ++I)
      X[I] += Dt / 6.0 * (K1[I] + 2.0 * K2[I] + 2.0 * K3[I] + K4[I]);
  }
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I)
    Sum += X[I] * X[I];
  return 0.5 * Sum;
}

template <typename Real> struct Rk4 {
  explicit Rk4(size_t N) : N(N), Initial(N) {
    verso_bench::Random Rng(7);
    for (Real &V : Initial)
      V = 8 + Rng.uniform(-1, 1);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Initial)
      Visit(V);
  }
  Real evaluate() const {
    return rk4<Real>(Initial.data(), N, Rk4Steps, Rk4Dt);
  }

  size_t N;
  std::vector<Real> Initial;
};

/// A = (transpose of lorenz96's Jacobian at X) * L, gathered.
inline void lorenz96Adjoint(const double *__restrict X,
                            const double *__restrict L, double *__restrict A,
                            size_t N) {
  auto At = [&](size_t I, size_t M2, size_t M1, size_t P1, size_t P2) {
    A[I] = L[M1] * X[M2] - L[P2] * X[P1] + L[P1] * (X[P2] - X[M1]) - L[I];
  };
  At(0, N - 2, N - 1, 1, 2);
  At(1, N - 1, 0, 2, 3);
  for (size_t I = 2; I < N - 2; ++I)
    At(I, I - 2, I - 1, I + 1, I + 2);
  At(N - 2, N - 4, N - 3, N - 1, 0);
  At(N - 1, N - 3, N - 2, 0, 1);
}

/// The recto of the hand-written adjoint: the four stages' states of every
/// step go to Tape. X is the state; K holds the slopes.
inline void rk4AndKeep(size_t N, double *__restrict X, double *K,
                       double *Tape) {
  double *__restrict K1 = K, *__restrict K2 = K + N;
  double *__restrict K3 = K + 2 * N, *__restrict K4 = K + 3 * N;
  for (int Step = 0; Step != Rk4Steps; ++Step, Tape += 4 * N) {
    double *__restrict Y1 = Tape, *__restrict Y2 = Tape + N;
    double *__restrict Y3 = Tape + 2 * N, *__restrict Y4 = Tape + 3 * N;
    for (size_t I = 0; I != N; ++I)
      Y1[I] = X[I];
    lorenz96<double>(Y1, K1, N);
    for (size_t I = 0; I != N; ++I)
      Y2[I] = X[I] + 0.5 * Rk4Dt * K1[I];
    lorenz96<double>(Y2, K2, N);
    for (size_t I = 0; I != N; ++I)
      Y3[I] = X[I] + 0.5 * Rk4Dt * K2[I];
    lorenz96<double>(Y3, K3, N);
    for (size_t I = 0; I != N; ++I)
      Y4[I] = X[I] + Rk4Dt * K3[I];
    lorenz96<double>(Y4, K4, N);
    for (size_t I = 0; I != N; ++I)
      X[I] += Rk4Dt / 6.0 * (K1[I] + 2.0 * K2[I] + 2.0 * K3[I] + K4[I]);
  }
}

/// L is the adjoint of the state, last step first; S and A hold the adjoint of
/// a stage's slope and of its state.
inline void handAdjoint(const Rk4<double> &P, Rk4<double> &D,
                        verso_bench::Tape &T) {
  const size_t N = P.N;
  double *Stages = T.keep(4 * N * Rk4Steps);
  double *__restrict S = T.scratch(N), *__restrict A = T.scratch(N);
  double *L = T.scratch(N), *Next = T.scratch(N);
  std::copy_n(P.Initial.data(), N, L);
  rk4AndKeep(N, L, T.scratch(4 * N), Stages);
  for (int Step = Rk4Steps; Step-- != 0;) {
    const double *Y = Stages + 4 * N * Step;
    for (size_t I = 0; I != N; ++I) {
      S[I] = Rk4Dt / 6 * L[I];
      Next[I] = L[I];
    }
    const double Reach[] = {0, Rk4Dt / 2, Rk4Dt / 2, Rk4Dt};
    const double Weight[] = {Rk4Dt / 6, Rk4Dt / 3, Rk4Dt / 3, Rk4Dt / 6};
    for (int Stage = 3; Stage >= 0; --Stage) {
      lorenz96Adjoint(Y + Stage * N, S, A, N);
      const double R = Reach[Stage], W = Stage ? Weight[Stage - 1] : 0;
      for (size_t I = 0; I != N; ++I) {
        Next[I] += A[I];
        S[I] = W * L[I] + R * A[I];
      }
    }
    std::swap(L, Next);
  }
  for (size_t I = 0; I != N; ++I)
    D.Initial[I] += L[I];
}

inline void lorenz96Tangent(const double *__restrict X,
                            const double *__restrict DX, double *__restrict F,
                            double *__restrict DF, size_t N) {
  auto At = [&](size_t I, size_t M2, size_t M1, size_t P1) {
    const double Apart = X[P1] - X[M2];
    F[I] = Apart * X[M1] - X[I] + 8.0;
    DF[I] = (DX[P1] - DX[M2]) * X[M1] + Apart * DX[M1] - DX[I];
  };
  At(0, N - 2, N - 1, 1);
  At(1, N - 1, 0, 2);
  for (size_t I = 2; I < N - 1; ++I)
    At(I, I - 2, I - 1, I + 1);
  At(N - 1, N - 3, N - 2, 0);
}

/// Y = X + Scale * K, and its tangent.
inline void rk4Stage(const double *__restrict X, const double *__restrict DX,
                     const double *__restrict K, const double *__restrict DK,
                     double *__restrict Y, double *__restrict DY, double Scale,
                     size_t N) {
  for (size_t I = 0; I != N; ++I) {
    Y[I] = X[I] + Scale * K[I];
    DY[I] = DX[I] + Scale * DK[I];
  }
}

inline void rk4Update(double *__restrict X, const double *__restrict K1,
                      const double *__restrict K2, const double *__restrict K3,
                      const double *__restrict K4, size_t N) {
  for (size_t I = 0; I != N; ++I)
    X[I] += Rk4Dt / 6.0 * (K1[I] + 2.0 * K2[I] + 2.0 * K3[I] + K4[I]);
}

inline double handTangent(const Rk4<double> &P, const Rk4<double> &D,
                          verso_bench::Tape &T) {
  const size_t N = P.N;
  double *X = T.scratch(N), *DX = T.scratch(N);
  double *Y = T.scratch(N), *DY = T.scratch(N);
  double *K[4], *DK[4];
  for (int I = 0; I != 4; ++I) {
    K[I] = T.scratch(N);
    DK[I] = T.scratch(N);
  }
  std::copy_n(P.Initial.data(), N, X);
  std::copy_n(D.Initial.data(), N, DX);
  for (int Step = 0; Step != Rk4Steps; ++Step) {
    lorenz96Tangent(X, DX, K[0], DK[0], N);
    rk4Stage(X, DX, K[0], DK[0], Y, DY, 0.5 * Rk4Dt, N);
    lorenz96Tangent(Y, DY, K[1], DK[1], N);
    rk4Stage(X, DX, K[1], DK[1], Y, DY, 0.5 * Rk4Dt, N);
    lorenz96Tangent(Y, DY, K[2], DK[2], N);
    rk4Stage(X, DX, K[2], DK[2], Y, DY, Rk4Dt, N);
    lorenz96Tangent(Y, DY, K[3], DK[3], N);
    rk4Update(X, K[0], K[1], K[2], K[3], N);
    rk4Update(DX, DK[0], DK[1], DK[2], DK[3], N);
  }
  double Sum = 0;
  for (size_t I = 0; I != N; ++I)
    Sum += X[I] * DX[I];
  return Sum;
}

#endif // VERSO_BENCHMARKS_KERNELS_RK4_H
