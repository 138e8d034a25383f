//===- apart-nests.cpp - two versions of a nest, and a check ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What two grids hold is recorded cell by cell only if they overlap, when their
// pointers are loaded in the middle of the request. Not where nothing is
// recorded. (Not told apart with LLVM 19; why is not known.)
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O2 -S -emit-llvm %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s
// RUN: %clang_verso -O2 -S -emit-llvm %s -DLINEAR -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=NONE \
// RUN:   --allow-empty

extern "C" int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

struct Grids {
  int n;
  double *now, *then;
};

#ifdef LINEAR
#define TIMES +
#else
#define TIMES *
#endif

static double f(Grids &g, int steps) {
  for (int k = 0; k < steps; ++k) {
    for (int i = 1; i < g.n - 1; ++i)
      for (int j = 1; j < g.n - 1; ++j)
        g.then[i * g.n + j] =
            g.now[(i + 1) * g.n + j] TIMES g.now[i * g.n + j - 1];
    double *swapped = g.now;
    g.now = g.then;
    g.then = swapped;
  }
  return g.now[g.n + 1];
}

void request(Grids *g, Grids *dg, int steps) {
  __verso_grad_void((void *)f, verso_dup, g, dg, verso_const, steps);
}

// CHECK: {{values? (is|are)}} recorded only if pointers in loops overlap
// NONE-NOT: pointers in loops
