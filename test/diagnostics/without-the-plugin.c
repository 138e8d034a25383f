//===- without-the-plugin.c - requests that nobody computes ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that is compiled without the plugin: the header says so at the
// request's line, where the linker would say that a function is missing.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang_verso -O0 -c %s -o %t.o 2>&1 | count 0
// RUN: %clang_verso -O1 -c %s -o %t.o 2>&1 | count 0

#include <verso/verso.h>

static double square(double x) { return x * x; }
double slope(double x) {
  // CHECK: without-the-plugin.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}compile with -fpass-plugin
  return __verso_grad(square, x);
}
