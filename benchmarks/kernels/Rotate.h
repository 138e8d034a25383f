//===- Rotate.h - rotation of vectors by quaternions ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paper's fourth function, for n pairs at once: the sum of the components
// of each vector v rotated by its quaternion (u, s),
//   2 (u . v) u + (s^2 - u . u) v + 2 s (u x v).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_ROTATE_H
#define VERSO_BENCHMARKS_KERNELS_ROTATE_H

#include "../Harness.h"

template <typename Real> struct Vec3 {
  Real X, Y, Z;
};

template <typename Real> struct Quaternion {
  Vec3<Real> U;
  Real S;
};

template <typename Real>
Vec3<Real> rotate(const Vec3<Real> &V, const Quaternion<Real> &Q) {
  const Vec3<Real> &U = Q.U;
  Real Along = 2.0 * (U.X * V.X + U.Y * V.Y + U.Z * V.Z);
  Real Keep = Q.S * Q.S - (U.X * U.X + U.Y * U.Y + U.Z * U.Z);
  Real Across = 2.0 * Q.S;
  return {Along * U.X + Keep * V.X + Across * (U.Y * V.Z - U.Z * V.Y),
          Along * U.Y + Keep * V.Y + Across * (U.Z * V.X - U.X * V.Z),
          Along * U.Z + Keep * V.Z + Across * (U.X * V.Y - U.Y * V.X)};
}

template <typename Real>
Real rotateAll(const Vec3<Real> *V, const Quaternion<Real> *Q, size_t N) {
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I) {
    Vec3<Real> R = rotate<Real>(V[I], Q[I]);
    Sum += R.X + R.Y + R.Z;
  }
  return Sum;
}

template <typename Real>
[[gnu::flatten]] Real rotateAllRestrict(const Vec3<Real> *__restrict V,
                                        const Quaternion<Real> *__restrict Q,
                                        size_t N) {
  return rotateAll<Real>(V, Q, N);
}

template <typename Real> struct Rotate {
  explicit Rotate(size_t N) : N(N), V(N), Q(N) {
    verso_bench::Random Rng(3);
    forEachActive([&](Real &X) { X = Rng.uniform(-1, 1); });
  }
  template <typename F> void forEachActive(F Visit) {
    for (Vec3<Real> &E : V) {
      Visit(E.X);
      Visit(E.Y);
      Visit(E.Z);
    }
    for (Quaternion<Real> &E : Q) {
      Visit(E.U.X);
      Visit(E.U.Y);
      Visit(E.U.Z);
      Visit(E.S);
    }
  }
  Real evaluate() const { return rotateAll<Real>(V.data(), Q.data(), N); }
  Real evaluateRestrict() const {
    return rotateAllRestrict<Real>(V.data(), Q.data(), N);
  }

  size_t N;
  std::vector<Vec3<Real>> V;
  std::vector<Quaternion<Real>> Q;
};

/// With g = (1, 1, 1), the adjoint of a rotated vector:
///   v += 2 (u . g) u + (s^2 - u . u) g + 2 s (g x u)
///   u += 2 (u . v) g + 2 (u . g) v - 2 (v . g) u + 2 s (v x g)
///   s += 2 s (v . g) + 2 g . (u x v)
inline void rotateAdjoint(const Vec3<double> *__restrict V,
                          Vec3<double> *__restrict DV,
                          const Quaternion<double> *__restrict Q,
                          Quaternion<double> *__restrict DQ, size_t N) {
  for (size_t I = 0; I != N; ++I) {
    const Vec3<double> A = V[I], U = Q[I].U;
    const double S = Q[I].S, UG = 2 * (U.X + U.Y + U.Z);
    const double AG = 2 * (A.X + A.Y + A.Z);
    const double UA = 2 * (U.X * A.X + U.Y * A.Y + U.Z * A.Z);
    const double Keep = S * S - (U.X * U.X + U.Y * U.Y + U.Z * U.Z);
    DV[I].X += UG * U.X + Keep + 2 * S * (U.Z - U.Y);
    DV[I].Y += UG * U.Y + Keep + 2 * S * (U.X - U.Z);
    DV[I].Z += UG * U.Z + Keep + 2 * S * (U.Y - U.X);
    DQ[I].U.X += UA + UG * A.X - AG * U.X + 2 * S * (A.Y - A.Z);
    DQ[I].U.Y += UA + UG * A.Y - AG * U.Y + 2 * S * (A.Z - A.X);
    DQ[I].U.Z += UA + UG * A.Z - AG * U.Z + 2 * S * (A.X - A.Y);
    DQ[I].S += S * AG + 2 * (U.Y * A.Z - U.Z * A.Y + U.Z * A.X - U.X * A.Z +
                             U.X * A.Y - U.Y * A.X);
  }
}

inline void handAdjoint(const Rotate<double> &P, Rotate<double> &D) {
  rotateAdjoint(P.V.data(), D.V.data(), P.Q.data(), D.Q.data(), P.N);
}

/// The tangent of the sum of components: it is linear in that of v, and the
/// partials by u and s are those of rotateAdjoint().
inline double rotateTangent(const Vec3<double> *__restrict V,
                            const Vec3<double> *__restrict DV,
                            const Quaternion<double> *__restrict Q,
                            const Quaternion<double> *__restrict DQ,
                            size_t N) {
  double Sum = 0;
  for (size_t I = 0; I != N; ++I) {
    const Vec3<double> A = V[I], U = Q[I].U, DA = DV[I], DU = DQ[I].U;
    const double S = Q[I].S, UG = 2 * (U.X + U.Y + U.Z);
    const double AG = 2 * (A.X + A.Y + A.Z);
    const double UA = 2 * (U.X * A.X + U.Y * A.Y + U.Z * A.Z);
    const double Keep = S * S - (U.X * U.X + U.Y * U.Y + U.Z * U.Z);
    Sum += (UG * U.X + Keep + 2 * S * (U.Z - U.Y)) * DA.X +
           (UG * U.Y + Keep + 2 * S * (U.X - U.Z)) * DA.Y +
           (UG * U.Z + Keep + 2 * S * (U.Y - U.X)) * DA.Z +
           (UA + UG * A.X - AG * U.X + 2 * S * (A.Y - A.Z)) * DU.X +
           (UA + UG * A.Y - AG * U.Y + 2 * S * (A.Z - A.X)) * DU.Y +
           (UA + UG * A.Z - AG * U.Z + 2 * S * (A.X - A.Y)) * DU.Z +
           (S * AG + 2 * (U.Y * A.Z - U.Z * A.Y + U.Z * A.X - U.X * A.Z +
                          U.X * A.Y - U.Y * A.X)) *
               DQ[I].S;
  }
  return Sum;
}

inline double handTangent(const Rotate<double> &P, const Rotate<double> &D) {
  return rotateTangent(P.V.data(), D.V.data(), P.Q.data(), D.Q.data(), P.N);
}

#endif // VERSO_BENCHMARKS_KERNELS_ROTATE_H
