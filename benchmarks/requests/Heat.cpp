//===- Heat.cpp - asks Verso for the gradient of kernels/Heat.h ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../kernels/Heat.h"
#include "../Request.h"

static double verso_bench_heat(const double *Initial, const double *Weights,
                               size_t Rows, size_t Columns, int Steps,
                               double Flow) {
  return heat<double>(Initial, Weights, Rows, Columns, Steps, Flow);
}

static void request(const Heat<double> &P, Heat<double> &D) {
  __verso_grad_into((void *)verso_bench_heat, verso_dup, P.Initial.data(),
                    D.Initial.data(), verso_const, P.Weights.data(),
                    verso_const, P.Rows, verso_const, P.Columns, verso_const,
                    HeatSteps, verso_const, HeatFlow);
}

VERSO_BENCH_REQUEST(Heat)

template <size_t... K>
static auto requestWide(const Heat<double> &P, std::unique_ptr<Heat<double>> *D,
                        std::index_sequence<K...>) {
  return __verso_jvp_wide<verso_bench_tangents<sizeof...(K)>>(
      (void *)verso_bench_heat, verso_width, int(sizeof...(K)), verso_dup,
      P.Initial.data(), D[K]->Initial.data()..., verso_const, P.Weights.data(),
      verso_const, P.Rows, verso_const, P.Columns, verso_const, HeatSteps,
      verso_const, HeatFlow);
}

VERSO_BENCH_WIDE(Heat)
