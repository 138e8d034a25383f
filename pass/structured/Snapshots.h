//===- Snapshots.h - memory that is copied for the verso --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stencil reads a cell several times, from its neighbours' iterations. If the
// memory is overwritten later on, a column for each of these loads keeps every
// number as often. But if nothing is written there while the nest of loops is
// run, all of them read one state of the memory: that is copied when the nest
// is entered, from the first byte that the loads read to the last.
//
//   for i:  ... x[i-1] ... x[i] ... x[i+1]
//   =>
//   recto:  s = take(n + 2);  copy(s, x - 1, n + 2)
//   verso:  ... s[i] ... s[i+1] ... s[i+2]
//
// Between these bytes is one object, for the loads are based on one pointer,
// and every load is executed in every iteration, or in none: on conditions that
// do not change. What lies in between is little compared with the columns. One
// load is enough where runs of a loop read the same again. It is assumed, as by
// RangeTest, that addresses do not wrap around 2^64 on their way.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_SNAPSHOTS_H
#define VERSO_STRUCTURED_SNAPSHOTS_H

#include "structured/Reversal.h"
#include "structured/memory/Unchanged.h"

#include "llvm/ADT/MapVector.h"

namespace verso {

class Snapshots {
public:
  Snapshots(llvm::LoopInfo &LI, Reversal &R, Unchanged &Memory)
      : LI(LI), R(R), Memory(Memory), SE(R.scalarEvolution()) {}

  struct Step {
    llvm::Loop *L;
    const llvm::SCEV *Bytes;
    const llvm::SCEV *Count; ///< Of iterations but one.
  };
  /// What a load reads while a nest is run.
  struct Stream {
    llvm::LoadInst *Load;
    llvm::Loop *Nest = nullptr;
    const llvm::SCEV *First;
    llvm::SmallVector<Step, 2> Steps; ///< From the innermost loop on.
    /// On which the loops are entered; the same in all of the nest.
    llvm::SmallVector<Reversal::EntryCondition, 2> Conditions;
  };
  /// Loads of one nest that one copy would serve.
  using Group = llvm::SmallVector<Stream, 4>;

  /// The groups among the program's loads \p Loads.
  llvm::SmallVector<Group, 4>
  groupsOf(llvm::ArrayRef<llvm::LoadInst *> Loads) const;
  /// In how many loops a number of the copy would have to be recorded.
  static unsigned depthOf(const Group &G);
  /// Emits the copy for \p G. False if it cannot.
  bool take(const Group &G);

  /// Where the verso finds what a load read: Start plus the number of the
  /// iteration times Step, for each of the loops.
  struct Source {
    llvm::Instruction *Start;
    llvm::SmallVector<std::pair<llvm::Loop *, llvm::Value *>, 2> Steps;
  };
  /// Null if there is no snapshot for \p Load.
  const Source *sourceOf(const llvm::LoadInst &Load) const {
    auto It = Sources.find(&Load);
    return It == Sources.end() ? nullptr : &It->second;
  }
  /// The copies that were made, and a load of what they copy.
  llvm::ArrayRef<std::pair<llvm::Instruction *, llvm::LoadInst *>>
  copies() const {
    return Copies;
  }

private:
  std::optional<Stream> streamOf(llvm::LoadInst &Load) const;
  bool isDense(const Stream &S) const;
  bool isNear(const Stream &A, const Stream &B) const;

  llvm::LoopInfo &LI;
  Reversal &R;
  Unchanged &Memory;
  llvm::ScalarEvolution &SE;
  llvm::MapVector<const llvm::LoadInst *, Source> Sources;
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::LoadInst *>, 2> Copies;
};

} // namespace verso

#endif // VERSO_STRUCTURED_SNAPSHOTS_H
