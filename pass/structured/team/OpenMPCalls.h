//===- OpenMPCalls.h - calls of the OpenMP runtime --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What emitted code asks of OpenMP: the calls that clang emits for a parallel
// region (LLVM's openmp/runtime, kmp.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TEAM_OPENMPCALLS_H
#define VERSO_STRUCTURED_TEAM_OPENMPCALLS_H

#include "llvm/IR/IRBuilder.h"

namespace verso::openmp {

/// How many threads a team has at most, an i64.
llvm::Value *emitMostThreads(llvm::IRBuilderBase &B);

/// All threads of the team come to here.
void emitBarrier(llvm::IRBuilderBase &B);

/// What stands, among the arguments of a call, for what each thread is told.
struct Told {
  llvm::Value *Thread; ///< Its number, an i64.
  llvm::Value *Team;   ///< How many run the loop: not more than Threads.
  llvm::Value *Threads;
};

/// Has a team run \p Body with the arguments of \p Call where T.Threads is more
/// than one; else the call is made, as thread 0 of one.
void startTeam(llvm::CallInst &Call, llvm::Function &Body, const Told &T);

} // namespace verso::openmp

#endif // VERSO_STRUCTURED_TEAM_OPENMPCALLS_H
