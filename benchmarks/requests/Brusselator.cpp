//===- Brusselator.cpp - asks Verso for the gradient --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Brusselator.h"
#include "../Request.h"

template <auto Function>
static void request(const Brusselator<double> &P, Brusselator<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.U.data(), D.U.data(),
                    verso_dup, P.V.data(), D.V.data(), verso_const, P.Rows,
                    verso_const, P.Columns);
}

VERSO_BENCH_REQUESTS(Brusselator, brusselator, brusselatorRestrict)
