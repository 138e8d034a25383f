//===- ScalarMul.cpp - asks Verso for the gradient of kernels/ScalarMul.h ===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/ScalarMul.h"
#include "../Request.h"

extern "C" {
struct verso_bench_pair {
  double X, Y;
};
verso_bench_pair __verso_grad_pair(void *, ...);
}

static double verso_bench_scalar_mul(double X, double Y) {
  return multiply<double>(X, Y);
}

#ifdef VERSO_BENCH_FORWARD
static void request(const ScalarMul<double> &P, ScalarMul<double> &D) {
  __verso_grad_into((void *)verso_bench_scalar_mul, verso_dup, P.X, D.X,
                    verso_dup, P.Y, D.Y);
}
#else
static void request(const ScalarMul<double> &P, ScalarMul<double> &D) {
  verso_bench_pair G = __verso_grad_pair((void *)verso_bench_scalar_mul,
                                         verso_out, P.X, verso_out, P.Y);
  D.X += G.X;
  D.Y += G.Y;
}
#endif

VERSO_BENCH_REQUEST(ScalarMul)
