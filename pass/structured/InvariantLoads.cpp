//===- InvariantLoads.cpp - loads that a loop repeats ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/InvariantLoads.h"
#include "structured/parts/PartAccesses.h"

#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace verso;

/// Whether \p B is come to whenever \p L is entered. LLVM does not know of all
/// mathematical functions that they return.
static bool isAlwaysExecuted(const BasicBlock *B, const Loop &L,
                             const DominatorTree &DT, const Unchanged &Memory) {
  SmallVector<BasicBlock *, 4> Ends;
  L.getExitingBlocks(Ends);
  L.getLoopLatches(Ends);
  return all_of(Ends, [&](auto *End) { return DT.dominates(B, End); }) &&
         all_of(L.blocks(), [&](const BasicBlock *Each) {
           return all_of(*Each, [&](const Instruction &I) {
             return isGuaranteedToTransferExecutionToSuccessor(&I) ||
                    Memory.isFunctionOfValues(I);
           });
         });
}

bool verso::hoistInvariantLoads(LoopInfo &LI, DominatorTree &DT,
                                ScalarEvolution &SE, Unchanged &Memory) {
  bool Any = false;
  // Inner loops first, so that a load may leave several.
  SmallVector<Loop *, 4> Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    SimpleLoopSafetyInfo Safety;
    Safety.computeLoopSafetyInfo(L);
    SmallVector<LoadInst *, 8> Loads;
    for (BasicBlock *B : L->blocks())
      for (Instruction &I : *B)
        if (auto *Load = dyn_cast<LoadInst>(&I);
            Load && LI.getLoopFor(B) == L && !isStandIn(I) &&
            L->isLoopInvariant(Load->getPointerOperand()) &&
            (Safety.isGuaranteedToExecute(I, &DT, L) ||
             isAlwaysExecuted(B, *L, DT, Memory)) &&
            Memory.isUnchangedWithin(*Load, *L))
          Loads.push_back(Load);
    for (LoadInst *Load : Loads) {
      Load->moveBefore(*L->getLoopPreheader(),
                       L->getLoopPreheader()->getTerminator()->getIterator());
      SE.forgetValue(Load);
      SE.forgetBlockAndLoopDispositions(Load);
    }
    Any |= !Loads.empty();
  }
  return Any;
}
