//===- KMeansNewton.cpp - asks Verso for kernels/KMeansNewton.h -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/KMeansNewton.h"
#include "../Request.h"

#ifdef VERSO_BENCH_FORWARD

static void request(const KMeansNewton<double> &P, KMeansNewton<double> &D) {
  __verso_grad_into((void *)kMeansSlope<double>, verso_const, P.Points.data(),
                    verso_dup, P.Centres.data(), D.Centres.data(), verso_const,
                    P.Ones.data(), verso_const, P.N);
}

#else

extern "C" void __verso_jvp_into(void *, ...);

static void gradient(const double *Points, const double *Centres,
                     double *Gradient, size_t N) {
  std::fill_n(Gradient, KMeansCentres * KMeansWidth, 0.0);
  __verso_grad_into((void *)kMeansCost<double>, verso_const, Points, verso_dup,
                    Centres, Gradient, verso_const, N);
}

static void request(const KMeansNewton<double> &P, KMeansNewton<double> &D) {
  double Product[KMeansCentres * KMeansWidth];
  __verso_jvp_into((void *)gradient, verso_const, P.Points.data(), verso_dup,
                   P.Centres.data(), P.Ones.data(), verso_dup,
                   D.Gradient.data(), Product, verso_const, P.N);
  for (size_t K = 0; K != KMeansCentres * KMeansWidth; ++K)
    D.Centres[K] += Product[K];
}

#endif

VERSO_BENCH_REQUEST(KMeansNewton)
