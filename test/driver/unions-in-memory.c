// Variables of unions of floats and doubles stay in memory until gradients are
// emitted (prepare/MixedUnions.h). Nothing of that is left, at -O0 too, but that
// LLVM is told of words where the union is.

// RUN: %clang_verso -O0 -S -emit-llvm %s -o - | opt -passes=verify -S | FileCheck %s --check-prefix=GONE --implicit-check-not=__verso_in_memory --implicit-check-not=__verso_of_union
// RUN: %clang_verso -O2 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=__verso_in_memory --implicit-check-not=__verso_of_union
// RUN: %clang_verso -O0 %s -o %t %verso_libs
// RUN: %t
// Nor where the optimiser has dropped the request.
// RUN: %clang_verso -O2 -DNEVER %s -o %t.never
// RUN: %t.never

#include <verso/verso.h>

struct Tagged {
  int tag;
  union {
    double d;
    float f[2];
  } u;
};

// GONE-LABEL: define {{.*}}@scaled(
// GONE: alloca { i32, [1 x i64] }
// GONE: call void @llvm.memcpy
// CHECK-LABEL: define {{.*}}@scaled(
__attribute__((noinline)) void scaled(struct Tagged *v) {
  struct Tagged t = v[1];
  if (t.tag == 0)
    t.u.d *= 2;
  else
    t.u.f[1] *= 3;
  v[0] = t;
}

int main(void) {
  struct Tagged v[2] = {{1, {0}}, {1, {.f = {1, 2}}}}, d[2] = {{1, {.f = {5, 7}}}, {1, {0}}};
#ifdef NEVER
  static int never;
  if (!never) {
    scaled(v);
    return v[0].u.f[1] != 6;
  }
#endif
  __verso_vjp_void((void *)scaled, verso_dup, v, d);
  return d[1].u.f[0] == 5 && d[1].u.f[1] == 21 && d[0].u.f[0] == 0 ? 0 : 1;
}
