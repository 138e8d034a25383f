//===- static-guards.cpp - initialisers of static variables are left out --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function's static variable is looked at when the request begins: before it
// is initialised the request is taped, and nothing it leads to is followed.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -O2 -S -emit-llvm -Rpass=verso %s -o - 2>%t \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: %clangxx_verso -O0 -c -Rpass=verso %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

extern int verso_dup;
double __verso_grad(void *, ...);

struct Layer {
  virtual double apply(double x) const = 0;
};
struct Square : Layer {
  double apply(double x) const override { return x * x; }
};
struct Cube : Layer {
  double apply(double x) const override { return x * x * x; }
};
extern int cubes;

static double f(double *x) {
  static const Layer *const layer =
      cubes ? static_cast<Layer *>(new Cube) : new Square;
  return layer->apply(*x);
}

void gradient(double *x, double *dx) {
  __verso_grad((void *)f, verso_dup, x, dx);
}

// What only an initialiser reaches is no condition.
static const Layer &inner() {
  static const Layer *const layer =
      cubes ? static_cast<Layer *>(new Cube) : new Square;
  return *layer;
}
static double g(double *x) {
  static const Layer *const layer = cubes ? new Cube : &inner();
  return layer->apply(*x);
}

void gradient_of_g(double *x, double *dx) {
  __verso_grad((void *)g, verso_dup, x, dx);
}

// REMARK: gradient of 'f' by reversed control flow, and by tape {{.*}}until the
// static variables of its functions are initialised

// CHECK-LABEL: define {{.*}}@verso.gradient._ZL1fPd(
// CHECK: [[SET:%.*]] = load atomic i8, ptr @_ZGVZL1fPdE5layer acquire
// CHECK: [[IS:%.*]] = icmp {{eq|ne}} i8 [[SET]], 0
// CHECK-NEXT: br i1 [[IS]]
// CHECK: call i1 @verso.gradient._ZL1fPd.survey(
// CHECK: call double @verso.gradient._ZL1fPd.structured(

// CHECK-LABEL: define {{.*}}@verso.gradient._ZL1gPd(
// CHECK-NOT: @_ZGVZL5innervE5layer
// CHECK: load atomic i8, ptr @_ZGVZL1gPdE5layer acquire
// CHECK-NOT: @_ZGVZL5innervE5layer
// CHECK: call double @verso.gradient._ZL1gPd.structured(
// CHECK-NOT: @_ZGVZL5innervE5layer
// CHECK: {{^}$}}
