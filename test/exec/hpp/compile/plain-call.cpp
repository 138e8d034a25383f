//===- plain-call.cpp - nothing but a call of an entry point --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the interface compiles to before the plugin sees it: with optimisation a
// gradient is one call, of a function that is the user's; without it all is in
// the user's function still.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx -std=c++20 -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -std=c++20 -O0 -S -emit-llvm %s -o - \
// RUN:   | FileCheck %s --check-prefix=UNOPTIMISED

#include "verso/verso.hpp"

static double square(double x) { return x * x; }

// CHECK-LABEL: define {{.*}}@of_lambda(
// CHECK-NEXT: %[[C:[0-9]+]] = load i32, ptr @verso_const
// CHECK-NEXT: %[[D:[0-9]+]] = tail call double @{{.*}}__verso_grad{{.*}}(ptr {{.*}}Thunk{{.*}}, i32 {{.*}}%[[C]], ptr {{.*}}null, double {{.*}}%0)
// CHECK-NEXT: ret double %[[D]]
// UNOPTIMISED-LABEL: define {{.*}}@of_lambda(
// UNOPTIMISED: call double @{{.*}}__verso_grad{{.*}}(ptr {{.*}}Thunk{{.*}}, i32
// UNOPTIMISED: }
extern "C" double of_lambda(double x) {
  return verso::grad([](double x) { return x * x; })(x);
}

// CHECK-LABEL: define {{.*}}@of_constant(
// CHECK-NEXT: load i32
// CHECK-NEXT: tail call double @{{.*}}__verso_grad{{.*}}(ptr {{.*}}Thunk{{.*}}, ptr {{.*}}null, double
// CHECK-NEXT: ret double
extern "C" double of_constant(double x) {
  return verso::grad(verso::fn<square>)(x);
}

// CHECK-LABEL: define {{.*}}@of_function(
// CHECK-NEXT: load i32
// CHECK-NEXT: tail call double @{{.*}}__verso_grad{{.*}}(ptr {{.*}}Thunk{{.*}}, ptr {{.*}}@_ZL6squared, double
// CHECK-NEXT: ret double
extern "C" double of_function(double x) { return verso::grad(square)(x); }

// CHECK: define internal {{.*}}double @{{.*}}Thunk{{.*}}of_lambda
// CHECK-NEXT: fmul double
// CHECK-NEXT: ret double
