//===- kept-infinities.c - what is used on every way is not dropped
//--------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products with a factor that may be infinite ask whether their adjoint is zero
// only where the result may be thrown away. A sum that goes on to the next
// iteration, then behind the loop and into what is returned, is not.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -S -emit-llvm %s -o - | FileCheck %s

double exp(double);
extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double kept(const double *x, const double *a, int n) {
  double scale = exp(x[0]), s = 0;
  int i = 0;
  do {
    double r = scale * a[i] + x[2];
    s += r * scale;
  } while (++i != n);
  return 0.5 * s;
}

// CHECK-LABEL: define internal void @verso.gradient.kept(
// CHECK-NOT: fcmp
// CHECK: ret void
void ask_kept(double *x, double *dx, double *a, int n) {
  __verso_grad_void((void *)kept, verso_dup, x, dx, verso_const, a, verso_const,
                    n);
}

static double dropped(const double *x, const double *a, int n) {
  double scale = exp(x[0]), s = 0;
  int i = 0;
  do {
    double r = scale * a[i] + x[2];
    if (a[i] < 0)
      continue;
    s += r * scale;
  } while (++i != n);
  return 0.5 * s;
}

// CHECK-LABEL: define internal void @verso.gradient.dropped(
// CHECK: fcmp oeq double %{{.*}}, 0.000000e+00
// CHECK: ret void
void ask_dropped(double *x, double *dx, double *a, int n) {
  __verso_grad_void((void *)dropped, verso_dup, x, dx, verso_const, a,
                    verso_const, n);
}
