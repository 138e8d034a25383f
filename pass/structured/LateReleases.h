//===- LateReleases.h - memory that the verso still needs -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that is released at most once is released at the very end, so that the
// verso can read it. So is what a loop releases that allocates nothing (the
// destructor of a vector of vectors): it was there all at once before. The
// runtime keeps a list of it. Where an exception leaves the request there is no
// verso to wait for.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LATERELEASES_H
#define VERSO_STRUCTURED_LATERELEASES_H

#include "structured/Slots.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace verso {

class LateReleases {
public:
  /// Takes the calls that release memory out of \p F; those in loops only if it
  /// \p MayList them: an outer request does not know of lists.
  void defer(llvm::Function &F, const llvm::LoopInfo &LI,
             const llvm::DominatorTree &DT, const llvm::TargetLibraryInfo *TLI,
             Slots &S, bool MayList);
  /// Makes them at the end of \p End.
  void emit(llvm::BasicBlock &End);
  void emitWhereExceptionsLeave(llvm::Function &F);
  /// Deletes calls that are not made, of a function that is given up.
  void discard();

private:
  struct Release {
    llvm::CallInst *Call;
    /// Where its arguments are kept, null until it would have been made.
    llvm::SmallVector<std::pair<unsigned, llvm::AllocaInst *>, 2> Arguments =
        {};
    void setArguments(llvm::CallInst &Of, llvm::IRBuilderBase &B) const {
      for (auto [N, Slot] : Arguments)
        Of.setArgOperand(N, Slots::get(B, Slot));
    }
  };
  /// What a loop would have released by calls of one function.
  struct Listed {
    llvm::AllocaInst *List;
    llvm::Value *Release;
    unsigned Arguments;
    void release(llvm::IRBuilderBase &B) const;
  };
  void deferInLoop(llvm::CallInst &Call, Slots &S);
  llvm::SmallVector<Listed, 2> Lists;
  llvm::SmallVector<Release, 8> All;
};

/// The call or instruction by which an exception leaves the function at the end
/// of \p Block; null if none does.
llvm::Instruction *wayOut(llvm::BasicBlock &Block);

} // namespace verso

#endif // VERSO_STRUCTURED_LATERELEASES_H
