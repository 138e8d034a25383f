//===- thin-link-time.c - requests in a ThinLTO link ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At every level. LLVM's pipeline of such a link at -O0 has no extension points
// for plugins; requests are lowered there nevertheless.
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O0 -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %s -o %t %verso_libs
// RUN: %t
// RUN: %clang -O0 -g -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %s -o %t %verso_libs
// RUN: %t
// RUN: %clang_verso -O0 -flto=thin -c %s -o %t.o
// RUN: %clang -O0 -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.o -o %t %verso_libs
// RUN: %t
// RUN: %clang -O2 -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %s -o %t %verso_libs
// RUN: %t
// RUN: %clang -Os -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %s -o %t %verso_libs
// RUN: %t

extern int verso_dup;
double __verso_grad(void *, ...);

static double product(const double *x, int n) {
  double result = 3;
  for (int i = 0; i < n; ++i)
    result *= x[i];
  return result * x[0];
}

int main(void) {
  double x[] = {2, 5}, dx[] = {0, 0};
  __verso_grad(product, verso_dup, x, dx, 2);
  return dx[0] != 60 || dx[1] != 12;
}
