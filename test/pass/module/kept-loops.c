// At -O3 the loop over 32 columns is unrolled in the program, but not before the
// gradient is made of it: its adjoint is a loop that vectorises.

// RUN: %clang_verso -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O3 -S -emit-llvm %s -o - | FileCheck --check-prefix=PROGRAM %s
// RUN: %clang_verso -O3 -S -emit-llvm %s -o - | FileCheck --check-prefix=INLINED %s

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

// Kept in a function that is inlined here, and unrolled here then.
static double dot(const double *a, const double *b) {
  double s = 0;
  for (int j = 0; j < 32; ++j)
    s += a[j] * b[j];
  return s;
}
__attribute__((noinline)) double h(const double *w, const double *x) {
  return dot(w, x) * dot(w + 32, x);
}
void gradient_of_h(const double *w, double *dw, const double *x, double *dx) {
  __verso_grad((void *)h, verso_dup, w, dw, verso_dup, x, dx);
}

// INLINED-LABEL: define {{.*}}double @h(
// INLINED-NOT: phi double
// INLINED: {{^}$}}
