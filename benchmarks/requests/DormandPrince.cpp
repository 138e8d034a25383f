//===- DormandPrince.cpp - asks Verso for the gradient ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/DormandPrince.h"
#include "../Request.h"

static void request(const DormandPrince<double> &P, DormandPrince<double> &D) {
  __verso_grad_into((void *)sumOfFates<double>, verso_dup, P.Systems.data(),
                    D.Systems.data(), verso_const, P.N);
}

VERSO_BENCH_REQUEST(DormandPrince)
