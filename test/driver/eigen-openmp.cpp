// A product that threads of OpenMP may share is differentiated as Eigen computes
// it (pass/structured/eigen-products.cpp).
//
// REQUIRES: eigen, openmp
// RUN: %clangxx_verso -std=c++20 -isystem /usr/include/eigen3 -O1 -fopenmp \
// RUN:   -mllvm -verso-strategy=taped -S -emit-llvm %s -o - | FileCheck %s
// CHECK: define internal {{.*}}gebp_kernel{{.*}}.twin(

#include <Eigen/Dense>

extern "C" {
extern int verso_dup;
void __verso_grad_void(void *, ...);
}

static double f(const Eigen::MatrixXd &a, const Eigen::MatrixXd &b) {
  Eigen::MatrixXd c = a * b;
  return c.squaredNorm();
}

void g(Eigen::MatrixXd &a, Eigen::MatrixXd &da, Eigen::MatrixXd &b,
       Eigen::MatrixXd &db) {
  __verso_grad_void((void *)f, verso_dup, &a, &da, verso_dup, &b, &db);
}
