//===- EqualChoices.h - choices between equal numbers -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a program asks whether i == j (a diagonal), LLVM writes i for j behind
// the test, and a choice of the two where the ways meet again:
//
//   if (i == j) L[i][i] = a; else L[i][j] = b;
//     =>   L[i][phi(i, j)] = phi(a, b)
//
// It is j on both ways. As a choice it has no evolution, and nobody knows which
// cells the loop comes to.
//
// And where a loop hands on a number in a register and in memory (a sum that it
// stores, of a private variable), there are two phis of it, which nobody finds to
// be one if they go round through other phis.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_EQUALCHOICES_H
#define VERSO_STRUCTURED_EQUALCHOICES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace verso {

/// Leaves closed what is in loop-closed form. Returns whether \p F changed.
bool replaceEqualChoices(llvm::Function &F, const llvm::DominatorTree &DT,
                         const llvm::LoopInfo &LI);

/// Of phis of a loop's header that are the same, one stays. Returns whether
/// anything changed.
bool replaceEqualPhis(const llvm::LoopInfo &LI);

} // namespace verso

#endif // VERSO_STRUCTURED_EQUALCHOICES_H
