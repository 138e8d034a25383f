//===- SumMatVecFast.cpp - asks Verso for the gradient ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/SumMatVecFast.h"
#include "../Request.h"

template <auto Function>
static void request(const SumMatVecFast<double> &P, SumMatVecFast<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.A.data(), D.A.data(),
                    verso_dup, P.X.data(), D.X.data(), verso_const, P.Rows,
                    verso_const, P.Columns);
}

VERSO_BENCH_REQUESTS(SumMatVecFast, sumMatVecFast, sumMatVecFastRestrict)
