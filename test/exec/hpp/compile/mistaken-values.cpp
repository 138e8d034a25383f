//===- mistaken-values.cpp - what a function returns ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mistake is one error, in plain words, and the compiler's notes lead to the
// user's line.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx -std=c++20 -x c++-header %S/../../../../include/verso/verso.hpp \
// RUN:   -o %t.pch
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DNOTHING %s 2>&1 | FileCheck %s --check-prefix=NOTHING \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DSEVERAL %s 2>&1 | FileCheck %s --check-prefix=SEVERAL \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DINTEGER %s 2>&1 | FileCheck %s --check-prefix=INTEGER \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DVALUE %s 2>&1 | FileCheck %s --check-prefix=VALUE \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DVJP %s 2>&1 | FileCheck %s --check-prefix=VJP \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DVJP_OF_NOTHING %s 2>&1 | FileCheck %s --check-prefix=VJP_OF_NOTHING \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DJACOBIAN %s 2>&1 | FileCheck %s --check-prefix=JACOBIAN \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DSECOND %s 2>&1 | FileCheck %s --check-prefix=SECOND \
// RUN:   --implicit-check-not=error:

#include "verso/verso.hpp"

static void nothing(double) {}
static void reads(const double &) {}
static std::vector<double> several(double x) { return {x, x}; }
static int integer(double x) { return x > 0; }
static double product(double x, double y) { return x * y; }

int main() {
#ifdef NOTHING
  // NOTHING: error: {{.*}}verso: the function returns nothing, so it has no gradient; {{.*}}verso::vjp
  // NOTHING: mistaken-values.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(nothing)(1.0);
#endif
#ifdef SEVERAL
  // SEVERAL: error: {{.*}}verso: the function returns several numbers{{.*}}verso::jacobian
  // SEVERAL: mistaken-values.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(several)(1.0);
#endif
#ifdef INTEGER
  // INTEGER: error: {{.*}}verso: the function returns no floating-point number
  // INTEGER: mistaken-values.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(integer)(1.0);
#endif
#ifdef VALUE
  // VALUE: error: {{.*}}verso: the function returns several numbers
  // VALUE: mistaken-values.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::value_and_grad(several)(1.0);
#endif
#ifdef VJP
  // VJP: error: {{.*}}verso: the function returns no floating-point numbers
  // VJP: mistaken-values.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::vjp(integer, 1.0);
#endif
#ifdef VJP_OF_NOTHING
  // VJP_OF_NOTHING: error: {{.*}}verso: the function returns no floating-point numbers
  // VJP_OF_NOTHING: mistaken-values.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::vjp(reads, 1.0);
#endif
#ifdef JACOBIAN
  // JACOBIAN: error: {{.*}}verso: the function returns no floating-point numbers
  // JACOBIAN: mistaken-values.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::jacobian(integer)(1.0);
#endif
#ifdef SECOND
  // SECOND: error: {{.*}}verso: the function returns several numbers
  // SECOND: mistaken-values.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(verso::grad(product))(1.0, 2.0);
#endif
}
