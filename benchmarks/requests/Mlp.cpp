//===- Mlp.cpp - asks Verso for the gradient of kernels/Mlp.h -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Mlp.h"
#include "../Request.h"

template <auto Function>
static void request(const Mlp<double> &P, Mlp<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.Hidden.data(),
                    D.Hidden.data(), verso_dup, P.Output.data(),
                    D.Output.data(), verso_const, P.Inputs.data(), verso_const,
                    P.Labels.data(), verso_const, P.N);
}

VERSO_BENCH_REQUESTS(Mlp, mlp, mlpRestrict)
