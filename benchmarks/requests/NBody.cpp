//===- NBody.cpp - asks Verso for the gradient of kernels/NBody.h -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/NBody.h"
#include "../Request.h"

static void request(const NBody<double> &P, NBody<double> &D) {
  __verso_grad_into((void *)nBody<double>, verso_dup, P.Bodies.data(),
                    D.Bodies.data(), verso_const, P.Bodies.size(), verso_const,
                    P.Steps);
}

VERSO_BENCH_REQUEST(NBody)
