//===- Unchanged.h - what may be loaded again in the verso ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether the memory that a load of the recto reads is still what it was when
// the verso runs: nothing that may be executed after the load may write to it,
// in this iteration or a later one.
//
// Invalidated by new writes to the program's memory.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_UNCHANGED_H
#define VERSO_STRUCTURED_UNCHANGED_H

#include "structured/Objects.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"

#include <functional>

namespace verso {

class Unchanged {
public:
  /// \p IsOurs tells the instructions that are no part of the program.
  Unchanged(llvm::Function &F, llvm::AAResults &AA, const llvm::LoopInfo &LI,
            const Objects &O, const llvm::TargetLibraryInfo *TLI,
            std::function<bool(const llvm::Instruction &)> IsOurs);

  bool mayLoadAgain(const llvm::LoadInst &Load) { return !overwriter(Load); }
  /// A write that may have changed what \p Load read, before the verso reads it
  /// again; null if there is none.
  const llvm::Instruction *overwriter(const llvm::LoadInst &Load);

private:
  bool mayFollow(const llvm::Instruction &Write,
                 const llvm::LoadInst &Load) const;
  bool mayBeOfLibrary(const llvm::LoadInst &Load) const;
  bool mayOverwrite(llvm::Instruction &Write, const llvm::LoadInst &Load);
  llvm::AAMDNodes tagsOf(const llvm::Instruction &I) const;
  void findReachable(llvm::Function &F);

  llvm::BatchAAResults AA;
  const Objects &O;
  const llvm::TargetLibraryInfo *TLI;
  llvm::SmallVector<llvm::Instruction *, 32> Writes;
  llvm::DenseSet<const llvm::Instruction *> FunctionsOfValues;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Number;
  /// By the block's number, the blocks that may run after it. Empty: all.
  std::vector<llvm::BitVector> After;
  llvm::SmallPtrSet<const llvm::MDNode *, 8> ScopesOfWholeFunction;
  llvm::DenseMap<const llvm::LoadInst *, const llvm::Instruction *> Known;
};

} // namespace verso

#endif // VERSO_STRUCTURED_UNCHANGED_H
