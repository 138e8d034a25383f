//===- Rk4.cpp - asks Verso for the gradient of kernels/Rk4.h -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Rk4.h"
#include "../Request.h"

static double verso_bench_rk4(const double *Initial, size_t N, int Steps,
                              double Dt) {
  return rk4<double>(Initial, N, Steps, Dt);
}

static void request(const Rk4<double> &P, Rk4<double> &D) {
  __verso_grad_into((void *)verso_bench_rk4, verso_dup, P.Initial.data(),
                    D.Initial.data(), verso_const, P.N, verso_const, Rk4Steps,
                    verso_const, Rk4Dt);
}

VERSO_BENCH_REQUEST(Rk4)
