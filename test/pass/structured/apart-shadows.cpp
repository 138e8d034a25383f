//===- apart-shadows.cpp - a reversed nest whose shadows are apart ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check that a nest begins with tells shadows apart as well, and that what
// is written has one, so that the reverse of the nest adds to rows of three
// grids by vectors, and sums travel within a row: its cells are a constant
// distance apart, in whichever way `int` was extended.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O3 -mavx2 -mfma -fno-discard-value-names -S -emit-llvm %s \
// RUN:   -o - | FileCheck %s

#include <utility>

extern "C" int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

struct Grids {
  int n;
  double *h, *u, *v, *nh, *nu, *nv;
};

static double f(Grids &g, int steps) {
  for (int k = 0; k < steps; ++k) {
    for (int i = 1; i < g.n - 1; ++i)
      for (int j = 1; j < g.n - 1; ++j) {
        int c = i * g.n + j, e = (i + 1) * g.n + j, w = (i - 1) * g.n + j,
            s = i * g.n + j + 1, t = i * g.n + j - 1;
        g.nh[c] = g.h[e] * g.u[e] - g.h[w] * g.u[w] + g.h[s] * g.v[s] -
                  g.h[t] * g.v[t];
        g.nu[c] = g.u[c] * (g.u[e] - g.u[w]) + g.v[c] * (g.u[s] - g.u[t]);
        g.nv[c] = g.u[c] * (g.v[e] - g.v[w]) + g.v[c] * (g.v[s] - g.v[t]);
      }
    std::swap(g.h, g.nh);
    std::swap(g.u, g.nu);
    std::swap(g.v, g.nv);
  }
  return g.h[g.n + 1];
}

// CHECK-LABEL: define internal void @verso.gradient
// CHECK: for.body{{.*}}.verso.loop{{.*}}:
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK-NOT: br
// CHECK: %vector.recur{{[0-9]*}} = phi <4 x double>
// CHECK-NOT: br
// CHECK: store <4 x double> zeroinitializer
// CHECK-NOT: br
// CHECK: store <4 x double> zeroinitializer
// CHECK-NOT: br
// CHECK: store <4 x double> zeroinitializer
// CHECK: {{^}}}
void request(Grids *g, Grids *dg, int steps) {
  __verso_grad_void((void *)f, verso_dup, g, dg, verso_const, steps);
}
