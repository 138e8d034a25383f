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
