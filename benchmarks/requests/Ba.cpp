//===- Ba.cpp - asks Verso for the gradient of kernels/Ba.h -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Ba.h"
#include "../Request.h"

template <auto Function>
static void request(const Ba<double> &P, Ba<double> &D) {
  __verso_grad_into(
      (void *)Function, verso_const, &P.S, verso_dup, P.Cameras.data(),
      D.Cameras.data(), verso_dup, P.Points.data(), D.Points.data(), verso_dup,
      P.Weights.data(), D.Weights.data(), verso_const, P.Features.data());
}

VERSO_BENCH_REQUESTS(Ba, bundleAdjustment, bundleAdjustmentRestrict)
