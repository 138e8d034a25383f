//===- watched-networks.cpp - watched weights are no reason for a tape ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requests of exec/watch/networks.cpp have structured versions for threads
// that watch, also where there is no other structured one. (That they are right
// is tested there.)
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -O2 -c %S/../exec/watch/networks.cpp -o %t.o -Rpass=verso \
// RUN:   2>&1 | FileCheck %s

// CHECK: gradient of 'loss' by reversed control flow, and by tape {{.*}}where watched memory has no adjoints of the thread's own
// CHECK: gradient of 'unrolled' by reversed control flow, and by tape where watched memory has no adjoints of the thread's own
// CHECK: gradient of 'along' by reversed control flow, and by tape where watched memory has no adjoints of the thread's own
