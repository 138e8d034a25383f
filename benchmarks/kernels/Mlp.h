//===- Mlp.h - training step of a multi-layer perceptron --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mean cross-entropy of a batch of n samples through one hidden layer of
// tanh, as a function of weights and biases: its gradient is what one step of
// training needs. A layer's parameters are its weights, row by row, and then
// its biases.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_MLP_H
#define VERSO_BENCHMARKS_KERNELS_MLP_H

#include "../Harness.h"

#include <cmath>

constexpr size_t MlpIn = 32;
constexpr size_t MlpHidden = 64;
constexpr size_t MlpOut = 10;

template <typename Real>
Real mlp(const Real *Hidden, const Real *Output, const double *Inputs,
         const int *Labels, size_t N) {
  using std::exp;
  using std::log;
  using std::tanh;
  Real Loss = 0.0;
  for (size_t S = 0; S != N; ++S) {
    const double *X = Inputs + S * MlpIn;
    Real H[MlpHidden], Z[MlpOut];
    for (size_t I = 0; I != MlpHidden; ++I) {
      Real Sum = Hidden[MlpHidden * MlpIn + I];
      for (size_t J = 0; J != MlpIn; ++J)
        Sum += Hidden[I * MlpIn + J] * X[J];
      H[I] = tanh(Sum);
    }
    for (size_t I = 0; I != MlpOut; ++I) {
      Real Sum = Output[MlpOut * MlpHidden + I];
      for (size_t J = 0; J != MlpHidden; ++J)
        Sum += Output[I * MlpHidden + J] * H[J];
      Z[I] = Sum;
    }
    Real Max = Z[0], Sum = 0.0;
    for (size_t I = 1; I != MlpOut; ++I)
      if (Z[I] > Max)
        Max = Z[I];
    for (size_t I = 0; I != MlpOut; ++I)
      Sum += exp(Z[I] - Max);
    Loss += log(Sum) + Max - Z[Labels[S]];
  }
  return Loss / (double)N;
}

template <typename Real>
[[gnu::flatten]] Real mlpRestrict(const Real *__restrict Hidden,
                                  const Real *__restrict Output,
                                  const double *__restrict Inputs,
                                  const int *__restrict Labels, size_t N) {
  return mlp<Real>(Hidden, Output, Inputs, Labels, N);
}

template <typename Real> struct Mlp {
  explicit Mlp(size_t N)
      : N(N), Hidden(MlpHidden * (MlpIn + 1)), Output(MlpOut * (MlpHidden + 1)),
        Inputs(N * MlpIn), Labels(N) {
    verso_bench::Random Rng(18);
    forEachActive([&](Real &V) { V = Rng.uniform(-0.3, 0.3); });
    for (double &V : Inputs)
      V = Rng.uniform(-1, 1);
    for (int &V : Labels)
      V = (int)Rng.below(MlpOut);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Hidden)
      Visit(V);
    for (Real &V : Output)
      Visit(V);
  }
  Real evaluate() const {
    return mlp<Real>(Hidden.data(), Output.data(), Inputs.data(), Labels.data(),
                     N);
  }
  Real evaluateRestrict() const {
    return mlpRestrict<Real>(Hidden.data(), Output.data(), Inputs.data(),
                             Labels.data(), N);
  }

  size_t N;
  std::vector<Real> Hidden, Output;
  std::vector<double> Inputs;
  std::vector<int> Labels;
};

/// H becomes the hidden layer, DZ the adjoint of the logits.
inline void mlpForward(const Mlp<double> &P, size_t Sample, double *H,
                       double *DZ) {
  const double *X = P.Inputs.data() + Sample * MlpIn;
  for (size_t I = 0; I != MlpHidden; ++I)
    H[I] = std::tanh(
        P.Hidden[MlpHidden * MlpIn + I] +
        verso_bench::dotInAnyOrder(P.Hidden.data() + I * MlpIn, X, MlpIn));
  double Max = -HUGE_VAL, Sum = 0;
  for (size_t I = 0; I != MlpOut; ++I) {
    DZ[I] = P.Output[MlpOut * MlpHidden + I] +
            verso_bench::dotInAnyOrder(P.Output.data() + I * MlpHidden, H,
                                       MlpHidden);
    Max = DZ[I] > Max ? DZ[I] : Max;
  }
  for (size_t I = 0; I != MlpOut; ++I) {
    DZ[I] = std::exp(DZ[I] - Max);
    Sum += DZ[I];
  }
  const double Scale = 1 / (Sum * (double)P.N);
  for (size_t I = 0; I != MlpOut; ++I)
    DZ[I] *= Scale;
  DZ[P.Labels[Sample]] -= 1 / (double)P.N;
}

/// Forward and back, sample by sample: nothing is kept.
inline void handAdjoint(const Mlp<double> &P, Mlp<double> &D) {
  double *__restrict DHidden = D.Hidden.data();
  double *__restrict DOutput = D.Output.data();
  double H[MlpHidden], DH[MlpHidden], DZ[MlpOut];
  for (size_t S = 0; S != P.N; ++S) {
    const double *X = P.Inputs.data() + S * MlpIn;
    mlpForward(P, S, H, DZ);
    for (size_t J = 0; J != MlpHidden; ++J)
      DH[J] = 0;
    for (size_t I = 0; I != MlpOut; ++I) {
      DOutput[MlpOut * MlpHidden + I] += DZ[I];
      for (size_t J = 0; J != MlpHidden; ++J) {
        DOutput[I * MlpHidden + J] += DZ[I] * H[J];
        DH[J] += DZ[I] * P.Output[I * MlpHidden + J];
      }
    }
    for (size_t I = 0; I != MlpHidden; ++I) {
      const double DSum = DH[I] * (1 - H[I] * H[I]);
      DHidden[MlpHidden * MlpIn + I] += DSum;
      for (size_t J = 0; J != MlpIn; ++J)
        DHidden[I * MlpIn + J] += DSum * X[J];
    }
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_MLP_H
