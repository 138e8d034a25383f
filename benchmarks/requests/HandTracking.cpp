//===- HandTracking.cpp - asks Verso for the gradient -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/HandTracking.h"
#include "../Request.h"

static void request(const HandTracking<double> &P, HandTracking<double> &D) {
  __verso_grad_into((void *)handTracking<double>, verso_const, &P.Model,
                    verso_dup, P.Theta.data(), D.Theta.data());
}

VERSO_BENCH_REQUEST(HandTracking)

template <size_t... K>
static auto requestWide(const HandTracking<double> &P,
                        std::unique_ptr<HandTracking<double>> *D,
                        std::index_sequence<K...>) {
  return __verso_jvp_wide<verso_bench_tangents<sizeof...(K)>>(
      (void *)handTracking<double>, verso_width, int(sizeof...(K)), verso_const,
      &P.Model, verso_dup, P.Theta.data(), D[K]->Theta.data()...);
}

VERSO_BENCH_WIDE(HandTracking)
