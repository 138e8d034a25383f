//===- Lu.cpp - asks Verso for the gradient of kernels/Lu.h -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Lu.h"
#include "../Request.h"

template <auto Function>
static void request(const Lu<double> &P, Lu<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.A.data(), D.A.data(),
                    verso_const, P.Weights.data(), verso_dup, P.F.data(),
                    D.F.data(), verso_const, P.M);
}

VERSO_BENCH_REQUESTS(Lu, lu, luRestrict)
