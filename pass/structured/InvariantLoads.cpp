//===- InvariantLoads.cpp - loads that a loop repeats ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/InvariantLoads.h"

#include "llvm/Analysis/MustExecute.h"

using namespace llvm;
using namespace verso;

void verso::hoistInvariantLoads(LoopInfo &LI, DominatorTree &DT,
                                ScalarEvolution &SE, Unchanged &Memory) {
  // Inner loops first, so that a load may leave several.
  SmallVector<Loop *, 4> Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    SimpleLoopSafetyInfo Safety;
    Safety.computeLoopSafetyInfo(L);
    SmallVector<LoadInst *, 8> Loads;
    for (BasicBlock *B : L->blocks())
      for (Instruction &I : *B)
        if (auto *Load = dyn_cast<LoadInst>(&I);
            Load && LI.getLoopFor(B) == L &&
            L->isLoopInvariant(Load->getPointerOperand()) &&
            Safety.isGuaranteedToExecute(I, &DT, L) &&
            Memory.isUnchangedWithin(*Load, *L))
          Loads.push_back(Load);
    for (LoadInst *Load : Loads) {
      Load->moveBefore(L->getLoopPreheader()->getTerminator()->getIterator());
      SE.forgetValue(Load);
      SE.forgetBlockAndLoopDispositions(Load);
    }
  }
}
