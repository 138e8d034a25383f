//===- watched-products.cpp - Eigen's products are no reason for a tape ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The request of exec/watch/eigen-products.cpp is structured. (That it is right
// is tested there.)
//
//===----------------------------------------------------------------------===//

// REQUIRES: eigen
// RUN: %clangxx_verso -std=c++20 -isystem /usr/include/eigen3 -O1 \
// RUN:   -c %S/../exec/watch/eigen-products.cpp -o %t.o -Rpass=verso 2>&1 \
// RUN:   | FileCheck %s

// CHECK: gradient of 'loss' by reversed control flow, and by tape where watched memory has no adjoints of the thread's own
