// At -O3 the loop over 16 terms is unrolled before the gradient is made of it,
// unlike that in kept-loops.c: columns lie side by side, so the loop around it
// vectorises, and its adjoint does. (LLVM 19 makes other vectors.)

// REQUIRES: llvm22
// RUN: %clang_verso -O3 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup;
double __verso_grad(void *, ...);

__attribute__((noinline)) double columns(const double *w, const double *x) {
  double sum = 0;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      double s = 0;
      for (int k = 0; k < 16; ++k)
        s += w[i * 16 + k] * x[k * 64 + j];
      sum += s * s;
    }
  return sum;
}

void gradient(const double *w, double *dw, const double *x, double *dx) {
  __verso_grad((void *)columns, verso_dup, w, dw, verso_dup, x, dx);
}

// CHECK-LABEL: define {{.*}}@verso.gradient.columns
// CHECK-NOT: store double
// CHECK-COUNT-16: store <2 x double>
// CHECK-NOT: store double
// CHECK: {{^}$}}
