//===- CarriedLoads.cpp - loads that iterations hand on -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/team/CarriedLoads.h"

#include "LLVMCompat.h"
#include "prepare/Worksharing.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

/// Whether nothing writes to memory from \p Load to the end of \p Before.
static bool isStillThere(const LoadInst &Load, const BasicBlock *Before) {
  for (const BasicBlock *Block = Before; Block;
       Block = Block->getSinglePredecessor()) {
    bool IsFirst = Block == Load.getParent();
    auto From = IsFirst ? std::next(Load.getIterator()) : Block->begin();
    if (any_of(make_range(From, Block->end()),
               [](const Instruction &I) { return I.mayWriteToMemory(); }))
      return false;
    if (IsFirst)
      return true;
  }
  return false;
}

/// The address that \p Phi was loaded from by the iteration before, as an
/// expression of this one; null if it was not.
static const SCEV *carriedFrom(PHINode &Phi, const Loop &L,
                               const DominatorTree &DT, ScalarEvolution &SE) {
  const BasicBlock *Before = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  auto *First = dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(Before));
  auto *Next = dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(Latch));
  if (!First || !Next || !First->isSimple() || !Next->isSimple() ||
      !L.contains(Next) || !DT.dominates(Next, Latch->getTerminator()) ||
      !isStillThere(*First, Before))
    return nullptr;
  auto *At = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Next->getPointerOperand()));
  if (!At || At->getLoop() != &L || !At->isAffine())
    return nullptr;
  const SCEV *Step = At->getStepRecurrence(SE);
  const SCEV *Start = SE.getAddExpr(At->getStart(), SE.getNegativeSCEV(Step));
  if (Start != SE.getSCEV(First->getPointerOperand()))
    return nullptr;
  return SE.getAddRecExpr(Start, Step, &L, SCEV::FlagAnyWrap);
}

bool verso::loadCarriedAgain(const LoopInfo &LI, const DominatorTree &DT,
                             ScalarEvolution &SE) {
  bool Changed = false;
  SCEVExpander Expander = compat::scevExpander(SE, "carried");
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!isShared(*L) || !L->getLoopPreheader() || !L->getLoopLatch())
      continue;
    for (PHINode &Phi : make_early_inc_range(L->getHeader()->phis())) {
      const SCEV *At = carriedFrom(Phi, *L, DT, SE);
      Instruction *Here = &*L->getHeader()->getFirstInsertionPt();
      if (!At || !Expander.isSafeToExpandAt(At, Here))
        continue;
      auto *Next =
          cast<LoadInst>(Phi.getIncomingValueForBlock(L->getLoopLatch()));
      auto *Again = cast<LoadInst>(Next->clone());
      Again->insertBefore(Here->getIterator());
      Again->setOperand(
          0, Expander.expandCodeFor(At, At->getType(), Again->getIterator()));
      Phi.replaceAllUsesWith(Again);
      Phi.eraseFromParent();
      Changed = true;
    }
  }
  return Changed;
}
