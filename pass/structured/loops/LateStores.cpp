//===- LateStores.cpp - stores wait for the next recurrence ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/LateStores.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

/// Stores of what is computed of \p Phi, before \p Next.
static SmallVector<StoreInst *, 4> storesBetween(PHINode &Phi,
                                                 Instruction &Next) {
  SmallVector<StoreInst *, 4> Result;
  SmallPtrSet<Instruction *, 16> Seen;
  SmallVector<Instruction *, 16> Work = {&Phi};
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users()) {
      auto *I = cast<Instruction>(U);
      if (I->getParent() != Phi.getParent() || isa<PHINode>(I) ||
          !I->comesBefore(&Next) || !Seen.insert(I).second)
        continue;
      if (auto *Store = dyn_cast<StoreInst>(I))
        Result.push_back(Store);
      Work.push_back(I);
    }
  return Result;
}

static bool mayCrossTo(StoreInst &Store, Instruction &Last, AAResults &AA) {
  if (!Store.isSimple())
    return false;
  MemoryLocation Cell = MemoryLocation::get(&Store);
  for (Instruction *I = Store.getNextNode();; I = I->getNextNode()) {
    if (!isGuaranteedToTransferExecutionToSuccessor(I) ||
        (I->mayReadOrWriteMemory() && !isNoModRef(AA.getModRefInfo(I, Cell))))
      return false;
    if (I == &Last)
      return true;
  }
}

static bool storeLate(Loop &L, AAResults &AA) {
  BasicBlock &Body = *L.getHeader();
  if (L.getNumBlocks() != 1)
    return false;
  bool Changed = false;
  for (PHINode &Phi : Body.phis()) {
    auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(&Body));
    if (!Phi.getType()->isFloatingPointTy() || !Next ||
        Next->getParent() != &Body || isa<PHINode>(Next))
      continue;
    for (StoreInst *Store : storesBetween(Phi, *Next)) {
      if (!mayCrossTo(*Store, *Next, AA))
        continue;
      Store->moveAfter(Next);
      Changed = true;
    }
  }
  return Changed;
}

void verso::storeLate(Function &F, FunctionAnalysisManager &FAM) {
  bool Moved = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    Moved |= ::storeLate(*L, FAM.getResult<AAManager>(F));
  if (Moved)
    FAM.invalidate(F, PreservedAnalyses::none());
}
