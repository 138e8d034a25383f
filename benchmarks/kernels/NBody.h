//===- NBody.h - gravitation ------------------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared norm of the positions of 24 bodies after n symplectic Euler
// steps under their softened gravitation, as a function of where they start,
// how fast, and of their masses.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_NBODY_H
#define VERSO_BENCHMARKS_KERNELS_NBODY_H

#include "../Harness.h"

#include <cmath>

constexpr size_t NBodies = 24;
constexpr double NBodyDt = 0.01;
constexpr double NBodySoftening = 0.05;

template <typename Real> struct Body {
  Real X, Y, Z, VX, VY, VZ, Mass;
};

template <typename Real> void nBodyStep(Body<Real> *Bodies, size_t N) {
  using std::sqrt;
  for (size_t I = 0; I != N; ++I) {
    Body<Real> &A = Bodies[I];
    for (size_t J = I + 1; J != N; ++J) {
      Body<Real> &B = Bodies[J];
      Real X = A.X - B.X, Y = A.Y - B.Y, Z = A.Z - B.Z;
      Real Square = X * X + Y * Y + Z * Z + NBodySoftening;
      Real Pull = NBodyDt / (Square * sqrt(Square));
      A.VX -= X * (B.Mass * Pull);
      A.VY -= Y * (B.Mass * Pull);
      A.VZ -= Z * (B.Mass * Pull);
      B.VX += X * (A.Mass * Pull);
      B.VY += Y * (A.Mass * Pull);
      B.VZ += Z * (A.Mass * Pull);
    }
  }
  for (size_t I = 0; I != N; ++I) {
    Body<Real> &A = Bodies[I];
    A.X += NBodyDt * A.VX;
    A.Y += NBodyDt * A.VY;
    A.Z += NBodyDt * A.VZ;
  }
}

template <typename Real>
Real nBody(const Body<Real> *Initial, size_t N, size_t Steps) {
  std::vector<Body<Real>> Bodies(Initial, Initial + N);
  for (size_t Step = 0; Step != Steps; ++Step)
    nBodyStep<Real>(Bodies.data(), N);
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I)
    Sum += Bodies[I].X * Bodies[I].X + Bodies[I].Y * Bodies[I].Y +
           Bodies[I].Z * Bodies[I].Z;
  return 0.5 * Sum;
}

template <typename Real> struct NBody {
  explicit NBody(size_t N) : Steps(N), Bodies(NBodies) {
    verso_bench::Random Rng(20);
    for (Body<Real> &B : Bodies) {
      for (Real *Position : {&B.X, &B.Y, &B.Z})
        *Position = Rng.uniform(-1, 1);
      for (Real *Speed : {&B.VX, &B.VY, &B.VZ})
        *Speed = Rng.uniform(-0.3, 0.3);
      B.Mass = Rng.uniform(0.1, 1);
    }
  }
  template <typename F> void forEachActive(F Visit) {
    for (Body<Real> &B : Bodies)
      for (Real *V : {&B.X, &B.Y, &B.Z, &B.VX, &B.VY, &B.VZ, &B.Mass})
        Visit(*V);
  }
  Real evaluate() const {
    return nBody<Real>(Bodies.data(), Bodies.size(), Steps);
  }

  size_t Steps;
  std::vector<Body<Real>> Bodies;
};

struct BodyPosition {
  double X, Y, Z;
};

/// Reverses what a step does to the velocities. At holds the positions before
/// it; L the adjoints of positions, velocities and masses.
inline void nBodyPullAdjoint(const Body<double> *Bodies, const BodyPosition *At,
                             Body<double> *__restrict L, size_t N) {
  for (size_t I = 0; I != N; ++I) {
    const BodyPosition A = At[I];
    const double Mass = Bodies[I].Mass;
    Body<double> LA = L[I];
    for (size_t J = I + 1; J != N; ++J) {
      Body<double> &LB = L[J];
      const double X = A.X - At[J].X, Y = A.Y - At[J].Y, Z = A.Z - At[J].Z;
      const double Square = X * X + Y * Y + Z * Z + NBodySoftening;
      const double Inverse = 1 / Square;
      const double Pull = NBodyDt * Inverse * std::sqrt(Inverse);
      const double MassB = Bodies[J].Mass;
      const double AlongA = X * LA.VX + Y * LA.VY + Z * LA.VZ;
      const double AlongB = X * LB.VX + Y * LB.VY + Z * LB.VZ;
      const double DPull = Mass * AlongB - MassB * AlongA;
      LB.Mass -= Pull * AlongA;
      LA.Mass += Pull * AlongB;
      // Pull goes with the power -3/2 of the square.
      const double DSquare = -3 * Pull * Inverse * DPull;
      const double DX = DSquare * X + Pull * (Mass * LB.VX - MassB * LA.VX);
      const double DY = DSquare * Y + Pull * (Mass * LB.VY - MassB * LA.VY);
      const double DZ = DSquare * Z + Pull * (Mass * LB.VZ - MassB * LA.VZ);
      LA.X += DX;
      LA.Y += DY;
      LA.Z += DZ;
      LB.X -= DX;
      LB.Y -= DY;
      LB.Z -= DZ;
    }
    L[I] = LA;
  }
}

/// The positions before each step are kept; distances are computed again.
inline void handAdjoint(const NBody<double> &P, NBody<double> &D,
                        verso_bench::Tape &T) {
  const size_t N = P.Bodies.size();
  BodyPosition *Kept = T.keep<BodyPosition>(N * P.Steps);
  Body<double> *Bodies = T.scratch<Body<double>>(N);
  Body<double> *L = T.scratch<Body<double>>(N);
  for (size_t I = 0; I != N; ++I)
    Bodies[I] = P.Bodies[I];
  for (size_t Step = 0; Step != P.Steps; ++Step) {
    for (size_t I = 0; I != N; ++I)
      Kept[Step * N + I] = {Bodies[I].X, Bodies[I].Y, Bodies[I].Z};
    nBodyStep<double>(Bodies, N);
  }
  for (size_t I = 0; I != N; ++I)
    L[I] = {Bodies[I].X, Bodies[I].Y, Bodies[I].Z, 0, 0, 0, 0};
  for (size_t Step = P.Steps; Step-- != 0;) {
    for (size_t I = 0; I != N; ++I) {
      L[I].VX += NBodyDt * L[I].X;
      L[I].VY += NBodyDt * L[I].Y;
      L[I].VZ += NBodyDt * L[I].Z;
    }
    nBodyPullAdjoint(Bodies, Kept + Step * N, L, N);
  }
  for (size_t I = 0; I != N; ++I) {
    Body<double> &B = D.Bodies[I];
    B.X += L[I].X;
    B.Y += L[I].Y;
    B.Z += L[I].Z;
    B.VX += L[I].VX;
    B.VY += L[I].VY;
    B.VZ += L[I].VZ;
    B.Mass += L[I].Mass;
  }
}

/// A step of bodies and tangents. The partial of the pull by the square is
/// -3/2 pull / square.
inline void nBodyTangentStep(Body<double> *__restrict Bodies,
                             Body<double> *__restrict D, size_t N) {
  for (size_t I = 0; I != N; ++I) {
    Body<double> A = Bodies[I], DA = D[I];
    for (size_t J = I + 1; J != N; ++J) {
      Body<double> &B = Bodies[J], &DB = D[J];
      const double X = A.X - B.X, Y = A.Y - B.Y, Z = A.Z - B.Z;
      const double DX = DA.X - DB.X, DY = DA.Y - DB.Y, DZ = DA.Z - DB.Z;
      const double Square = X * X + Y * Y + Z * Z + NBodySoftening;
      const double Inverse = 1 / (Square * std::sqrt(Square));
      const double Pull = NBodyDt * Inverse;
      const double DPull = -3 * NBodyDt * Inverse * Inverse *
                           std::sqrt(Square) * (X * DX + Y * DY + Z * DZ);
      const double OfB = B.Mass * Pull, OfA = A.Mass * Pull;
      const double DOfB = DB.Mass * Pull + B.Mass * DPull;
      const double DOfA = DA.Mass * Pull + A.Mass * DPull;
      A.VX -= X * OfB;
      A.VY -= Y * OfB;
      A.VZ -= Z * OfB;
      B.VX += X * OfA;
      B.VY += Y * OfA;
      B.VZ += Z * OfA;
      DA.VX -= DX * OfB + X * DOfB;
      DA.VY -= DY * OfB + Y * DOfB;
      DA.VZ -= DZ * OfB + Z * DOfB;
      DB.VX += DX * OfA + X * DOfA;
      DB.VY += DY * OfA + Y * DOfA;
      DB.VZ += DZ * OfA + Z * DOfA;
    }
    Bodies[I] = A;
    D[I] = DA;
  }
  for (Body<double> *Each : {Bodies, D})
    for (size_t I = 0; I != N; ++I) {
      Each[I].X += NBodyDt * Each[I].VX;
      Each[I].Y += NBodyDt * Each[I].VY;
      Each[I].Z += NBodyDt * Each[I].VZ;
    }
}

inline double handTangent(const NBody<double> &P, const NBody<double> &D,
                          verso_bench::Tape &T) {
  const size_t N = P.Bodies.size();
  Body<double> *Bodies = T.scratch<Body<double>>(N);
  Body<double> *Tangents = T.scratch<Body<double>>(N);
  std::copy_n(P.Bodies.data(), N, Bodies);
  std::copy_n(D.Bodies.data(), N, Tangents);
  for (size_t Step = 0; Step != P.Steps; ++Step)
    nBodyTangentStep(Bodies, Tangents, N);
  double Sum = 0;
  for (size_t I = 0; I != N; ++I)
    Sum += Bodies[I].X * Tangents[I].X + Bodies[I].Y * Tangents[I].Y +
           Bodies[I].Z * Tangents[I].Z;
  return Sum;
}

#endif // VERSO_BENCHMARKS_KERNELS_NBODY_H
