// A product of Eigen's is one of ours in the gradient: nothing of Eigen's
// kernels is differentiated.
//
// REQUIRES: eigen
// RUN: %clangxx_verso -std=c++20 -isystem /usr/include/eigen3 -O1 -S \
// RUN:   -emit-llvm %s -o - | FileCheck %s

#include <Eigen/Dense>

extern "C" {
extern int verso_dup;
void __verso_grad_void(void *, ...);
}

static double f(const Eigen::MatrixXd &a, const Eigen::MatrixXd &b) {
  Eigen::MatrixXd c = a * b;
  return c.squaredNorm() + (a * b.col(0)).sum();
}

void g(Eigen::MatrixXd &a, Eigen::MatrixXd &da, Eigen::MatrixXd &b,
       Eigen::MatrixXd &db) {
  __verso_grad_void((void *)f, verso_dup, &a, &da, verso_dup, &b, &db);
}

// CHECK: define internal {{.*}}@verso.gradient._ZL1fRKN5Eigen
// CHECK-NOT: gebp_kernel
// CHECK: call void @verso.product.d.left(
// CHECK-NOT: {{^}}}
// CHECK: call void @verso.staged.product.d.left.vjp(
// CHECK-NOT: gebp_kernel
// CHECK: {{^}}}
// CHECK-NOT: verso_eigen
