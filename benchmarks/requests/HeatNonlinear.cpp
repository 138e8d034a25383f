//===- HeatNonlinear.cpp - asks Verso for the gradient ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/HeatNonlinear.h"
#include "../Request.h"

template <auto Function>
static void request(const HeatNonlinear<double> &P, HeatNonlinear<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.Initial.data(),
                    D.Initial.data(), verso_const, P.Weights.data(),
                    verso_const, P.Rows, verso_const, P.Columns);
}

VERSO_BENCH_REQUESTS(HeatNonlinear, heatNonlinear, heatNonlinearRestrict)
