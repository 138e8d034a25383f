//===- older-standard.cpp - the interface needs C++20 ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One error that says so, and none of what the older language lacks.
//
//===----------------------------------------------------------------------===//

// RUN: not %clangxx -std=c++17 -fsyntax-only %s 2>&1 | FileCheck %s

#include "verso/verso.hpp"

// CHECK: verso.hpp:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}needs C++20: compile with -std=c++20, or use verso/verso.h
// CHECK-NOT: error:
// CHECK: 1 error generated.
