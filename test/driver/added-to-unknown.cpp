// Numbers at 8 + 88 * i + 40 * j are at multiples of 8, but not at each of them.
// What is copied beside them and never read has no type, if copies lost their
// description (-O1 up): where its adjoint would have to be added to another one,
// the program says so. (Two floats were added as one double.) And so are floats
// behind an array of structures of one double, over which a copy of so many
// numbers goes on.

// RUN: %clangxx_verso -O0 %s -o %t0 %verso_libs
// RUN: %t0 records | FileCheck %s --check-prefix=SUM
// RUN: not %t0 numbers 2>&1 | FileCheck %s
// RUN: not %t0 length 2>&1 | FileCheck %s
// RUN: not %t0 changed 2>&1 | FileCheck %s
// RUN: %clangxx_verso -O2 %s -o %t2 %verso_libs
// RUN: not %t2 records 2>&1 | FileCheck %s
// RUN: not %t2 numbers 2>&1 | FileCheck %s
// RUN: not %t2 length 2>&1 | FileCheck %s
// RUN: not %t2 changed 2>&1 | FileCheck %s
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clangxx_verso -O2 %s -o %t3 %verso_libs
// RUN: not %t3 numbers 2>&1 | FileCheck %s

// SUM: gradient 1.8
// CHECK: memory that is copied but never read as a number has an adjoint already
// CHECK-NOT: gradient

#define main checks
#include "../exec/memory/steps-in-common.cpp"
#undef main

struct Number {
  double v;
};
struct Numbers {
  Number a[2];
  float f[4];
};
CHECK_NOINLINE static void numbers(Numbers *p, size_t count) {
  memcpy(p[1].a, p[0].a, count * sizeof(double));
}

// Arrays end somewhere, whatever index they are accessed with.
struct Arrays {
  double x[3];
  float w[4];
};
CHECK_NOINLINE static void length(Arrays *p, size_t i, size_t bytes) {
  memmove(p[1].x, p[0].x, bytes);
  p[0].x[i] *= 2;
}
/// What is in a variable that changes is not of the type of its default.
static double none[3];
CHECK_NOINLINE static void moveTo(void *to, const void *from) {
  if (!to)
    to = none;
  if (!from)
    from = none;
  memcpy(to, from, sizeof none);
}
CHECK_NOINLINE static void changed(Arrays *p) { moveTo(p[1].w, p[0].w); }

size_t Count = 4;
static Outer w[1], dw[1];
static Numbers p[2], dp[2];
static Arrays m[2], dm[2];

int main(int, char **arguments) {
  if (!strcmp(arguments[1], "records")) {
    for (Record &r : dw[0].r)
      r.a = 0.7f, r.b.m = 0.9f;
    __verso_vjp_void((void *)records, verso_dup, w, dw, 1.0);
    printf("gradient %g\n", dw[0].r[0].b.m);
  } else if (!strcmp(arguments[1], "length") ||
             !strcmp(arguments[1], "changed")) {
    for (Arrays &each : dm)
      for (float &f : each.w)
        f = 3;
    if (arguments[1][0] == 'c')
      __verso_vjp_void((void *)changed, verso_dup, m, dm);
    else
      __verso_vjp_void((void *)length, verso_dup, m, dm, verso_const, Count - 3,
                       verso_const, 10 * Count);
    printf("gradient %g\n", dm[0].w[0]);
  } else {
    for (Numbers &each : dp)
      for (float &f : each.f)
        f = 3;
    __verso_vjp_void((void *)numbers, verso_dup, p, dp, verso_const, Count);
    printf("gradient %g\n", dp[0].f[0]);
  }
}
