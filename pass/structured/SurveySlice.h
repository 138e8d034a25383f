//===- SurveySlice.h - what a survey has to look at -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a function that a survey (Survey.h) is made of.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_SURVEYSLICE_H
#define VERSO_STRUCTURED_SURVEYSLICE_H

#include "structured/memory/Objects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>

namespace verso {

/// What is done at a branch that asks for something that is known later only.
struct Presumption {
  const llvm::BasicBlock *Way = nullptr;
  /// What the other way leads to, and this one as well, or nothing is known in
  /// the end; null where the other way leads to nothing new.
  const llvm::BasicBlock *Join = nullptr;
};

/// What decides whether some calls are come to, and what they call.
class Slice {
public:
  Slice(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Calls,
        llvm::FunctionAnalysisManager &FAM);

  /// What keeps it from being run when F begins; empty if nothing does.
  std::string obstacle(llvm::FunctionAnalysisManager &FAM);
  bool contains(const llvm::Instruction &I) const {
    return Needed.contains(&I);
  }
  /// Where a terminator goes in a survey that cannot tell what it asks.
  Presumption presumed(const llvm::Instruction &I) const {
    return Presumed.lookup(&I);
  }
  /// Of the loops that a block is in.
  llvm::SmallVector<const llvm::BasicBlock *, 4>
  headersAround(const llvm::BasicBlock &Block) const;
  /// Where control flow goes on behind a terminator that decides nothing; null
  /// for the end.
  const llvm::BasicBlock *after(const llvm::BasicBlock &Block) const;
  /// Whether it may read what F does not, or finds changed. Then F makes sure
  /// of what it said.
  bool mayStray() const { return !Presumed.empty() || MayBeChanged || IsEarly; }

private:
  void findDeciders();
  void find();
  void needAllOf(const llvm::Instruction &I);
  bool needWhatChooses();
  bool mayChoose(const llvm::Instruction &Terminator,
                 const llvm::PHINode &Phi) const;
  std::string obstacleAt(const llvm::Instruction *&Culprit,
                         llvm::FunctionAnalysisManager &FAM);
  bool presumeWhatNeeds(const llvm::Instruction &I);
  void need(const llvm::Instruction &I);
  void needExactly(const llvm::Instruction &Terminator);
  void needWayTo(const llvm::BasicBlock &Block);
  bool isPlain(const llvm::Instruction &I) const;
  Presumption presume(const llvm::Instruction &Terminator);
  const Objects &objects() {
    if (!Known)
      Known.emplace(F, llvm::ArrayRef<llvm::Value *>(), TLI);
    return *Known;
  }

  llvm::Function &F;
  const llvm::TargetLibraryInfo *TLI;
  llvm::SmallPtrSet<const llvm::CallBase *, 8> Ends;
  llvm::PostDominatorTree PDT;
  const llvm::DominatorTree DT;
  const llvm::LoopInfo LI;
  bool IsIrreducible; ///< There are loops without a header.
  std::optional<Objects> Known;
  llvm::MapVector<const llvm::Instruction *, Presumption> Presumed;
  /// Terminators that choose values, each with one.
  llvm::DenseMap<const llvm::Instruction *, const llvm::Instruction *> Exact;
  /// Those that cannot be asked.
  llvm::SmallPtrSet<const llvm::Instruction *, 8> Unknowable;
  bool MayBeChanged = false, IsEarly = false;
  unsigned Comparisons = 0; ///< Of what is written and read.
  /// The terminators that decide whether a block is come to.
  llvm::DenseMap<const llvm::BasicBlock *,
                 llvm::SmallSetVector<const llvm::Instruction *, 4>>
      Deciders;
  llvm::SmallSetVector<const llvm::Instruction *, 32> Needed;
  llvm::DenseMap<const llvm::Instruction *, const llvm::Instruction *> NeededBy;
  const llvm::Instruction *Current = nullptr; ///< What needs what is added.
};

/// Whether \p I asks if memory was to be had. In a survey it always is, as no
/// call throws: what is read behind that is there in any case.
bool asksForSuccess(const llvm::Instruction &I);

/// Whether \p V comes out of memory that did not exist when the function began:
/// a survey cannot know it. Not if a number of the caller's memory, or what a
/// call says, is in it.
bool isOfRun(const llvm::Value &V, llvm::function_ref<const Objects &()> O);

} // namespace verso

#endif // VERSO_STRUCTURED_SURVEYSLICE_H
