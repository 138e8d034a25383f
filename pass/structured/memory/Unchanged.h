//===- Unchanged.h - what may be loaded again in the verso ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether the memory that a load of the recto reads, or a store writes, is
// still what it was when the verso runs: nothing that may be executed
// afterwards may write to it, in this iteration or a later one.
//
// Invalidated by new writes to the program's memory.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_UNCHANGED_H
#define VERSO_STRUCTURED_MEMORY_UNCHANGED_H

#include "structured/memory/Objects.h"
#include "structured/memory/RangeTest.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"

#include <functional>

namespace verso {

class Unchanged {
public:
  /// \p IsOurs tells the instructions that are no part of the program.
  Unchanged(llvm::Function &F, llvm::AAResults &AA, const llvm::LoopInfo &LI,
            llvm::ScalarEvolution &SE, const Objects &O,
            const llvm::TargetLibraryInfo *TLI,
            std::function<bool(const llvm::Instruction &)> IsOurs);

  /// \p Access is a load, or a store of what is to be read.
  bool mayLoadAgain(const llvm::Instruction &Access) {
    return !overwriter(Access);
  }
  /// A write that may have changed what \p Access read or wrote, before the
  /// verso reads it; null if there is none.
  const llvm::Instruction *overwriter(const llvm::Instruction &Access);

  /// Whether \p Write may come to a byte of \p Access, in any iterations.
  /// With \p Within: while that loop is run once.
  bool mayMeet(llvm::Instruction &Write, const llvm::Instruction &Access,
               const llvm::Loop *Within = nullptr);
  /// The stores that may have overwritten what \p Load read, if nothing else
  /// may; none otherwise.
  llvm::SmallVector<llvm::StoreInst *, 4>
  overwritingStores(const llvm::LoadInst &Load);
  /// Whether the memory of \p Access is that of the program until the verso: it
  /// is not released on a way to the return, nor does code write to it that is
  /// not in sight.
  bool isThereLater(
      const llvm::Instruction &Access,
      llvm::function_ref<bool(const llvm::BasicBlock &)> LeadsToReturn);

  /// Whether what \p Call, which is of a member, reads may be something else
  /// when the verso runs. It \p FollowsPointers in memory, or reads through its
  /// arguments alone.
  bool mayChangeWhatItReads(const llvm::CallBase &Call, bool FollowsPointers);

  /// Whether no write in \p L, which is around it, changes what \p Load reads.
  bool isUnchangedWithin(const llvm::LoadInst &Load, const llvm::Loop &L);
  /// The writes in \p L that may write what \p Load reads.
  llvm::SmallVector<llvm::Instruction *, 4>
  writesIn(const llvm::Loop &L, const llvm::LoadInst &Load);
  /// Whether \p I writes nothing but the library's own variables.
  bool isFunctionOfValues(const llvm::Instruction &I) const {
    return FunctionsOfValues.contains(&I);
  }
  const RangeTest &ranges() const { return Later; }
  /// What was asked for, and what may have overwritten it.
  const llvm::MapVector<const llvm::Instruction *, const llvm::Instruction *> &
  known() const {
    return Known;
  }

private:
  bool mayFollow(const llvm::Instruction &Write,
                 const llvm::Instruction &Access) const;
  bool mayBeOfLibrary(const llvm::Instruction &Access) const;
  bool mayOverwrite(llvm::Instruction &Write, const llvm::Instruction &Access);
  llvm::AAMDNodes tagsOf(const llvm::Instruction &I,
                         const llvm::Loop *Within = nullptr) const;
  void findReachable(llvm::Function &F);

  llvm::BatchAAResults AA;
  const llvm::LoopInfo &LI;
  const RangeTest Later;
  const Objects &O;
  const llvm::TargetLibraryInfo *TLI;
  llvm::SmallVector<llvm::Instruction *, 32> Writes;
  llvm::DenseSet<const llvm::Instruction *> FunctionsOfValues;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Number;
  /// By the block's number, the blocks that may run after it. Empty: all.
  std::vector<llvm::BitVector> After;
  /// Where scopes are declared; null if at several places.
  llvm::DenseMap<const llvm::MDNode *, const llvm::BasicBlock *> Declared;
  llvm::MapVector<const llvm::Instruction *, const llvm::Instruction *> Known;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_UNCHANGED_H
