//===- ApartAtRunTime.h - rows that a check tells apart ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where rows of a grid are as long as the caller says, LoopAccessAnalysis knows
// no distance of a cell and the one above, and gives up; or it asks that all
// cells be apart, which those of one row never are. Here accesses that are a
// constant distance apart are one range, in which additions may meet, and a
// check at the loop's entry tells ranges from one another.
//
// What the check says is true of one execution of the loop: a row is above in
// one and below in another. So its scopes are declared at the loop's entry.
//
// Nothing of a loop has changed since it was analysed.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_APARTATRUNTIME_H
#define VERSO_STRUCTURED_LOOPS_APARTATRUNTIME_H

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace verso {

/// Numbers of additions, the smaller first.
using AdditionPairs = llvm::SmallSetVector<std::pair<unsigned, unsigned>, 8>;

/// Whether Store writes to another place in every iteration.
bool movesOn(llvm::StoreInst &Store, const llvm::Loop &L,
             llvm::ScalarEvolution &SE);

class ApartAtRunTime {
public:
  /// \p L is one block with one exit.
  ApartAtRunTime(llvm::Loop &L, llvm::ScalarEvolution &SE, llvm::AAResults &AA)
      : L(L), SE(SE), AA(AA) {}

  /// \p Owner has the number of the addition that an access belongs to. Those
  /// that may meet are added to \p Conflicts. False if other accesses may
  /// meet, but in one iteration, or if no check would tell.
  bool find(const llvm::DenseMap<const llvm::Instruction *, unsigned> &Owner,
            AdditionPairs &Conflicts);
  size_t checks() const { return Checks.size(); }
  /// Makes \p L the loop that runs if the checks succeed, and a copy of it the
  /// one that runs if not.
  void version(llvm::LoopInfo &LI, llvm::DominatorTree &DT);

private:
  struct Access {
    llvm::Instruction *I;
    int64_t Offset; ///< From the first access of the range.
    uint64_t Bytes;
  };
  struct Range {
    const llvm::SCEV *Start;
    int64_t Step;
    llvm::SmallVector<Access, 6> Accesses;
  };
  bool addToRange(llvm::Instruction &I);
  bool mayMeet(const Range &R, const Range &S);
  bool onlyAdditionsMeet(
      const Range &R,
      const llvm::DenseMap<const llvm::Instruction *, unsigned> &Owner,
      AdditionPairs &Conflicts) const;
  std::pair<const llvm::SCEV *, const llvm::SCEV *>
  boundsOf(const Range &R) const;
  void annotate() const;

  llvm::Loop &L;
  llvm::ScalarEvolution &SE;
  llvm::BatchAAResults AA;
  llvm::SmallVector<Range, 8> Ranges;
  /// Pairs of ranges.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 8> Checks;
};

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_APARTATRUNTIME_H
