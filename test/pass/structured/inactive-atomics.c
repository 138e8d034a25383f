//===- inactive-atomics.c - inactive functions that count -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inactive function that overwrites numbers, counts its calls, sets a flag
// and asks for a level, at once each, is structured. The recto does that, the
// verso does not. One that exchanges is refused.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -mllvm -verso-strategy=structured -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %clang_verso -O2 -mllvm -verso-strategy=structured -DEXCHANGES -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s

double __verso_grad(void *, ...);

_Atomic int calls, flags, level;

__attribute__((annotate("verso_inactive"), noinline)) static void
report(double *x) {
  ++calls;
  flags |= 4;
  if (level > 1)
    *x = 1;
#ifdef EXCHANGES
  __c11_atomic_exchange(&calls, 0, __ATOMIC_SEQ_CST);
#endif
}

static double f(double x) {
  double y = x * x;
  report(&y);
  return x * y;
}

// CHECK-LABEL: define{{.*}} @verso.gradient.f(
// CHECK: atomicrmw add {{.*}}@calls
// CHECK-NEXT: atomicrmw or {{.*}}@flags
// CHECK-NEXT: load atomic {{.*}}@level
// CHECK-NOT: {{atomicrmw|load atomic}}
// CHECK: ret double
// ERROR: inactive-atomics.c:[[@LINE+1]]:{{[0-9]+}}: error: cannot reverse the control flow of 'f': an inactive function that may overwrite numbers at {{.*}}inactive-atomics.c:28:3
double slope(double x) { return __verso_grad(f, x); }
