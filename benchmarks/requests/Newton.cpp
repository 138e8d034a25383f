//===- Newton.cpp - asks Verso for the gradient of kernels/Newton.h -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Newton.h"
#include "../Request.h"

template <auto Function>
static void request(const Newton<double> &P, Newton<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.Mean.data(), D.Mean.data(),
                    verso_dup, P.Eccentricity.data(), D.Eccentricity.data(),
                    verso_const, P.N);
}

VERSO_BENCH_REQUESTS(Newton, sumOfAnomalies, sumOfAnomaliesRestrict)

template <size_t... K>
static auto requestWide(const Newton<double> &P,
                        std::unique_ptr<Newton<double>> *D,
                        std::index_sequence<K...>) {
  return __verso_jvp_wide<verso_bench_tangents<sizeof...(K)>>(
      (void *)sumOfAnomalies<double>, verso_width, int(sizeof...(K)), verso_dup,
      P.Mean.data(), D[K]->Mean.data()..., verso_dup, P.Eccentricity.data(),
      D[K]->Eccentricity.data()..., verso_const, P.N);
}

VERSO_BENCH_WIDE(Newton)
