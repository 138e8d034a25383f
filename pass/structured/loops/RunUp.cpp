//===- RunUp.cpp - loops that ran down run up -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/RunUp.h"
#include "LLVMCompat.h"
#include "structured/loops/SumOrder.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

void verso::runUp(Loop &L, ScalarEvolution &SE) {
  BasicBlock &Header = *L.getHeader(), &Latch = *L.getLoopLatch();
  auto *Branch = dyn_cast<BranchInst>(Latch.getTerminator());
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (!Branch || !Branch->isConditional() || isa<SCEVCouldNotCompute>(Count))
    return;
  SmallVector<std::pair<PHINode *, const SCEV *>, 4> Inductions;
  bool RunsDown = false;
  SmallPtrSet<const Instruction *, 4> Sums;
  for (PHINode &Phi : Header.phis()) {
    if (Phi.getType()->isFloatingPointTy())
      if (auto Additions = additionsOf(Phi, L); !Additions.empty()) {
        Sums.insert(Additions.back());
        continue;
      }
    if (!SE.isSCEVable(Phi.getType()))
      return;
    auto *Evolution = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    if (!Evolution || Evolution->getLoop() != &L || !Evolution->isAffine())
      return;
    const SCEV *Step = Evolution->getStepRecurrence(SE);
    RunsDown |= SE.isKnownNegative(Step);
    Inductions.push_back(
        {&Phi,
         SE.getAddRecExpr(Evolution->evaluateAtIteration(Count, SE),
                          SE.getNegativeSCEV(Step), &L, SCEV::FlagAnyWrap)});
  }
  SCEVExpander Expander = compat::scevExpander(SE, "up");
  Instruction *At = L.getLoopPreheader()->getTerminator();
  if (!RunsDown || !Expander.isSafeToExpandAt(Count, At))
    return;
  auto IsUsedInside = [&](const Use &U) {
    return L.contains(cast<Instruction>(U.getUser())->getParent());
  };
  // What is used behind the loop is its sums and what inductions are at last.
  SmallVector<std::pair<Instruction *, const SCEV *>, 4> Used;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (Sums.contains(&I) || all_of(I.uses(), IsUsedInside))
        continue;
      if (!SE.isSCEVable(I.getType()))
        return;
      auto *Evolution = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&I));
      if (!Evolution || Evolution->getLoop() != &L || !Evolution->isAffine())
        return;
      const SCEV *AtLast = Evolution->evaluateAtIteration(Count, SE);
      if (!Expander.isSafeToExpandAt(AtLast, At))
        return;
      Used.push_back({&I, AtLast});
    }
  for (auto [I, AtLast] : Used)
    I->replaceUsesWithIf(Expander.expandCodeFor(AtLast, I->getType(), At),
                         [&](Use &U) { return !IsUsedInside(U); });
  Type *T = Count->getType();
  Value *Last = Expander.expandCodeFor(Count, T, At);
  IRBuilder<> B(&Header, Header.begin());
  PHINode *Up = B.CreatePHI(T, 2, "up");
  Up->addIncoming(ConstantInt::get(T, 0), L.getLoopPreheader());
  SmallVector<std::pair<PHINode *, Value *>, 4> Replacements;
  B.SetInsertPoint(&Header, Header.getFirstInsertionPt());
  for (auto [Phi, Evolution] : Inductions) {
    auto *E = cast<SCEVAddRecExpr>(Evolution);
    Type *PT = Phi->getType();
    Value *Start = Expander.expandCodeFor(E->getStart(), PT, At);
    const SCEV *StepS = E->getStepRecurrence(SE);
    Value *Step = Expander.expandCodeFor(StepS, StepS->getType(), At);
    Value *K = B.CreateZExtOrTrunc(Up, StepS->getType());
    Value *Offset = B.CreateMul(K, Step);
    Replacements.push_back({Phi, PT->isPointerTy()
                                     ? B.CreatePtrAdd(Start, Offset)
                                     : B.CreateAdd(Start, Offset)});
  }
  B.SetInsertPoint(Branch);
  Up->addIncoming(B.CreateAdd(Up, ConstantInt::get(T, 1), "", /*HasNUW=*/false),
                  &Latch);
  Value *OldCondition = Branch->getCondition();
  bool ExitsOnTrue = !L.contains(Branch->getSuccessor(0));
  Value *Done = B.CreateICmpEQ(Up, Last);
  Branch->setCondition(ExitsOnTrue ? Done : B.CreateNot(Done));
  RecursivelyDeleteTriviallyDeadInstructions(OldCondition);
  for (auto [Phi, V] : Replacements) {
    Phi->replaceAllUsesWith(V);
    // What is left of it is its own step.
    RecursivelyDeleteDeadPHINode(Phi);
  }
  SE.forgetLoop(&L);
}
