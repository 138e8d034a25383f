//===- TeamLoops.h - loops of gradients that threads share ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that the program shares among threads (Worksharing.h) becomes two in
// the gradient, one of the recto and one of the verso. Each is shared again
// where that can be shown to be right (TeamAccesses.h):
//
//   team(thread T of N, what the loop uses):
//     from, to = the thread's part of the iterations
//     private cells = 0
//     iterations from .. to - (those that may meet the next thread's first)
//     all threads come to here
//     the iterations that are left
//     all threads come to here
//     for its part of the cells: cell += what all threads have for it
//
// Sums that iterations hand on have a place for each thread, and are added up
// in the threads' order: the same number of threads gives the same bits.
// Thread 0 adds to the cells themselves.
//
// With one thread, or where addresses turn out to be in the way, the team is
// the thread that came there. The function is a gradient's like any other; its
// loops become vectors as without threads.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TEAM_TEAMLOOPS_H
#define VERSO_STRUCTURED_TEAM_TEAMLOOPS_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Whether a structured gradient has loops that the program shares.
bool hasSharedLoops(const llvm::Function &F);

/// Lets threads share loops of \p F, a structured gradient whose loops are
/// simplified, rotated and in LCSSA form. What the teams run is added to
/// \p Others. Whether there are any.
bool shareLoops(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                llvm::SmallVectorImpl<llvm::Function *> &Others);

} // namespace verso

#endif // VERSO_STRUCTURED_TEAM_TEAMLOOPS_H
