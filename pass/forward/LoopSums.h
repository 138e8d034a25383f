//===- LoopSums.h - sums whose tangents can wait for a loop's end -*- C++
//-*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that adds up
//
//   sum += g(x0, x1, ...)
//
// and needs the sum for nothing else has, in each direction, the tangent
//
//   dsum += sum over iterations, sources X of  partial(X) * dX
//
// Where X is the same cell in many iterations (a value from outside the loop,
// or a cell of a local object that the loop only reads), its partials are added
// up first, in a number beside each cell: its weight. That costs the loop as
// much as one direction; all directions are done once, behind it:
//
//   dsum += sum over cells X of  weight(X) * dX
//
// This finds such loops; ForwardOperations.cpp emits the weights. It has to be
// asked before anything is emitted.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_LOOPSUMS_H
#define VERSO_FORWARD_LOOPSUMS_H

#include "analysis/Cones.h"
#include "forward/SideBySide.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Loop;
class LoopInfo;
} // namespace llvm

namespace verso {

struct LoopSum {
  llvm::PHINode *Phi; ///< The sum at the begin of an iteration.
  /// Where weights are cleared, before the loop, and used, behind it.
  llvm::Instruction *Before, *Behind;
  /// What stands for the sum behind the loop, beside the sum itself.
  llvm::SmallVector<llvm::PHINode *, 2> Results;
  llvm::SmallPtrSet<const llvm::Instruction *, 32> Inside;
  /// The local objects whose cells have weights.
  llvm::SmallPtrSet<const llvm::AllocaInst *, 4> Weighted;
};

/// The sum that \p Root, the root of a cone, is the last step of.
std::optional<LoopSum> matchLoopSum(llvm::Instruction &Root, const Cones &C,
                                    const Activity &A, const SideBySide &Sides,
                                    const llvm::LoopInfo &Loops);

/// The local object that \p P is a step from, or null.
llvm::AllocaInst *objectBehindSteps(llvm::Value *P);

} // namespace verso

#endif // VERSO_FORWARD_LOOPSUMS_H
