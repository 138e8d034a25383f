//===- DeadMemory.h - local memory that nothing needs -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tangent needs the primal where the function is not linear, and where its
// control flow depends on it. Else LLVM throws the primal away, as long as it
// is in registers. In memory it keeps itself alive: what a sweep over an array
// loads is needed for what it stores there. Here objects are live or dead as a
// whole, from what the function returns, its branches and its effects on:
//
//   for each step: u'[i] = u[i] + a * v[i];  dot(u')[i] = dot(u)[i] + a * ...
//   return sum of dot(u)                   nobody needs u
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_DEADMEMORY_H
#define VERSO_FORWARD_DEADMEMORY_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetLibraryInfo;
} // namespace llvm

namespace verso {

/// Deletes stores and copies to local variables and blocks of the heap, if only
/// \p F accesses them and no live instruction reads them, with all that is dead
/// then. Control flow stays. Returns whether anything changed.
bool deleteDeadMemory(llvm::Function &F, const llvm::TargetLibraryInfo &TLI);

/// Returns zero for those parts of the structures that \p Functions return
/// (of the primal's result beside the tangent) that no caller takes, and
/// deletes what is dead then.
void dropUnusedResults(llvm::ArrayRef<llvm::Function *> Functions,
                       llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_FORWARD_DEADMEMORY_H
