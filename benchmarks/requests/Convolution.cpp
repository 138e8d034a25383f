//===- Convolution.cpp - asks Verso for the gradient --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Convolution.h"
#include "../Request.h"

template <auto Function>
static void request(const Convolution<double> &P, Convolution<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.Image.data(), D.Image.data(),
                    verso_dup, P.Filter.data(), D.Filter.data(), verso_dup,
                    P.Out.data(), D.Out.data(), verso_const, P.Rows,
                    verso_const, P.Columns);
}

VERSO_BENCH_REQUESTS(Convolution, convolution, convolutionRestrict)
