//===- SumMatVec.cpp - asks Verso for the gradient of kernels/SumMatVec.h ===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/SumMatVec.h"
#include "../Request.h"

template <auto Function>
static void request(const SumMatVec<double> &P, SumMatVec<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.A.data(), D.A.data(),
                    verso_dup, P.X.data(), D.X.data(), verso_const, P.Rows,
                    verso_const, P.Columns);
}

VERSO_BENCH_REQUESTS(SumMatVec, sumMatVecOfLocal, sumMatVecOfLocalRestrict)
