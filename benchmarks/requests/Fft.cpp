//===- Fft.cpp - asks Verso for the gradient of kernels/Fft.h -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Fft.h"
#include "../Request.h"

template <auto Function>
static void request(const Fft<double> &P, Fft<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.InRe.data(), D.InRe.data(),
                    verso_dup, P.InIm.data(), D.InIm.data(), verso_const,
                    P.Twiddles.data(), verso_const, P.Weights.data(), verso_dup,
                    P.Re.data(), D.Re.data(), verso_dup, P.Im.data(),
                    D.Im.data(), verso_const, P.N);
}

VERSO_BENCH_REQUESTS(Fft, fft, fftRestrict)
