//===- Ba.cpp - asks Verso for the gradient of kernels/Ba.h ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Ba.h"
#include "../Request.h"

extern "C" double verso_bench_ba(const BaShape *S, const double *Cameras,
                                 const double *Points, const double *Weights,
                                 const double *Features) {
  return bundleAdjustment<double>(*S, Cameras, Points, Weights, Features);
}

static void request(const Ba<double> &P, Ba<double> &D) {
  __verso_grad_into(
      (void *)verso_bench_ba, verso_const, &P.S, verso_dup, P.Cameras.data(),
      D.Cameras.data(), verso_dup, P.Points.data(), D.Points.data(), verso_dup,
      P.Weights.data(), D.Weights.data(), verso_const, P.Features.data());
}

VERSO_BENCH_REQUEST(Ba)
