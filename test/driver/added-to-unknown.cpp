// Numbers at 8 + 88 * i + 40 * j are at multiples of 8, but not at each of them.
// What is copied beside them and never read has no type, if copies lost their
// description (-O1 up): where its adjoint would have to be added to another one,
// the program says so. (Two floats were added as one double.)

// RUN: %clangxx_verso -O0 %s -o %t0 %verso_libs
// RUN: %t0 | FileCheck %s --check-prefix=SUM
// RUN: %clangxx_verso -O2 %s -o %t2 %verso_libs
// RUN: not %t2 2>&1 | FileCheck %s

// SUM: gradient 1.8
// CHECK: memory that is copied but never read as a number has an adjoint already
// CHECK-NOT: gradient

#include <cstdio>
#include <verso/verso.h>

int At[4] = {0, 1, 2, 3};

struct Inner {
  float m;
};
struct Record {
  double d[4];
  float a;
  Inner b;
};
struct Outer {
  double head;
  Record r[2];
};
static Record pass(Record x) { return x; }
__attribute__((noinline)) static double records(Outer *w) {
  w[At[0]].r[1] = pass(w[At[0]].r[0]);
  return 2 * w[At[0]].r[At[0]].d[0] * w[At[0]].r[At[0]].d[1];
}

static Outer w[1], dw[1];

int main() {
  for (Record &r : dw[0].r)
    r.a = 0.7f, r.b.m = 0.9f;
  __verso_vjp((void *)records, verso_dup, w, dw, 1.0);
  printf("gradient %g\n", dw[0].r[0].b.m);
}
