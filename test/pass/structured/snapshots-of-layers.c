//===- snapshots-of-layers.c - one copy for a load of many runs -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row reads all weights again: they are copied when the layer begins, as
// are its inputs, on the conditions on which the loops are entered. Neither has
// a column where the layer's pointers are apart.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O2 -S -emit-llvm %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=REMARK

#include <string.h>

extern int verso_dup;
void __verso_grad_void(void *, ...);

struct net {
  int layers, rows, inner, outer;
  double *weights, *in, *out;
};

static double f(struct net *n) {
  const int layers = n->layers, rows = n->rows, inner = n->inner,
            outer = n->outer;
  for (int l = 0; l < layers; ++l) {
    const double *in = n->in, *weights = n->weights + l * inner * outer;
    double *out = n->out;
    memset(out, 0, rows * outer * sizeof(double));
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < outer; ++k) {
        double sum = 0;
        for (int i = 0; i < inner; ++i)
          sum += in[r * inner + i] * weights[k * inner + i];
        out[r * outer + k] = sum;
      }
    n->in = out;
    n->out = (double *)in;
  }
  return n->in[0];
}

void request(struct net *n, struct net *d) {
  __verso_grad_void((void *)f, verso_dup, n, d);
}

// REMARK: 2 values are recorded only if pointers in loops overlap

// CHECK-LABEL: define internal void @verso.gradient.f(
// CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 %{{.*}}, ptr align 1 %{{.*}}, i64 %{{.*}}, i1 false)
// CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 %{{.*}}, ptr align 1 %{{.*}}, i64 %{{.*}}, i1 false)
// CHECK-NOT: call void @llvm.memcpy.p0.p0.i64(ptr align 1
