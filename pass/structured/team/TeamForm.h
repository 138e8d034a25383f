//===- TeamForm.h - loops whose iterations can be parted --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread has to know to begin in the middle of a loop: how often it
// runs, what each phi of its header is then, and what is left of it behind the
// loop. Phis are inductions, or sums, of which each thread begins a part of its
// own. The loop is brought into this form as far as that goes: a counter that
// inner loops advance by what does not change is an induction; a number that
// stays as it is, or is zero where it was found to be zero, is none that is
// handed on.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TEAM_TEAMFORM_H
#define VERSO_STRUCTURED_TEAM_TEAMFORM_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <string>

namespace verso {

class TeamForm {
public:
  TeamForm(llvm::Loop &L, llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
           llvm::SCEVExpander &Expander);

  /// Brings the loop into form. If that fails, why() says what is in the way.
  bool find();
  llvm::StringRef why() const { return Why; }

  /// The preheader, and the block that the last iteration leads to.
  llvm::BasicBlock *Before, *Exit = nullptr;
  /// Blocks that iterations end the program in.
  llvm::SmallVector<llvm::BasicBlock *, 2> Failing;
  /// Phis of the header that iterations add to.
  llvm::SmallVector<llvm::PHINode *, 4> Sums;
  /// The other ones, with their steps.
  llvm::SmallVector<std::pair<llvm::PHINode *, const llvm::SCEV *>, 4>
      Inductions;
  /// What is used behind the loop: a phi there, and what it is.
  llvm::SmallVector<std::pair<llvm::PHINode *, const llvm::SCEV *>, 4> Results;
  /// And which of the sums.
  llvm::SmallVector<std::pair<llvm::PHINode *, unsigned>, 4> SumResults;

private:
  bool refuse(llvm::StringRef Reason) {
    Why = Reason.str();
    return false;
  }
  void resolveInnerResults();
  void resolvePhis();
  bool isUnchanged(llvm::Value *Next, llvm::PHINode &Phi, unsigned Depth);
  llvm::Value *advance(llvm::Value *Next, llvm::PHINode &Phi, unsigned Depth);
  bool hasForm();
  bool knowsPhis();
  bool knowsResults();
  bool isSum(llvm::PHINode &Phi);

  llvm::Loop &L;
  llvm::Function &F;
  llvm::FunctionAnalysisManager &FAM;
  llvm::SCEVExpander &Expander;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  std::string Why;
};

} // namespace verso

#endif // VERSO_STRUCTURED_TEAM_TEAMFORM_H
