// At -O3 the loop over 32 columns is unrolled in the program, but not before the
// gradient is made of it: its adjoint is a loop that vectorises.

// RUN: %clang_verso -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O3 -S -emit-llvm %s -o - | FileCheck --check-prefix=PROGRAM %s

extern int verso_dup;
double __verso_grad(void *, ...);

__attribute__((noinline)) double f(const double *w, const double *x) {
  double sum = 0;
  for (int i = 0; i < 64; ++i) {
    double s = 0;
    for (int j = 0; j < 32; ++j)
      s += w[i * 32 + j] * x[j];
    sum += s * s;
  }
  return sum;
}

void gradient(const double *w, double *dw, const double *x, double *dx) {
  __verso_grad((void *)f, verso_dup, w, dw, verso_dup, x, dx);
}

// CHECK-LABEL: define {{.*}}@verso.gradient.f
// CHECK-NOT: extractelement
// CHECK: fmul {{.*}}<2 x double>
// CHECK-NOT: extractelement
// CHECK: {{^}$}}

// PROGRAM-LABEL: define {{.*}}double @f(
// PROGRAM-COUNT-32: call double @llvm.fmuladd
// PROGRAM: }
// PROGRAM-NOT: verso.keeps.loops
