//===- Threads.h - what threads of differentiated code must not -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads that a differentiated function starts run one after another
// (runtime/Threads.c). A program in which they wait for one another would wait
// for ever, and variables of a thread would be shared: both end the program.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_THREADS_H
#define VERSO_PREPARE_THREADS_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

/// Of a function that is differentiated.
void guardThreads(llvm::Function &F);

/// Whether \p F starts threads and has variables of a thread: once functions
/// are inlined, nobody knows which are whose.
bool mixesThreads(const llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_THREADS_H
