//===- HandTracking.h - hand tracking, simplified ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared distances of n observed points to the vertices of a skinned
// hand, as a function of its pose: a rotation (angle times axis), a translation
// and four angles a finger. Simplified from the formulas of ADBench (Microsoft,
// 2019): bones have transforms relative to their parents, a vertex follows four
// of the bones by weights, and each observation has its vertex.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_HANDTRACKING_H
#define VERSO_BENCHMARKS_KERNELS_HANDTRACKING_H

#include "../Harness.h"

#include <cmath>

constexpr size_t HandFingers = 5;
constexpr size_t HandBones = 1 + 4 * HandFingers;
constexpr size_t HandTheta = 6 + 4 * HandFingers;
constexpr size_t HandWeights = 4;

/// The rows of a 3 x 4 matrix: a linear map and a translation.
template <typename Real> struct Affine {
  Real At[12];
};

/// What does not vary. A finger's first bone bends and spreads, its second and
/// third bend, its last does neither.
struct HandModel {
  size_t Vertices;
  const Affine<double> *Relative;    ///< To the parent, at rest.
  const Affine<double> *InverseRest; ///< Of the absolute transform.
  const double *Rest;                ///< Vertices, three coordinates each.
  const double *Observed;            ///< The same.
  const int *BoneOf;                 ///< HandWeights a vertex.
  const double *WeightOf;            ///< The same.

  static size_t parentOf(size_t Bone) { return Bone % 4 == 1 ? 0 : Bone - 1; }
};

/// A B, for affine maps.
template <typename Real, typename Left, typename Right>
void compose(const Affine<Left> &A, const Affine<Right> &B, Affine<Real> &C) {
  for (size_t I = 0; I != 3; ++I)
    for (size_t J = 0; J != 4; ++J) {
      Real Sum = A.At[4 * I] * B.At[J];
      Sum += A.At[4 * I + 1] * B.At[4 + J];
      Sum += A.At[4 * I + 2] * B.At[8 + J];
      if (J == 3)
        Sum += A.At[4 * I + 3];
      C.At[4 * I + J] = Sum;
    }
}

/// Bends about x after spreading about z.
template <typename Real>
void jointRotation(const Real &Bend, const Real &Spread, Affine<Real> &R) {
  using std::cos;
  using std::sin;
  Real CB = cos(Bend), SB = sin(Bend), CS = cos(Spread), SS = sin(Spread);
  R = {{CS, -SS, 0.0, 0.0, CB * SS, CB * CS, -SB, 0.0, SB * SS, SB * CS, CB,
        0.0}};
}

/// The rotation by the angle |R| about R, for one that is not zero.
template <typename Real> void axisRotation(const Real *R, Real *M) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  Real Angle = sqrt(R[0] * R[0] + R[1] * R[1] + R[2] * R[2]);
  Real S = sin(Angle), C = cos(Angle);
  Real X = R[0] / Angle, Y = R[1] / Angle, Z = R[2] / Angle;
  Real K = 1.0 - C;
  M[0] = X * X * K + C;
  M[1] = X * Y * K - Z * S;
  M[2] = X * Z * K + Y * S;
  M[3] = Y * X * K + Z * S;
  M[4] = Y * Y * K + C;
  M[5] = Y * Z * K - X * S;
  M[6] = Z * X * K - Y * S;
  M[7] = Z * Y * K + X * S;
  M[8] = Z * Z * K + C;
}

/// The transforms of all bones from rest to pose.
template <typename Real>
void boneTransforms(const HandModel &Model, const Real *Angles,
                    Affine<Real> *Transforms) {
  Affine<Real> Absolute[HandBones];
  for (size_t I = 0; I != 12; ++I)
    Absolute[0].At[I] = Model.Relative[0].At[I];
  compose<Real>(Absolute[0], Model.InverseRest[0], Transforms[0]);
  for (size_t Bone = 1; Bone != HandBones; ++Bone) {
    const Real *Finger = Angles + (Bone - 1) / 4 * 4;
    Real Bend = 0.0, Spread = 0.0;
    if (Bone % 4 == 1)
      Spread = Finger[3];
    if (Bone % 4 != 0)
      Bend = Finger[Bone % 4 - 1];
    Affine<Real> Joint, Relative;
    jointRotation<Real>(Bend, Spread, Joint);
    compose<Real>(Model.Relative[Bone], Joint, Relative);
    compose<Real>(Absolute[Model.parentOf(Bone)], Relative, Absolute[Bone]);
    compose<Real>(Absolute[Bone], Model.InverseRest[Bone], Transforms[Bone]);
  }
}

template <typename Real>
Real handTracking(const HandModel &Model, const Real *Theta) {
  Affine<Real> Transforms[HandBones];
  Real Rotation[9];
  axisRotation<Real>(Theta, Rotation);
  boneTransforms<Real>(Model, Theta + 6, Transforms);
  Real Sum = 0.0;
  for (size_t V = 0; V != Model.Vertices; ++V) {
    const double *Rest = Model.Rest + 3 * V;
    Real Skinned[3] = {0.0, 0.0, 0.0};
    for (size_t K = 0; K != HandWeights; ++K) {
      const Affine<Real> &T = Transforms[Model.BoneOf[HandWeights * V + K]];
      for (size_t I = 0; I != 3; ++I)
        Skinned[I] += Model.WeightOf[HandWeights * V + K] *
                      (T.At[4 * I] * Rest[0] + T.At[4 * I + 1] * Rest[1] +
                       T.At[4 * I + 2] * Rest[2] + T.At[4 * I + 3]);
    }
    for (size_t I = 0; I != 3; ++I) {
      Real Residual = Rotation[3 * I] * Skinned[0] +
                      Rotation[3 * I + 1] * Skinned[1] +
                      Rotation[3 * I + 2] * Skinned[2] + Theta[3 + I] -
                      Model.Observed[3 * V + I];
      Sum += Residual * Residual;
    }
  }
  return 0.5 * Sum;
}

template <typename Real> struct HandTracking {
  explicit HandTracking(size_t N)
      : Theta(HandTheta), Relative(HandBones), InverseRest(HandBones),
        Rest(3 * N), Observed(3 * N), BoneOf(HandWeights * N),
        WeightOf(HandWeights * N) {
    verso_bench::Random Rng(26);
    for (Real &V : Theta)
      V = Rng.uniform(-0.5, 0.5);
    for (size_t Bone = 0; Bone != HandBones; ++Bone)
      placeBone(Bone, Rng);
    for (double &V : Rest)
      V = Rng.uniform(-1, 1);
    for (double &V : Observed)
      V = Rng.uniform(-1, 1);
    for (size_t I = 0; I != HandWeights * N; ++I) {
      BoneOf[I] = (int)Rng.below(HandBones);
      WeightOf[I] = Rng.uniform(0, 2.0 / HandWeights);
    }
    Model = {N,
             Relative.data(),
             InverseRest.data(),
             Rest.data(),
             Observed.data(),
             BoneOf.data(),
             WeightOf.data()};
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Theta)
      Visit(V);
  }
  Real evaluate() const { return handTracking<Real>(Model, Theta.data()); }

  HandModel Model;
  std::vector<Real> Theta;
  std::vector<Affine<double>> Relative, InverseRest;
  std::vector<double> Rest, Observed;
  std::vector<int> BoneOf;
  std::vector<double> WeightOf;

private:
  /// A bone is a rotation about z and a translation; at rest its absolute
  /// transform is another, whose inverse is stored.
  void placeBone(size_t Bone, verso_bench::Random &Rng) {
    for (std::vector<Affine<double>> *Of : {&Relative, &InverseRest}) {
      const double Angle = Rng.uniform(-0.5, 0.5);
      const double C = std::cos(Angle), S = std::sin(Angle);
      (*Of)[Bone] = {{C, -S, 0, Rng.uniform(-0.3, 0.3), S, C, 0,
                      Rng.uniform(-0.3, 0.3), 0, 0, 1, Rng.uniform(-0.3, 0.3)}};
    }
  }
};

/// The adjoint of A, for C = A B.
inline void composeLeftAdjoint(const Affine<double> &G, const Affine<double> &B,
                               Affine<double> &DA) {
  for (size_t I = 0; I != 3; ++I) {
    const double *Row = G.At + 4 * I;
    for (size_t K = 0; K != 3; ++K)
      DA.At[4 * I + K] += Row[0] * B.At[4 * K] + Row[1] * B.At[4 * K + 1] +
                          Row[2] * B.At[4 * K + 2] + Row[3] * B.At[4 * K + 3];
    DA.At[4 * I + 3] += Row[3];
  }
}

/// The adjoint of B.
inline void composeRightAdjoint(const Affine<double> &A,
                                const Affine<double> &G, Affine<double> &DB) {
  for (size_t K = 0; K != 3; ++K)
    for (size_t J = 0; J != 4; ++J)
      DB.At[4 * K + J] += A.At[K] * G.At[J] + A.At[4 + K] * G.At[4 + J] +
                          A.At[8 + K] * G.At[8 + J];
}

/// What boneTransforms computes on its way.
struct HandBonesKept {
  Affine<double> Absolute[HandBones], Relative[HandBones];
  double CosBend[HandBones], SinBend[HandBones];
  double CosSpread[HandBones], SinSpread[HandBones];
};

inline void bonesForward(const HandModel &Model, const double *Angles,
                         HandBonesKept &K, Affine<double> *Transforms) {
  K.Absolute[0] = Model.Relative[0];
  compose<double>(K.Absolute[0], Model.InverseRest[0], Transforms[0]);
  for (size_t Bone = 1; Bone != HandBones; ++Bone) {
    const double *Finger = Angles + (Bone - 1) / 4 * 4;
    const double Spread = Bone % 4 == 1 ? Finger[3] : 0;
    const double Bend = Bone % 4 != 0 ? Finger[Bone % 4 - 1] : 0;
    const double CB = K.CosBend[Bone] = std::cos(Bend);
    const double SB = K.SinBend[Bone] = std::sin(Bend);
    const double CS = K.CosSpread[Bone] = std::cos(Spread);
    const double SS = K.SinSpread[Bone] = std::sin(Spread);
    const Affine<double> Joint = {
        {CS, -SS, 0, 0, CB * SS, CB * CS, -SB, 0, SB * SS, SB * CS, CB, 0}};
    compose<double>(Model.Relative[Bone], Joint, K.Relative[Bone]);
    compose<double>(K.Absolute[Model.parentOf(Bone)], K.Relative[Bone],
                    K.Absolute[Bone]);
    compose<double>(K.Absolute[Bone], Model.InverseRest[Bone],
                    Transforms[Bone]);
  }
}

/// G holds the adjoints of the bones' transforms.
inline void bonesAdjoint(const HandModel &Model, const HandBonesKept &K,
                         const Affine<double> *G, double *DAngles) {
  Affine<double> DAbsolute[HandBones] = {};
  for (size_t Bone = HandBones; --Bone != 0;) {
    const size_t Parent = Model.parentOf(Bone);
    Affine<double> DRelative = {}, DJoint = {};
    composeLeftAdjoint(G[Bone], Model.InverseRest[Bone], DAbsolute[Bone]);
    if (Parent != 0) // The root's transform does not vary.
      composeLeftAdjoint(DAbsolute[Bone], K.Relative[Bone], DAbsolute[Parent]);
    if (Bone % 4 == 0)
      continue;
    composeRightAdjoint(K.Absolute[Parent], DAbsolute[Bone], DRelative);
    composeRightAdjoint(Model.Relative[Bone], DRelative, DJoint);
    const double *D = DJoint.At;
    const double CB = K.CosBend[Bone], SB = K.SinBend[Bone];
    const double CS = K.CosSpread[Bone], SS = K.SinSpread[Bone];
    double *DFinger = DAngles + (Bone - 1) / 4 * 4;
    DFinger[Bone % 4 - 1] += CB * (D[8] * SS + D[9] * CS - D[6]) -
                             SB * (D[4] * SS + D[5] * CS + D[10]);
    if (Bone % 4 == 1)
      DFinger[3] += CS * (CB * D[4] + SB * D[8] - D[1]) -
                    SS * (D[0] + CB * D[5] + SB * D[9]);
  }
}

/// G is the adjoint of the rotation matrix M of R.
inline void axisRotationAdjoint(const double *R, const double *G, double *DR) {
  const double Angle = std::sqrt(R[0] * R[0] + R[1] * R[1] + R[2] * R[2]);
  const double S = std::sin(Angle), C = std::cos(Angle), K = 1 - C;
  const double A[3] = {R[0] / Angle, R[1] / Angle, R[2] / Angle};
  const double Twist[3] = {G[7] - G[5], G[2] - G[6], G[3] - G[1]};
  double AGA = 0, DA[3] = {S * Twist[0], S * Twist[1], S * Twist[2]};
  for (size_t I = 0; I != 3; ++I)
    for (size_t J = 0; J != 3; ++J) {
      AGA += A[I] * G[3 * I + J] * A[J];
      DA[I] += K * (G[3 * I + J] + G[3 * J + I]) * A[J];
    }
  const double Trace = G[0] + G[4] + G[8];
  const double AlongTwist = A[0] * Twist[0] + A[1] * Twist[1] + A[2] * Twist[2];
  const double DAngle = C * AlongTwist + S * (AGA - Trace);
  const double Along = A[0] * DA[0] + A[1] * DA[1] + A[2] * DA[2];
  for (size_t I = 0; I != 3; ++I)
    DR[I] += (DA[I] - Along * A[I]) / Angle + DAngle * A[I];
}

/// A bone's adjoint in whole cache lines.
struct alignas(64) PaddedAffine {
  double At[16];
};

/// Forward and back, vertex by vertex, then back through the bones.
inline void handAdjoint(const HandTracking<double> &P,
                        HandTracking<double> &D) {
  const HandModel &Model = P.Model;
  const double *Theta = P.Theta.data();
  HandBonesKept Kept;
  Affine<double> Transforms[HandBones], DTransforms[HandBones];
  PaddedAffine DBones[HandBones] = {};
  double R[9], DRotation[9] = {}, DTranslation[3] = {};
  axisRotation<double>(Theta, R);
  bonesForward(Model, Theta + 6, Kept, Transforms);
  for (size_t V = 0; V != Model.Vertices; ++V) {
    const double *Rest = Model.Rest + 3 * V;
    const double *Weights = Model.WeightOf + HandWeights * V;
    const int *Bones = Model.BoneOf + HandWeights * V;
    const double Point[4] = {Rest[0], Rest[1], Rest[2], 1};
    double Skinned[3] = {}, G[3], DSkinned[3] = {};
    for (size_t K = 0; K != HandWeights; ++K)
      for (size_t I = 0; I != 3; ++I) {
        const double *Row = Transforms[Bones[K]].At + 4 * I;
        Skinned[I] += Weights[K] * (Row[0] * Rest[0] + Row[1] * Rest[1] +
                                    Row[2] * Rest[2] + Row[3]);
      }
    for (size_t I = 0; I != 3; ++I) {
      G[I] = R[3 * I] * Skinned[0] + R[3 * I + 1] * Skinned[1] +
             R[3 * I + 2] * Skinned[2] + Theta[3 + I] -
             Model.Observed[3 * V + I];
      DTranslation[I] += G[I];
      for (size_t J = 0; J != 3; ++J) {
        DRotation[3 * I + J] += G[I] * Skinned[J];
        DSkinned[J] += G[I] * R[3 * I + J];
      }
    }
    double DBlend[16] = {};
    for (size_t I = 0; I != 12; ++I)
      DBlend[I] = DSkinned[I / 4] * Point[I % 4];
    for (size_t K = 0; K != HandWeights; ++K)
      for (size_t I = 0; I != 16; ++I)
        DBones[Bones[K]].At[I] += Weights[K] * DBlend[I];
  }
  for (size_t Bone = 0; Bone != HandBones; ++Bone)
    std::copy_n(DBones[Bone].At, 12, DTransforms[Bone].At);
  for (size_t I = 0; I != 3; ++I)
    D.Theta[3 + I] += DTranslation[I];
  axisRotationAdjoint(Theta, DRotation, D.Theta.data());
  bonesAdjoint(Model, Kept, DTransforms, D.Theta.data() + 6);
}

#endif // VERSO_BENCHMARKS_KERNELS_HANDTRACKING_H
