//===- copied-vectors.cpp - vectors that are assigned are no reason -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requests of exec/structured/copies-of-the-library.cpp are structured.
// (That they are right is tested there.)
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -O2 -c %S/../exec/structured/copies-of-the-library.cpp \
// RUN:   -o %t.o -Rpass=verso 2>&1 | FileCheck %s

// CHECK: gradient of 'loss' by reversed control flow
// CHECK: gradient of 'residual' by reversed control flow
// CHECK: gradient of 'exercised' by reversed control flow
