//===- remarks.c - which strategy a request takes -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Said only when it is asked for: a request that works prints nothing.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | count 0
// RUN: %clang_verso -O1 -gline-tables-only -Rpass=verso -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang_verso -O0 -gline-tables-only -Rpass=verso -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang_verso -O1 -gline-tables-only -mllvm -verso-strategy=taped -Rpass=verso -c %s -o %t.o 2>&1 | FileCheck --check-prefix=TAPED %s
// RUN: env VERSO_OPTIONS=-verso-print-requests %clang_verso -O1 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=PRINTED %s

double __verso_grad(void *, ...);

static double cube(double x) { return x * x * x; }

// PRINTED: grad @cube(out double %{{.*}}) -> double
double slope(double x) {
  // CHECK: remarks.c:[[@LINE+2]]:{{[0-9]+}}: remark: gradient of 'cube' by reversed control flow [-Rpass=verso]
  // TAPED: remarks.c:[[@LINE+1]]:{{[0-9]+}}: remark: gradient of 'cube' by tape [-Rpass=verso]
  return __verso_grad(cube, x);
}
