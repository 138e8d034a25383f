//===- watched-blocks.cpp - blocks of layers are no reason for a tape -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The request of exec/watch/nested-blocks.cpp is structured. (That it is right
// is tested there.)
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -O2 -c %S/../exec/watch/nested-blocks.cpp -o %t.o \
// RUN:   -Rpass=verso 2>&1 | FileCheck %s

// CHECK: gradient of 'loss' by reversed control flow, and by tape for other functions than those that its pointers seem to lead to, and where watched memory has no adjoints of the thread's own
