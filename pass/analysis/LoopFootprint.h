//===- LoopFootprint.h - the cells that a nest comes to ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether all that a loop reads and writes is known when it begins, exactly:
// each access comes, in every iteration of the loops around it or in none, to
// first + k0 * step0 + k1 * step1 + ..., for all k below their counts, and
// these are values that the nest does not change. Then nothing else leaves the
// loop, nothing ends it early, and what it does not read cannot matter to it.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_LOOPFOOTPRINT_H
#define VERSO_ANALYSIS_LOOPFOOTPRINT_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"

#include <optional>

namespace verso {

struct LoopFootprint {
  struct Dimension {
    const llvm::SCEV *Step;
    const llvm::SCEV *Count; ///< Of type i64, at least one.
  };
  /// A condition, and which of its values it has to have.
  using Condition = std::pair<llvm::Value *, bool>;
  struct Access {
    llvm::Instruction *I; ///< A memset of zeros counts as a store of numbers.
    llvm::Type *T;
    bool IsStore;
    llvm::Value *Base; ///< First is at a distance from it.
    const llvm::SCEV *First;
    llvm::SmallVector<Dimension, 3> Dimensions; ///< The innermost loop's first.
    /// Where one of them has another value, it is not made at all.
    llvm::SmallVector<Condition, 2> If;
  };
  llvm::SmallVector<Access, 8> Accesses;
  /// Numbers of bytes that have to be multiples of that, or all this is not so.
  llvm::SmallVector<std::pair<const llvm::SCEV *, uint64_t>, 2> Multiples;
  /// How many operations on numbers there are, about; of type i64.
  const llvm::SCEV *Work = nullptr;
  /// The same for each cell that the nest comes to, if loops whose counts
  /// nobody knows are of a middling length.
  double WorkOfCell = 0;
};

/// The footprint of \p L, which has a preheader and one exit, if it is known
/// there and has no more than \p MostDimensions.
std::optional<LoopFootprint> footprintOf(llvm::Loop &L, unsigned MostDimensions,
                                         llvm::ScalarEvolution &SE,
                                         const llvm::DominatorTree &DT,
                                         const llvm::PostDominatorTree &PDT,
                                         const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_ANALYSIS_LOOPFOOTPRINT_H
