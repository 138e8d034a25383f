//===- PolyFit.cpp - asks Verso for the gradient of kernels/PolyFit.h ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/PolyFit.h"
#include "../Request.h"

template <auto Function>
static void request(const PolyFit<double> &P, PolyFit<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.Coefficients.data(),
                    D.Coefficients.data(), verso_const, P.X.data(), verso_const,
                    P.Y.data(), verso_const, P.N);
}

VERSO_BENCH_REQUESTS(PolyFit, polyFit, polyFitRestrict)
