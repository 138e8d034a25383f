//===- imported-requests.c - requests that a ThinLTO link imports ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function with a request is imported into a file that calls it, but what it
// differentiates is not: the request is that of its own file alone.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -flto=thin -c %s -o %t.own.o
// RUN: %clang_verso -O2 -flto=thin -c %s -DCALLER -o %t.caller.o
// RUN: %clang -O2 -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.own.o %t.caller.o -o %t %verso_libs
// RUN: %t
// RUN: %clang -O3 -flto=thin -c %s -o %t.own.o
// RUN: %clang -O3 -flto=thin -c %s -DCALLER -o %t.caller.o
// RUN: %clang -O3 -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.caller.o %t.own.o -o %t %verso_libs
// RUN: %t

void gradient(const double *x, double *dx);

#ifdef CALLER
int main(void) {
  double x[32] = {3}, dx[32] = {0};
  gradient(x, dx);
  return dx[0] != 6;
}
#else
extern int verso_dup;
double __verso_grad(void *, ...);

static double sum(const double *x) {
  double s = 0;
  for (int i = 0; i < 32; ++i)
    s += x[i] * x[i] * (i + 1);
  return s;
}
void gradient(const double *x, double *dx) {
  __verso_grad((void *)sum, verso_dup, x, dx);
}
#endif
