//===- Gmm.cpp - asks Verso for the gradient of kernels/Gmm.h -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Gmm.h"
#include "../Request.h"

template <auto Function>
static void request(const Gmm<double> &P, Gmm<double> &D) {
  __verso_grad_into((void *)Function, verso_const, &P.S, verso_dup,
                    P.Alphas.data(), D.Alphas.data(), verso_dup, P.Means.data(),
                    D.Means.data(), verso_dup, P.Factors.data(),
                    D.Factors.data(), verso_const, P.Points.data());
}

VERSO_BENCH_REQUESTS(Gmm, gmm, gmmRestrict)

template <size_t... K>
static auto requestWide(const Gmm<double> &P, std::unique_ptr<Gmm<double>> *D,
                        std::index_sequence<K...>) {
  return __verso_jvp_wide<verso_bench_tangents<sizeof...(K)>>(
      (void *)gmm<double>, verso_width, int(sizeof...(K)), verso_const, &P.S,
      verso_dup, P.Alphas.data(), D[K]->Alphas.data()..., verso_dup,
      P.Means.data(), D[K]->Means.data()..., verso_dup, P.Factors.data(),
      D[K]->Factors.data()..., verso_const, P.Points.data());
}

VERSO_BENCH_WIDE(Gmm)
