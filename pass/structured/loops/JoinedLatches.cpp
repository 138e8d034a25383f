//===- JoinedLatches.cpp - what only the next iteration needs -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/JoinedLatches.h"
#include "structured/loops/SumOrder.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

/// Directly behind the last operand that \p Block computes.
static void hoist(Instruction &I, BasicBlock &Block) {
  BasicBlock::iterator At = Block.getFirstInsertionPt();
  for (Value *Op : I.operands())
    if (auto *Operand = dyn_cast<Instruction>(Op);
        Operand && Operand->getParent() == &Block && !isa<PHINode>(Operand) &&
        !Operand->comesBefore(&*At))
      At = std::next(Operand->getIterator());
  I.moveBefore(Block, At);
  I.dropUBImplyingAttrsAndMetadata();
}

/// The block that leaves \p L directly before its latch, if what the latch
/// does may be done in vain.
static BasicBlock *leavingBefore(const Loop &L) {
  BasicBlock *Latch = L.getLoopLatch();
  BasicBlock *Leaving = Latch ? Latch->getUniquePredecessor() : nullptr;
  if (!Leaving || L.isLoopExiting(Latch) || !L.isLoopExiting(Leaving) ||
      isa<PHINode>(Latch->front()))
    return nullptr;
  auto *Branch = dyn_cast<BranchInst>(Leaving->getTerminator());
  auto MayBeInVain = [](const Instruction &I) {
    return I.isTerminator() ||
           (!I.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&I));
  };
  return Branch && Branch->isConditional() && all_of(*Latch, MayBeInVain)
             ? Leaving
             : nullptr;
}

static bool joinLatch(Loop &L) {
  BasicBlock *Leaving = leavingBefore(L);
  if (!Leaving)
    return false;
  BasicBlock *Latch = L.getLoopLatch(), *Header = L.getHeader();
  for (Instruction &I : make_early_inc_range(*Latch))
    if (!I.isTerminator())
      hoist(I, *Leaving);
  // It keeps what is said of the loop.
  MDNode *Marks = L.getLoopID();
  Instruction *Branch = Leaving->getTerminator();
  Branch->replaceSuccessorWith(Latch, Header);
  Header->replacePhiUsesWith(Latch, Leaving);
  Branch->setMetadata(LLVMContext::MD_loop, Marks);
  Latch->eraseFromParent();
  return true;
}

PreservedAnalyses JoinLatchesPass::run(Function &F,
                                       FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (L->isInnermost() && L->getLoopLatch() && isReversed(*L))
      Changed |= joinLatch(*L);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
