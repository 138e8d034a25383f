//===- Fft.h - fast Fourier transform ---------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A weighted power spectrum of n complex numbers, n a power of two, by the
// iterative radix-2 transform, real and imaginary parts in arrays of their own,
// with a table of roots of unity.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_FFT_H
#define VERSO_BENCHMARKS_KERNELS_FFT_H

#include "../Harness.h"

#include <cmath>

/// Twiddles[Half + K] and, N further, their sines: the roots of the level whose
/// butterflies are Half wide.
inline std::vector<double> fftTwiddles(size_t N) {
  std::vector<double> Twiddles(2 * N);
  for (size_t Half = 1; Half < N; Half *= 2)
    for (size_t K = 0; K != Half; ++K) {
      double Angle = -3.14159265358979323846 * (double)K / (double)Half;
      Twiddles[Half + K] = std::cos(Angle);
      Twiddles[N + Half + K] = std::sin(Angle);
    }
  return Twiddles;
}

template <typename Real>
void fftReverseBits(const Real *InRe, const Real *InIm, Real *Re, Real *Im,
                    size_t N) {
  for (size_t I = 0, Reversed = 0; I != N; ++I) {
    Re[Reversed] = InRe[I];
    Im[Reversed] = InIm[I];
    size_t Bit = N / 2;
    for (; Reversed & Bit; Bit /= 2)
      Reversed ^= Bit;
    Reversed |= Bit;
  }
}

template <typename Real>
Real fft(const Real *InRe, const Real *InIm, const double *Twiddles,
         const double *Weights, Real *Re, Real *Im, size_t N) {
  fftReverseBits<Real>(InRe, InIm, Re, Im, N);
  for (size_t Half = 1; Half < N; Half *= 2) {
    const double *Cosine = Twiddles + Half, *Sine = Twiddles + N + Half;
    for (size_t Start = 0; Start != N; Start += 2 * Half)
      for (size_t K = 0; K != Half; ++K) {
        size_t I = Start + K, J = I + Half;
        Real X = Re[J] * Cosine[K] - Im[J] * Sine[K];
        Real Y = Re[J] * Sine[K] + Im[J] * Cosine[K];
        Re[J] = Re[I] - X;
        Im[J] = Im[I] - Y;
        Re[I] = Re[I] + X;
        Im[I] = Im[I] + Y;
      }
  }
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I)
    Sum += Weights[I] * (Re[I] * Re[I] + Im[I] * Im[I]);
  return 0.5 * Sum;
}

template <typename Real>
[[gnu::flatten]] Real
fftRestrict(const Real *__restrict InRe, const Real *__restrict InIm,
            const double *__restrict Twiddles, const double *__restrict Weights,
            Real *__restrict Re, Real *__restrict Im, size_t N) {
  return fft<Real>(InRe, InIm, Twiddles, Weights, Re, Im, N);
}

template <typename Real> struct Fft {
  explicit Fft(size_t N)
      : N(N), InRe(N), InIm(N), Twiddles(fftTwiddles(N)), Weights(N), Re(N),
        Im(N) {
    verso_bench::Random Rng(15);
    forEachActive([&](Real &V) { V = Rng.uniform(-1, 1); });
    for (double &V : Weights)
      V = Rng.uniform(0, 1);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : InRe)
      Visit(V);
    for (Real &V : InIm)
      Visit(V);
  }
  Real evaluate() const {
    return fft<Real>(InRe.data(), InIm.data(), Twiddles.data(), Weights.data(),
                     Re.data(), Im.data(), N);
  }
  Real evaluateRestrict() const {
    return fftRestrict<Real>(InRe.data(), InIm.data(), Twiddles.data(),
                             Weights.data(), Re.data(), Im.data(), N);
  }

  size_t N;
  std::vector<Real> InRe, InIm;
  std::vector<double> Twiddles, Weights;
  mutable std::vector<Real> Re, Im;
};

/// The levels of butterflies, or, when Sign is -1, those of the conjugated
/// transform.
template <int Sign>
void fftLevels(const double *Twiddles, double *__restrict Re,
               double *__restrict Im, size_t N) {
  for (size_t Half = 1; Half < N; Half *= 2) {
    const double *Cosine = Twiddles + Half, *Sine = Twiddles + N + Half;
    for (size_t Start = 0; Start != N; Start += 2 * Half)
      for (size_t K = 0; K != Half; ++K) {
        size_t I = Start + K, J = I + Half;
        double X = Re[J] * Cosine[K] - Sign * Im[J] * Sine[K];
        double Y = Sign * Re[J] * Sine[K] + Im[J] * Cosine[K];
        Re[J] = Re[I] - X;
        Im[J] = Im[I] - Y;
        Re[I] += X;
        Im[I] += Y;
      }
  }
}

/// The transform is a symmetric matrix, so that its adjoint is its conjugate:
/// levels and bit reversal again, nothing is kept.
inline void handAdjoint(const Fft<double> &P, Fft<double> &D,
                        verso_bench::Tape &T) {
  const size_t N = P.N;
  double *__restrict Re = T.scratch(N), *__restrict Im = T.scratch(N);
  double *__restrict GRe = T.scratch(N), *__restrict GIm = T.scratch(N);
  fftReverseBits<double>(P.InRe.data(), P.InIm.data(), Re, Im, N);
  fftLevels<1>(P.Twiddles.data(), Re, Im, N);
  for (size_t I = 0; I != N; ++I) {
    Re[I] *= P.Weights[I];
    Im[I] *= P.Weights[I];
  }
  fftReverseBits<double>(Re, Im, GRe, GIm, N);
  fftLevels<-1>(P.Twiddles.data(), GRe, GIm, N);
  double *__restrict DRe = D.InRe.data(), *__restrict DIm = D.InIm.data();
  for (size_t I = 0; I != N; ++I) {
    DRe[I] += GRe[I];
    DIm[I] += GIm[I];
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_FFT_H
