//===- mistaken-functions.cpp - what is given as the function ------------===//
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
// RUN:   -DNUMBER %s 2>&1 | FileCheck %s --check-prefix=NUMBER \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DARGUMENT_BESIDE %s 2>&1 | FileCheck %s --check-prefix=ARGUMENT_BESIDE \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DCAPTURED_INTEGER %s 2>&1 | FileCheck %s --check-prefix=CAPTURED_INTEGER \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DTOO_FEW %s 2>&1 | FileCheck %s --check-prefix=TOO_FEW \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DTOO_MANY %s 2>&1 | FileCheck %s --check-prefix=TOO_MANY \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DMUTABLE %s 2>&1 | FileCheck %s --check-prefix=MUTABLE \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DWRONG_TYPE %s 2>&1 | FileCheck %s --check-prefix=WRONG_TYPE \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DGENERIC %s 2>&1 | FileCheck %s --check-prefix=GENERIC \
// RUN:   --implicit-check-not=error:

#include "verso/verso.hpp"

struct Point {
  double x;
};
struct Other {
  double y;
};
static double of_point(const Point &p) { return p.x; }
static double product(double x, double y) { return x * y; }
static int count;

int main() {
#ifdef NUMBER
  // NUMBER: error: {{.*}}verso: the first argument is not a function
  // NUMBER: mistaken-functions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(3.0);
#endif
#ifdef ARGUMENT_BESIDE
  // ARGUMENT_BESIDE: error: {{.*}}verso: after the function stands nothing but variables that it captures{{.*}}verso::grad(f)(x)
  // ARGUMENT_BESIDE: mistaken-functions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(product, 1.0)(2.0);
#endif
#ifdef CAPTURED_INTEGER
  // CAPTURED_INTEGER: error: {{.*}}verso: it is not known where the type of a captured variable holds numbers, or it holds none
  // CAPTURED_INTEGER: mistaken-functions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad([](double x) { return x * count; }, verso::active(count))(1.0);
#endif
#ifdef TOO_FEW
  // TOO_FEW: error: {{.*}}verso: the function takes another number of arguments
  // TOO_FEW: mistaken-functions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(product)(1.0);
#endif
#ifdef TOO_MANY
  // TOO_MANY: error: {{.*}}verso: the function takes another number of arguments
  // TOO_MANY: mistaken-functions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(product)(1.0, 2.0, 3.0);
#endif
#ifdef MUTABLE
  // MUTABLE: error: {{.*}}verso: the function changes its own state
  // MUTABLE: mistaken-functions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad([n = 0](double x) mutable { return x * ++n; })(1.0);
#endif
#ifdef WRONG_TYPE
  // WRONG_TYPE: error: {{.*}}verso: the function cannot be called with these arguments
  // WRONG_TYPE: mistaken-functions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(of_point)(Other{1});
#endif
#ifdef GENERIC
  // GENERIC: error: {{.*}}verso: the function cannot be called with these arguments
  // GENERIC: mistaken-functions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad([](auto x, int) { return x; })(1.0);
#endif
}
