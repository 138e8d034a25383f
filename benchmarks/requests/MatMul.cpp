//===- MatMul.cpp - asks Verso for the gradient of kernels/MatMul.h -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/MatMul.h"
#include "../Request.h"

template <auto Function>
static void request(const MatMul<double> &P, MatMul<double> &D) {
  __verso_grad_into((void *)Function, verso_dup, P.A.data(), D.A.data(),
                    verso_dup, P.B.data(), D.B.data(), verso_dup, P.C.data(),
                    D.C.data(), verso_const, P.M);
}

VERSO_BENCH_REQUESTS(MatMul, matMul, matMulRestrict)
