// Where a union of a double and two floats is copied to one that has an adjoint
// itself, and nobody accesses it, nobody can say what is to be added: the
// program says so, by both strategies and at all levels, also where a double is
// accessed in a branch that is not taken. (The floats were added as a double.)
// So it is with unions that are handed on by value in registers, where they are
// one double, or of which a half is computed (bits of a double, then).

// RUN: %clangxx_verso -O0 %s -o %t0 %verso_libs
// RUN: not %t0 1 2>&1 | FileCheck %s
// RUN: not %t0 2 2>&1 | FileCheck %s
// RUN: not %t0 3 2>&1 | FileCheck %s
// RUN: not %t0 4 2>&1 | FileCheck %s
// RUN: not %t0 5 2>&1 | FileCheck %s
// RUN: %clangxx_verso -O2 %s -o %t2 %verso_libs
// RUN: not %t2 1 2>&1 | FileCheck %s
// RUN: not %t2 2 2>&1 | FileCheck %s
// RUN: not %t2 3 2>&1 | FileCheck %s
// RUN: not %t2 4 2>&1 | FileCheck %s
// RUN: not %t2 5 2>&1 | FileCheck %s
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clangxx_verso -O2 %s -o %t3 %verso_libs
// RUN: not %t3 1 2>&1 | FileCheck %s
// RUN: not %t3 2 2>&1 | FileCheck %s
// RUN: not %t3 3 2>&1 | FileCheck %s
// RUN: not %t3 4 2>&1 | FileCheck %s
// RUN: not %t3 5 2>&1 | FileCheck %s

// CHECK: {{memory that is copied but never read as a number has an adjoint already|bits went through integer arithmetic or were overwritten in part}}
// CHECK-NOT: gradient

#include <verso/verso.h>

#include <cstdio>
#include <cstdlib>

struct Tagged {
  int tag; ///< 0: a double.
  union {
    double d;
    float f[2];
  };
};

__attribute__((noinline)) static double scaled(Tagged *v) {
  Tagged t = v[1];
  if (t.tag == 0)
    t.d *= 2;
  v[0] = t;
  return 0;
}
__attribute__((noinline)) static double summed(Tagged *v) {
  Tagged t = v[1];
  double r = 0;
  if (t.tag == 0)
    r = t.d;
  v[0] = t;
  return r;
}
__attribute__((noinline)) static double inPlace(Tagged *v) {
  v[0] = v[1];
  if (v[0].tag == 0)
    v[0].d *= 2;
  return 0;
}
__attribute__((noinline)) static Tagged scale(Tagged t) {
  if (t.tag == 0)
    t.d *= 2;
  else
    t.f[0] *= 2;
  return t;
}
__attribute__((noinline)) static double handed(Tagged *v) {
  v[0] = scale(v[1]);
  return 0;
}

/// LLVM reads both members, whichever is there.
struct Value {
  int tag;
  union {
    double d;
    float f[2];
  } u;
};
static inline double squareOf(const Value &x) {
  double v = x.tag ? x.u.f[0] + 2 * x.u.f[1] : x.u.d;
  return v * v;
}
__attribute__((noinline)) static double read(Value *a) {
  a[1].u = a[3].u;
  a[1].tag = a[3].tag;
  double r = 0;
  for (int k = 0; k < 5; ++k)
    r += squareOf(a[k]);
  return r;
}

static Tagged v[2], d[2];
static Value w[5], dw[5];

int main(int, char **arguments) {
  for (int k = 0; k < 2; ++k) {
    v[k].tag = 1;
    for (float &f : v[k].f)
      f = 1.5f;
    for (float &f : d[k].f)
      f = 0.7f + k;
  }
  switch (atoi(arguments[1])) {
  case 1:
    __verso_vjp_void((void *)scaled, verso_dup, v, d, 1.0);
    break;
  case 2:
    __verso_vjp_void((void *)summed, verso_dup, v, d, 1.0);
    break;
  case 3:
    __verso_vjp_void((void *)inPlace, verso_dup, v, d, 1.0);
    break;
  case 4:
    __verso_vjp_void((void *)handed, verso_dup, v, d, 1.0);
    break;
  case 5:
    for (int k = 0; k < 5; ++k)
      w[k].u.d = 1;
    w[3].tag = 1;
    for (int k = 1; k < 4; k += 2) {
      w[3].u.f[0] = 0.5f, w[3].u.f[1] = 0.75f;
      dw[k].u.f[0] = 0.5f, dw[k].u.f[1] = -1;
    }
    __verso_vjp_void((void *)read, verso_dup, w, dw, 1.0);
    break;
  }
  printf("gradient %g %g\n", d[1].f[0], d[1].f[1]);
}
