//===- Cholesky.cpp - asks Verso for the gradient of kernels/Cholesky.h -===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Cholesky.h"
#include "../Request.h"

template <auto Function>
static void request(const Cholesky<double> &P, Cholesky<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.A.data(), D.A.data(),
                    verso_const, P.Weights.data(), verso_dup, P.L.data(),
                    D.L.data(), verso_const, P.M);
}

VERSO_BENCH_REQUESTS(Cholesky, cholesky, choleskyRestrict)
