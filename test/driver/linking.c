//===- linking.c - shared runtime, executables at fixed addresses ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is linked with the shared runtime, as a position-dependent
// executable, and statically. The tape needs windows of the address space.
//
//===----------------------------------------------------------------------===//

// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O1 %s -o %t.shared %shared_runtime -lm
// RUN: env LD_LIBRARY_PATH=%runtime_directory %t.shared
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O1 -fno-pie -no-pie %s -o %t.fixed %verso_libs
// RUN: %t.fixed
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O1 -fno-pie -static %s -o %t.static %verso_libs
// RUN: %t.static
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O1 -fPIC -static %s -o %t.mixed %verso_libs
// RUN: not %t.mixed 2>&1 | FileCheck %s
// CHECK: error: {{.*}} executable is not position-independent

double __verso_grad(void *, ...);
void __verso_grad_void(void *, ...);

static double global = 3;
static double f(double x) {
  global = global * x;
  return global * x;
}
static double norm2(const double *x) { return x[0] * x[0] + x[1] * x[1]; }
static double data[] = {1, 2}, shadow[2];

int main(void) {
  __verso_grad_void(norm2, data, shadow);
  return __verso_grad(f, 2.0) != 12 || shadow[1] != 4;
}
