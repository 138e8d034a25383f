//===- link-time.c - callees in another file of the link ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -flto the plugin works in the linker, so that the function and its
// callees may live in different files.
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -flto -c %s -o %t.main.o
// RUN: %clang -O2 -flto -DCALLEE -c %s -o %t.callee.o
// RUN: %clang -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.main.o %t.callee.o -o %t %verso_libs
// RUN: %t
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.main.o %t.callee.o -o %t.taped %verso_libs
// RUN: %t.taped

#ifdef CALLEE
double scale = 3;
double callee(const double *x, int n) {
  double product = scale;
  for (int i = 0; i < n; ++i)
    product *= x[i];
  return product;
}
#else
double callee(const double *, int);
extern int verso_dup;
double __verso_grad(void *, ...);
static double f(const double *x, int n) { return callee(x, n) * x[0]; }

int main(void) {
  double x[] = {2, 5}, dx[] = {0, 0};
  __verso_grad(f, verso_dup, x, dx, 2);
  return dx[0] != 60 || dx[1] != 12;
}
#endif
