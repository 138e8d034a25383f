//===- gathered-rows.c - a row and all that is written --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which row an index chooses is known where the loop over the row begins. There
// it is compared with all that is still written, in 64 bits, and is recorded
// only where it meets that.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O2 -S -emit-llvm %s -o %t.ll \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.ll

extern int verso_const, verso_dup;
void __verso_grad_void(void *, ...);

static double f(int n, int width, const int *neighbour, const double *weight,
                const double *z, double *h) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j) {
      int from = neighbour[4 * i + j];
      for (int k = 0; k < width; ++k)
        h[i * width + k] += weight[4 * i + j] * z[from * width + k];
    }
  return h[0];
}

void request(int n, int width, const int *neighbour, double *weight,
             double *dweight, double *z, double *dz, double *h, double *dh) {
  __verso_grad_void((void *)f, verso_const, n, verso_const, width, verso_const,
                    neighbour, verso_dup, weight, dweight, verso_dup, z, dz,
                    verso_dup, h, dh);
}

// CHECK: 8 values are recorded only if pointers in loops overlap

// Once, before all loops, in 128 bits; then in 64.
// IR-LABEL: define internal {{.*}}@verso.gradient.f(
// IR: trunc i128 %{{.*}} to i64
// IR: trunc i128 %[[HIGH:.*]] to i64
// IR-NEXT: select i1 %{{.*}}, i64 %{{.*}}, i64 9223372036854775807
// IR-NOT: i128
// IR: {{^}}}
