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
