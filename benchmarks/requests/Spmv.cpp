//===- Spmv.cpp - asks Verso for the gradient of kernels/Spmv.h ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Spmv.h"
#include "../Request.h"

template <auto Function>
static void request(const Spmv<double> &P, Spmv<double> &D) {
  __verso_grad_into((void *)Function, verso_const, &P.S, verso_dup,
                    P.Values.data(), D.Values.data(), verso_dup,
                    P.Initial.data(), D.Initial.data(), verso_dup, P.Now.data(),
                    D.Now.data(), verso_dup, P.Then.data(), D.Then.data());
}

VERSO_BENCH_REQUESTS(Spmv, spmvChain, spmvChainRestrict)
