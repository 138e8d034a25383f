//===- mistaken-arguments.cpp - arguments that cannot be differentiated --===//
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
// RUN:   -DPOINTER %s 2>&1 | FileCheck %s --check-prefix=POINTER \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DARRAY %s 2>&1 | FileCheck %s --check-prefix=ARRAY \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DUNKNOWN %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DMEMBER %s 2>&1 | FileCheck %s --check-prefix=MEMBER \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DNO_INPUT %s 2>&1 | FileCheck %s --check-prefix=NO_INPUT \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DALL_CONSTANT %s 2>&1 | FileCheck %s --check-prefix=ALL_CONSTANT \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DNO_ARGUMENTS %s 2>&1 | FileCheck %s --check-prefix=NO_ARGUMENTS \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DACTIVE_INTEGER %s 2>&1 | FileCheck %s --check-prefix=ACTIVE_INTEGER \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DCONST_OUTPUT %s 2>&1 | FileCheck %s --check-prefix=CONST_OUTPUT \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DTEMPORARY_OUTPUT %s 2>&1 | FileCheck %s --check-prefix=TEMPORARY_OUTPUT \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DCONST_INOUT %s 2>&1 | FileCheck %s --check-prefix=CONST_INOUT \
// RUN:   --implicit-check-not=error:

#include "verso/verso.hpp"

#include <map>

static double of_pointer(const double *p) { return *p; }
static double of_map(const std::map<int, double> &m) { return m.at(1); }
struct Holder {
  double x;
  std::map<int, double> m;
};
static double of_holder(const Holder &h) { return h.x; }
static double of_integer(int n) { return n; }
static double of_number(double x) { return x; }
static double writes(double &x) { return x *= x; }
static double number, array[3];
static const double fixed = 3;

int main() {
#ifdef POINTER
  // POINTER: error: {{.*}}verso: an argument is a pointer or an array, {{.*}}std::span
  // POINTER: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(of_pointer)(&number);
#endif
#ifdef ARRAY
  // ARRAY: error: {{.*}}verso: an argument is a pointer or an array, {{.*}}std::span
  // ARRAY: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(of_pointer)(array);
#endif
#ifdef UNKNOWN
  // UNKNOWN: error: {{.*}}verso: it is not known where the type of an argument holds its numbers; {{.*}}verso::constant
  // UNKNOWN: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(of_map)(std::map<int, double>());
#endif
#ifdef MEMBER
  // MEMBER: error: {{.*}}verso: it is not known where the type of an argument holds its numbers; specialise verso::Numbers
  // MEMBER: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(of_holder)(Holder());
#endif
#ifdef NO_INPUT
  // NO_INPUT: error: {{.*}}verso: there is nothing to differentiate with respect to
  // NO_INPUT: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(of_integer)(3);
#endif
#ifdef ALL_CONSTANT
  // ALL_CONSTANT: error: {{.*}}verso: there is nothing to differentiate with respect to
  // ALL_CONSTANT: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(of_number)(verso::constant(3.0));
#endif
#ifdef NO_ARGUMENTS
  // NO_ARGUMENTS: error: {{.*}}verso: there is nothing to differentiate with respect to
  // NO_ARGUMENTS: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad([] { return 1.0; })();
#endif
#ifdef ACTIVE_INTEGER
  // ACTIVE_INTEGER: error: {{.*}}verso: an argument is marked as varying, but its type has nothing to differentiate
  // ACTIVE_INTEGER: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(of_integer)(verso::active(3));
#endif
#ifdef CONST_OUTPUT
  // CONST_OUTPUT: error: {{.*}}verso: the function writes an argument that is const or a temporary
  // CONST_OUTPUT: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(writes)(fixed);
#endif
#ifdef TEMPORARY_OUTPUT
  // TEMPORARY_OUTPUT: error: {{.*}}verso: the function writes an argument that is const or a temporary
  // TEMPORARY_OUTPUT: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(writes)(3.0);
#endif
#ifdef CONST_INOUT
  // CONST_INOUT: error: {{.*}}verso: the function writes an argument that is const or a temporary
  // CONST_INOUT: mistaken-arguments.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::grad(writes)(verso::inout(fixed));
#endif
}
