//===- Lstm.cpp - asks Verso for the gradient of kernels/Lstm.h ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Lstm.h"
#include "../Request.h"

template <auto Function>
static void request(const Lstm<double> &P, Lstm<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.Main.data(), D.Main.data(),
                    verso_dup, P.Extra.data(), D.Extra.data(), verso_const,
                    P.State.data(), verso_const, P.Sequence.data(), verso_const,
                    P.Length);
}

VERSO_BENCH_REQUESTS(Lstm, lstm, lstmRestrict)
