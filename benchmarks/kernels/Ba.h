//===- Ba.h - bundle adjustment, an ADBench problem -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the sum of squares of the weighted reprojection errors of n observations
// and of the weights' own errors 1 - w^2, as a function of cameras, points and
// weights. A camera is a rotation (Rodrigues), a centre, a focal length, a
// principal point and two coefficients of radial distortion. Written from the
// formulas of Srajer, Kukelova and Fitzgibbon, "A benchmark of selected
// algorithmic differentiation tools" (2018), which asks for the Jacobian
// instead.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_BA_H
#define VERSO_BENCHMARKS_KERNELS_BA_H

#include "../Harness.h"

#include <cmath>

constexpr size_t BaCamera = 11;

/// The sizes, and for each observation its camera and point.
struct BaShape {
  size_t Cameras, Points, Observations;
  size_t cameraOf(size_t I) const { return I % Cameras; }
  size_t pointOf(size_t I) const { return I % Points; }
};

/// Rotates X by the angle |R| about the axis R.
template <typename Real>
void rodrigues(const Real *R, const Real *X, Real *Rotated) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  Real Squared = R[0] * R[0] + R[1] * R[1] + R[2] * R[2];
  if (Squared == 0.0) {
    Rotated[0] = X[0] + R[1] * X[2] - R[2] * X[1];
    Rotated[1] = X[1] + R[2] * X[0] - R[0] * X[2];
    Rotated[2] = X[2] + R[0] * X[1] - R[1] * X[0];
    return;
  }
  Real Angle = sqrt(Squared);
  Real Cosine = cos(Angle), Sine = sin(Angle), Inverse = 1.0 / Angle;
  Real A[3] = {R[0] * Inverse, R[1] * Inverse, R[2] * Inverse};
  Real Along = (A[0] * X[0] + A[1] * X[1] + A[2] * X[2]) * (1.0 - Cosine);
  Rotated[0] =
      X[0] * Cosine + (A[1] * X[2] - A[2] * X[1]) * Sine + A[0] * Along;
  Rotated[1] =
      X[1] * Cosine + (A[2] * X[0] - A[0] * X[2]) * Sine + A[1] * Along;
  Rotated[2] =
      X[2] * Cosine + (A[0] * X[1] - A[1] * X[0]) * Sine + A[2] * Along;
}

/// Where the camera sees the point.
template <typename Real>
void project(const Real *Camera, const Real *X, Real *Pixel) {
  Real Relative[3] = {X[0] - Camera[3], X[1] - Camera[4], X[2] - Camera[5]};
  Real Seen[3];
  rodrigues<Real>(Camera, Relative, Seen);
  Real U = Seen[0] / Seen[2], V = Seen[1] / Seen[2];
  Real Radius = U * U + V * V;
  Real Scale = Camera[6] * (1.0 + Radius * (Camera[9] + Radius * Camera[10]));
  Pixel[0] = U * Scale + Camera[7];
  Pixel[1] = V * Scale + Camera[8];
}

template <typename Real>
Real bundleAdjustment(const BaShape &S, const Real *Cameras, const Real *Points,
                      const Real *Weights, const double *Features) {
  Real Sum = 0.0;
  for (size_t I = 0; I != S.Observations; ++I) {
    Real Pixel[2];
    project<Real>(Cameras + BaCamera * S.cameraOf(I), Points + 3 * S.pointOf(I),
                  Pixel);
    Real X = Weights[I] * (Pixel[0] - Features[2 * I]);
    Real Y = Weights[I] * (Pixel[1] - Features[2 * I + 1]);
    Real W = 1.0 - Weights[I] * Weights[I];
    Sum += X * X + Y * Y + W * W;
  }
  return 0.5 * Sum;
}

template <typename Real>
[[gnu::flatten]] Real
bundleAdjustmentRestrict(const BaShape &S, const Real *__restrict Cameras,
                         const Real *__restrict Points,
                         const Real *__restrict Weights,
                         const double *__restrict Features) {
  return bundleAdjustment<Real>(S, Cameras, Points, Weights, Features);
}

template <typename Real> struct Ba {
  explicit Ba(size_t N)
      : S{N < 1300 ? 2 : N / 650, N / 4 + 1, N}, Cameras(BaCamera * S.Cameras),
        Points(3 * S.Points), Weights(N), Features(2 * N) {
    verso_bench::Random Rng(10);
    fill(verso_bench::readAdbench("ba/ba1_n49_m7776_p31843.txt"), Rng);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Cameras)
      Visit(V);
    for (Real &V : Points)
      Visit(V);
    for (Real &V : Weights)
      Visit(V);
  }
  Real evaluate() const {
    return bundleAdjustment<Real>(S, Cameras.data(), Points.data(),
                                  Weights.data(), Features.data());
  }
  Real evaluateRestrict() const {
    return bundleAdjustmentRestrict<Real>(S, Cameras.data(), Points.data(),
                                          Weights.data(), Features.data());
  }

  BaShape S;
  std::vector<Real> Cameras, Points, Weights;
  std::vector<double> Features;

private:
  /// ADBench repeats one camera, point, weight and feature, which follow the
  /// three sizes; ours are scattered about such a one.
  void fill(const std::vector<double> &File, verso_bench::Random &Rng) {
    const std::vector<double> Typical = {0, 0,   0,   0.2, -0.3, 0.25, 0,
                                         0, -6., 400, 3,   -5,   .1,   -.02,
                                         0, 0,   0,   0.5, 20,   -30};
    const bool Given = File.size() == Typical.size();
    const double *From = (Given ? File : Typical).data() + 3;
    const double Spread = Given ? 0 : 0.2;
    auto About = [&](double X) {
      return X * (1 + Rng.uniform(-1, 1) * Spread);
    };
    for (size_t I = 0; I != Cameras.size(); ++I)
      Cameras[I] = About(From[I % BaCamera]);
    for (size_t I = 0; I != Points.size(); ++I)
      Points[I] = From[BaCamera + I % 3] + 5 * Spread * Rng.uniform(-1, 1);
    for (Real &V : Weights)
      V = About(From[BaCamera + 3]);
    for (size_t I = 0; I != Features.size(); ++I)
      Features[I] = About(From[BaCamera + 4 + I % 2]);
  }
};

/// What rodrigues computes on its way to the rotated point.
struct BaRotation {
  double Cosine, Sine, Inverse, AX, Along;
  double A[3], Cross[3];
};

/// As rodrigues, for a rotation that is not zero.
inline BaRotation rotateAndKeep(const double *R, const double *X,
                                double *Rotated) {
  BaRotation K;
  const double Angle = std::sqrt(R[0] * R[0] + R[1] * R[1] + R[2] * R[2]);
  K.Cosine = std::cos(Angle);
  K.Sine = std::sin(Angle);
  K.Inverse = 1 / Angle;
  for (int I = 0; I != 3; ++I)
    K.A[I] = R[I] * K.Inverse;
  K.Cross[0] = K.A[1] * X[2] - K.A[2] * X[1];
  K.Cross[1] = K.A[2] * X[0] - K.A[0] * X[2];
  K.Cross[2] = K.A[0] * X[1] - K.A[1] * X[0];
  K.AX = K.A[0] * X[0] + K.A[1] * X[1] + K.A[2] * X[2];
  K.Along = K.AX * (1 - K.Cosine);
  for (int I = 0; I != 3; ++I)
    Rotated[I] = X[I] * K.Cosine + K.Cross[I] * K.Sine + K.A[I] * K.Along;
  return K;
}

/// G is the adjoint of the rotated point.
inline void rotateAdjoint(const BaRotation &K, const double *X, const double *G,
                          double *DR, double *DX) {
  const double *A = K.A;
  const double GX = G[0] * X[0] + G[1] * X[1] + G[2] * X[2];
  const double GC = G[0] * K.Cross[0] + G[1] * K.Cross[1] + G[2] * K.Cross[2];
  const double GA = G[0] * A[0] + G[1] * A[1] + G[2] * A[2];
  const double DAX = GA * (1 - K.Cosine);
  const double DCosine = GX - GA * K.AX;
  // The adjoint of the cross product, a x X: X x g to a, g x a to X.
  const double XG[3] = {X[1] * G[2] - X[2] * G[1], X[2] * G[0] - X[0] * G[2],
                        X[0] * G[1] - X[1] * G[0]};
  const double AG[3] = {G[1] * A[2] - G[2] * A[1], G[2] * A[0] - G[0] * A[2],
                        G[0] * A[1] - G[1] * A[0]};
  double DA[3];
  for (int I = 0; I != 3; ++I) {
    DX[I] = G[I] * K.Cosine + AG[I] * K.Sine + DAX * A[I];
    DA[I] = XG[I] * K.Sine + G[I] * K.Along + DAX * X[I];
  }
  // a = r / |r|, and the angle's direction is a.
  const double DAngle = GC * K.Cosine - DCosine * K.Sine;
  const double DAA = DA[0] * A[0] + DA[1] * A[1] + DA[2] * A[2];
  for (int I = 0; I != 3; ++I)
    DR[I] += (DA[I] - DAA * A[I]) * K.Inverse + DAngle * A[I];
}

/// The branch of rodrigues for a rotation of zero.
inline void rotateZeroAdjoint(const double *X, const double *G, double *DR,
                              double *DX) {
  for (int I = 0; I != 3; ++I)
    DX[I] = G[I];
  DR[0] += X[1] * G[2] - X[2] * G[1];
  DR[1] += X[2] * G[0] - X[0] * G[2];
  DR[2] += X[0] * G[1] - X[1] * G[0];
}

/// Forward and back, observation by observation: nothing is kept.
inline void handAdjoint(const Ba<double> &P, Ba<double> &D) {
  for (size_t I = 0; I != P.S.Observations; ++I) {
    const size_t AtCamera = BaCamera * P.S.cameraOf(I);
    const size_t AtPoint = 3 * P.S.pointOf(I);
    const double *C = P.Cameras.data() + AtCamera;
    const double *X = P.Points.data() + AtPoint;
    double *__restrict DC = D.Cameras.data() + AtCamera;
    double *__restrict DPoint = D.Points.data() + AtPoint;
    const double Relative[3] = {X[0] - C[3], X[1] - C[4], X[2] - C[5]};
    const bool Turns = C[0] * C[0] + C[1] * C[1] + C[2] * C[2] != 0;
    double Seen[3];
    BaRotation Kept;
    if (Turns)
      Kept = rotateAndKeep(C, Relative, Seen);
    else
      rodrigues<double>(C, Relative, Seen);
    const double Depth = 1 / Seen[2], U = Seen[0] * Depth, V = Seen[1] * Depth;
    const double Radius = U * U + V * V;
    const double Distortion = 1 + Radius * (C[9] + Radius * C[10]);
    const double Scale = C[6] * Distortion, W = P.Weights[I];
    const double ErrorX = U * Scale + C[7] - P.Features[2 * I];
    const double ErrorY = V * Scale + C[8] - P.Features[2 * I + 1];

    D.Weights[I] +=
        W * (ErrorX * ErrorX + ErrorY * ErrorY) - 2 * W * (1 - W * W);
    const double GX = W * W * ErrorX, GY = W * W * ErrorY;
    DC[7] += GX;
    DC[8] += GY;
    const double DScale = GX * U + GY * V, DDistortion = DScale * C[6];
    DC[6] += DScale * Distortion;
    DC[9] += DDistortion * Radius;
    DC[10] += DDistortion * Radius * Radius;
    const double DRadius = 2 * DDistortion * (C[9] + 2 * Radius * C[10]);
    const double DU = (GX * Scale + DRadius * U) * Depth;
    const double DV = (GY * Scale + DRadius * V) * Depth;
    const double G[3] = {DU, DV, -(DU * U + DV * V)};
    double DX[3];
    if (Turns)
      rotateAdjoint(Kept, Relative, G, DC, DX);
    else
      rotateZeroAdjoint(Relative, G, DC, DX);
    for (int J = 0; J != 3; ++J) {
      DC[3 + J] -= DX[J];
      DPoint[J] += DX[J];
    }
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_BA_H
