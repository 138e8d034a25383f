//===- after-an-error.c - the pipeline goes on after an error -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several mistakes in one file, also in a request that another one reaches and
// beside a table of twins that is right: all are reported, clang, the linker and
// opt end with status 1, and no later pass crashes.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O3 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O1 -gline-tables-only -flto -c %s -o %t.o
// RUN: not %clang -O1 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.o -o %t %verso_libs 2>&1 | FileCheck %s
// RUN: %clang -O1 -gline-tables-only -S -emit-llvm %s -o %t.ll
// RUN: not %opt_verso "-passes=default<O2>" %t.ll -o %t.bc 2>&1 | FileCheck --check-prefix=OPT %s

double __verso_grad(void *, ...);
double mystery(double);

static double bad(double x) { return mystery(x) * x; }
static double good(double x) { return x * x; }
static double product(double x, double y) { return x * y; }
double (*table[])(double) = {good, bad};
static double chosen(double x, int i) { return table[i](x) + mystery(x); }
static double inner(double x) { return __verso_grad(bad, x) * x; }

// Each is reported, whatever the order. opt ends at the first one.
// OPT: after-an-error.c:{{[0-9]+}}:{{[0-9]+}}
// CHECK-DAG: after-an-error.c:[[@LINE-9]]:{{[0-9]+}}: {{.*}}mystery
// CHECK-DAG: after-an-error.c:[[@LINE-6]]:{{[0-9]+}}: {{.*}}mystery
// CHECK-DAG: after-an-error.c:[[@LINE+6]]:{{[0-9]+}}: {{.*}}too few
// CHECK-NOT: Stack dump
double slopes(double x, int i) {
  double sum = __verso_grad(good, x);
  sum += __verso_grad(inner, x);
  sum += __verso_grad(chosen, x, i);
  sum += __verso_grad(product, x);
  return sum;
}

int main(int count, char **arguments) {
  (void)arguments;
  return slopes(count, count & 1) > 1;
}
