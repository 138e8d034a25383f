//===- KMeans.cpp - asks Verso for the gradient of kernels/KMeans.h -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/KMeans.h"
#include "../Request.h"

template <auto Function>
static void request(const KMeans<double> &P, KMeans<double> &D) {
  __verso_grad_into((void *)Function, verso_const, P.Points.data(), verso_dup,
                    P.Centres.data(), D.Centres.data(), verso_const, P.N);
}

VERSO_BENCH_REQUESTS(KMeans, kMeansCost, kMeansCostRestrict)
