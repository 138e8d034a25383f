//===- LogSumExp.cpp - asks Verso for the gradient of kernels/LogSumExp.h ===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/LogSumExp.h"
#include "../Request.h"

static void request(const LogSumExp<double> &P, LogSumExp<double> &D) {
  __verso_grad_into((void *)logOfSumOfExp<double>, verso_dup, P.X.data(),
                    D.X.data(), verso_const, P.N);
}

VERSO_BENCH_REQUEST(LogSumExp)
