// A gradient that is handed to an optimiser of the same file is called through
// a pointer, but not by what it is the gradient of, though that calls functions
// of the same type through pointers: it has no twin, which would be one of all
// twins. What another file keeps may come back.

// RUN: %clang_verso -O0 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=@gradient.twin
// RUN: %clang_verso -O0 -DKEPT -S -emit-llvm %s -o - | FileCheck %s --check-prefix=KEPT
// RUN: %clang_verso -O0 %s -o %t %verso_libs
// RUN: %t

// CHECK-DAG: define {{.*}}@rate.twin
// KEPT-DAG: define {{.*}}@rate.twin
// KEPT-DAG: define {{.*}}@gradient.twin

#include <math.h>
#include <verso/verso.h>

typedef double (*Rate)(const double *x, double *p);

static double rate(const double *x, double *p) { return x[0] * p[0]; }
static Rate volatile chosen = rate;

static double loss(const double *p) {
  double x = 1.5, q[1] = {p[0]};
  return chosen(&x, q) * p[0];
}

static double gradient(const double *p, double *dp) {
  dp[0] = 0;
  return __verso_value_and_grad(loss, verso_dup, p, dp);
}

__attribute__((noinline)) static double descend(Rate f, double *p) {
  double d[1] = {0};
  for (int k = 0; k < 3; ++k) {
    f(p, d);
    p[0] -= 0.1 * d[0];
  }
  return p[0];
}

#ifdef KEPT
void keep(Rate f);
#endif

int main(void) {
#ifdef KEPT
  keep(gradient);
#endif
  double p[1] = {2};
  // Of 1.5 p^2: p becomes 0.7 p.
  return fabs(descend(gradient, p) - 2 * 0.7 * 0.7 * 0.7) > 1e-12;
}
