//===- Lstm.cpp - asks Verso for the gradient of kernels/Lstm.h -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Lstm.h"
#include "../Request.h"

extern "C" double verso_bench_lstm(const double *Main, const double *Extra,
                                   const double *State, const double *Sequence,
                                   size_t Length) {
  return lstm<double>(Main, Extra, State, Sequence, Length);
}

static void request(const Lstm<double> &P, Lstm<double> &D) {
  __verso_grad_into((void *)verso_bench_lstm, verso_dup, P.Main.data(),
                    D.Main.data(), verso_dup, P.Extra.data(), D.Extra.data(),
                    verso_const, P.State.data(), verso_const, P.Sequence.data(),
                    verso_const, P.Length);
}

VERSO_BENCH_REQUEST(Lstm)
