//===- SumMatVec.cpp - asks Verso for the gradient of kernels/SumMatVec.h -===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/SumMatVec.h"
#include "../Request.h"

extern "C" double verso_bench_sum_matvec(const double *A, const double *X,
                                         size_t Rows, size_t Columns) {
  return sumMatVec<double>(A, X, Rows, Columns);
}

static void request(const SumMatVec<double> &P, SumMatVec<double> &D) {
  __verso_grad_into((void *)verso_bench_sum_matvec, verso_dup, P.A.data(),
                    D.A.data(), verso_dup, P.X.data(), D.X.data(), verso_const,
                    P.Rows, verso_const, P.Columns);
}

VERSO_BENCH_REQUEST(SumMatVec)
