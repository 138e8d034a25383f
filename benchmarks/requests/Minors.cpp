//===- Minors.cpp - asks Verso for the gradient of kernels/Minors.h -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Minors.h"
#include "../Request.h"

static void request(const Minors<double> &P, Minors<double> &D) {
  __verso_grad_into((void *)sumOfDeterminants<double>, verso_dup, P.A.data(),
                    D.A.data(), verso_const, P.N);
}

VERSO_BENCH_REQUEST(Minors)
