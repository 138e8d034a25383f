//===- HoistLoads.cpp - loads that a loop repeats -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/HoistLoads.h"
#include "analysis/ObjectsApart.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

/// Loads at the head of \p L, whenever the loop is entered, from an address
/// that does not change in it.
static SmallVector<LoadInst *, 4> findRepeated(const Loop &L) {
  SmallVector<LoadInst *, 4> Repeated;
  for (Instruction &I : *L.getHeader()) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (Load && Load->isSimple() && Load->getType()->isFloatingPointTy() &&
        L.isLoopInvariant(Load->getPointerOperand()))
      Repeated.push_back(Load);
    if (!isGuaranteedToTransferExecutionToSuccessor(&I))
      break;
  }
  return Repeated;
}

PreservedAnalyses HoistLoadsPass::run(Function &F,
                                      FunctionAnalysisManager &FAM) {
  // Their number times that of loads are looked at.
  constexpr unsigned MaxWriters = 32;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  std::optional<ObjectsApart> Objects;
  bool Changed = false;
  // Inner loops first: what they read may leave the outer ones, too.
  SmallVector<Loop *, 4> Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    BasicBlock *Entry = L->getLoopPreheader();
    if (!Entry)
      continue;
    SmallVector<LoadInst *, 4> Repeated = findRepeated(*L);
    if (Repeated.empty())
      continue;
    SmallVector<Instruction *, 8> Writers;
    for (BasicBlock *Block : L->blocks())
      for (Instruction &I : *Block)
        if (I.mayWriteToMemory())
          Writers.push_back(&I);
    if (Writers.size() > MaxWriters)
      continue;
    if (!Objects)
      Objects.emplace(FAM.getResult<AAManager>(F));
    for (LoadInst *Load : Repeated) {
      if (!all_of(Writers, [&](Instruction *I) {
            return Objects->isApartFromWrites(Load->getPointerOperand(), *I);
          }))
        continue;
      Load->moveBefore(*Entry, Entry->getTerminator()->getIterator());
      Changed = true;
    }
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
