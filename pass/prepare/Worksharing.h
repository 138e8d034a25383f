//===- Worksharing.h - loops that OpenMP shares among threads ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that a parallel region shares among its threads (`#pragma omp for`)
// says of its iterations what no analysis can see: one that writes to a cell is
// the only one that touches it. In differentiated code regions have one thread
// (OpenMP.h), so the loop gets a mark that says so, for its gradient to be
// shared as well (structured/loops/TeamLoops.h).
//
// The mark is only right where that is all there is to it. Not marked are loops
//   - in regions that ask the OpenMP runtime who they are, or synchronise;
//   - that update memory atomically, or call what may;
//   - that use what each thread has for itself (private arrays, what the region
//     allocates): one thread's iterations may hand it on.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_WORKSHARING_H
#define VERSO_PREPARE_WORKSHARING_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// Marks the shared loops of the module's parallel regions, and the regions
/// that have some. The loops are in optimised code: at -O0 there are none.
void markWorksharing(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

/// Whether \p Region has marked loops. Then nothing in it asks for its team.
bool sharesLoops(const llvm::Function &Region);

/// Whether \p Bounds, a call of __kmpc_for_static_init or dispatch_init, is
/// that of a marked loop.
bool isOfSharedLoop(const llvm::CallInst &Bounds);

/// Whether the program shares the iterations of \p L, or of the loop that
/// \p L reverses, among threads.
bool isShared(const llvm::Loop &L);
/// The same of a loop whose last block ends with \p Latch.
bool isShared(const llvm::Instruction &Latch);

/// Whether a local variable, or what a variable is the shadow of, is an
/// iteration's of a shared loop, or of a function that iterations call: nothing
/// of it is left when the iteration ends.
bool isOfIteration(const llvm::AllocaInst &Local);

/// Marks a loop whose last block ends with \p Latch like \p L.
void markLike(llvm::Instruction &Latch, const llvm::Loop &L);

/// Where the loop stands, for a message.
std::string whereShared(const llvm::Loop &L);

} // namespace verso

#endif // VERSO_PREPARE_WORKSHARING_H
