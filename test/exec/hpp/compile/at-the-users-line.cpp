//===- at-the-users-line.cpp - the plugin's errors through the header -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the plugin cannot differentiate is an error at a line of the user's, not
// of the header, with and without optimisation.
//
//===----------------------------------------------------------------------===//

// RUN: not %clangxx_verso -std=c++20 -O0 -gline-tables-only -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s
// RUN: not %clangxx_verso -std=c++20 -O2 -gline-tables-only -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s

#include "verso/verso.hpp"

double elsewhere(double x);

// CHECK-NOT: verso.hpp:{{.*}}error
// CHECK: at-the-users-line.cpp:[[@LINE+1]]:{{.*}}error: {{.*}}elsewhere
static double calls(double x) { return elsewhere(x) * x; }

// CHECK: requested at {{.*}}at-the-users-line.cpp:[[@LINE+1]]
double slope(double x) { return verso::grad(verso::fn<calls>)(x); }
// CHECK-NOT: error:
// CHECK: 1 error generated
