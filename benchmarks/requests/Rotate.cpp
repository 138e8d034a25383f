//===- Rotate.cpp - asks Verso for the gradient of kernels/Rotate.h -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Rotate.h"
#include "../Request.h"

template <auto Function>
static void request(const Rotate<double> &P, Rotate<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.V.data(), D.V.data(),
                    verso_dup, P.Q.data(), D.Q.data(), verso_const, P.N);
}

VERSO_BENCH_REQUESTS(Rotate, rotateAll, rotateAllRestrict)
