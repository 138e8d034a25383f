//===- Dot.cpp - asks Verso for the gradient of kernels/Dot.h -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Dot.h"
#include "../Request.h"

template <auto Function>
static void request(const Dot<double> &P, Dot<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.X.data(), D.X.data(),
                    verso_dup, P.Y.data(), D.Y.data(), verso_const, P.N);
}

VERSO_BENCH_REQUESTS(Dot, dotProduct, dotProductRestrict)
