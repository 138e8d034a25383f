//===- SumOrder.cpp - the order of sums in reversed loops -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/SumOrder.h"

#include "LoopHints.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace verso;

/// On latches of reversed loops and on the functions that have some.
static constexpr StringRef Mark = "verso.reversed";
/// On functions whose sums are open.
static constexpr StringRef Open = "verso-open-sums";

void verso::markReversed(Instruction &Latch) {
  LLVMContext &C = Latch.getContext();
  MDNode *Reversed = MDNode::get(C, MDString::get(C, Mark));
  MDNode *ID = MDNode::getDistinct(C, {nullptr, Reversed});
  ID->replaceOperandWith(0, ID);
  Latch.setMetadata(LLVMContext::MD_loop, ID);
  Latch.getFunction()->addFnAttr(Mark);
}

bool verso::isReversed(const Loop &L) {
  return findOptionMDForLoop(&L, Mark) != nullptr;
}

bool verso::hasReversedLoops(const Function &F) {
  return F.hasFnAttribute(Mark);
}

void verso::forgetReversed(Function &F) {
  F.removeFnAttr(Mark);
  for (BasicBlock &Block : F)
    if (MDNode *Loop = Block.getTerminator()->getMetadata(LLVMContext::MD_loop);
        Loop && findOptionMDForLoopID(Loop, Mark))
      Block.getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
}

bool verso::isAddedTo(const Instruction &I, const Value &V, bool OrFused) {
  if (I.getOpcode() == Instruction::FAdd)
    return true;
  if (I.getOpcode() == Instruction::FSub)
    return I.getOperand(1) != &V;
  auto *Fused = dyn_cast<IntrinsicInst>(&I);
  return OrFused && Fused && Fused->getIntrinsicID() == Intrinsic::fmuladd &&
         Fused->getArgOperand(0) != &V && Fused->getArgOperand(1) != &V;
}

SmallVector<Instruction *, 4> verso::additionsOf(PHINode &Phi, const Loop &L,
                                                 bool OrFused) {
  SmallVector<Instruction *, 4> Chain;
  Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
  for (Value *V = &Phi; V != Next;) {
    Instruction *Addition = nullptr;
    for (User *U : V->users()) {
      auto *I = cast<Instruction>(U);
      if (Addition || !L.contains(I) || !isAddedTo(*I, *V, OrFused))
        return {};
      Addition = I;
    }
    if (!Addition)
      return {};
    Chain.push_back(Addition);
    V = Addition;
  }
  // The last sum goes round, and out of the loop.
  for (User *U : Next->users())
    if (U != &Phi && L.contains(cast<Instruction>(U)))
      return {};
  return Chain;
}

PreservedAnalyses OpenSumsPass::run(Function &F, FunctionAnalysisManager &FAM) {
  if (!hasReversedLoops(F) && !hasReorderableLoops(F))
    return PreservedAnalyses::all();
  bool Changed = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getLoopLatch() ||
        (!isReversed(*L) && !mayReorder(*L)))
      continue;
    for (PHINode &Phi : L->getHeader()->phis())
      if (Phi.getType()->isFloatingPointTy())
        for (Instruction *I : additionsOf(Phi, *L, mayReorder(*L)))
          if (!I->hasAllowReassoc()) {
            I->setHasAllowReassoc(true);
            Changed = true;
          }
  }
  if (!Changed)
    return PreservedAnalyses::all();
  F.addFnAttr(Open);
  PreservedAnalyses Kept = PreservedAnalyses::none();
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

PreservedAnalyses CloseSumsPass::run(Function &F, FunctionAnalysisManager &) {
  if (!F.hasFnAttribute(Open))
    return PreservedAnalyses::all();
  F.removeFnAttr(Open);
  for (Instruction &I : instructions(F))
    if (isa<FPMathOperator>(I))
      I.setHasAllowReassoc(false);
  PreservedAnalyses Kept = PreservedAnalyses::none();
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
