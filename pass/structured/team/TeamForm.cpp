//===- TeamForm.cpp - loops whose iterations can be parted ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/team/TeamForm.h"

#include "prepare/Worksharing.h"
#include "structured/loops/SumOrder.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

TeamForm::TeamForm(Loop &L, Function &F, FunctionAnalysisManager &FAM,
                   SCEVExpander &Expander)
    : Before(L.getLoopPreheader()), L(L), F(F), FAM(FAM), Expander(Expander),
      LI(FAM.getResult<LoopAnalysis>(F)),
      SE(FAM.getResult<ScalarEvolutionAnalysis>(F)) {}

/// One way in, one latch, which is the way out; what ends the program is none.
bool TeamForm::hasForm() {
  // A branch that leads back to two loops had the mark of one.
  if (any_of(L.getLoopsInPreorder(),
             [&](Loop *Inner) { return Inner != &L && isShared(*Inner); }))
    return refuse("a loop inside has threads of its own");
  BasicBlock *Latch = L.getLoopLatch();
  if (!L.isLoopSimplifyForm() || !L.isLoopExiting(Latch))
    return refuse("its control flow is not that of a counted loop");
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Edges;
  L.getExitEdges(Edges);
  for (auto [From, To] : Edges) {
    if (From == Latch) {
      Exit = To;
      continue;
    }
    if (!isa<UnreachableInst>(To->getTerminator()) ||
        any_of(predecessors(To), [&](BasicBlock *P) { return !L.contains(P); }))
      return refuse("it may be left in the middle");
    if (!is_contained(Failing, To))
      Failing.push_back(To);
  }
  if (!Exit->getSinglePredecessor())
    return refuse("its control flow is not that of a counted loop");
  const SCEV *Taken = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken) || !Taken->getType()->isIntegerTy() ||
      SE.getTypeSizeInBits(Taken->getType()) > 64)
    return refuse("it is not known before it how often it runs");
  return true;
}

/// Whether an iteration only adds to what \p Phi is, whatever way it takes, and
/// nobody looks at it: loops inside may, choices may lead on with or without an
/// addition.
bool TeamForm::isSum(PHINode &Phi) {
  if (!Phi.getType()->isDoubleTy() && !Phi.getType()->isFloatTy())
    return false;
  Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
  SmallSetVector<Value *, 8> Sums;
  Sums.insert(&Phi);
  for (size_t K = 0; K != Sums.size(); ++K)
    for (User *U : Sums[K]->users()) {
      auto *I = cast<Instruction>(U);
      if (!L.contains(I)) {
        if (Sums[K] != Next)
          return false;
      } else if (I != &Phi) {
        if (!isa<PHINode, SelectInst>(I) && !isAddedTo(*I, *Sums[K]))
          return false;
        Sums.insert(I);
      } else if (Sums[K] != Next) {
        return false;
      }
    }
  // Once, on every way.
  return Sums.contains(Next) && all_of(Sums, [&](Value *V) {
           if (V == &Phi)
             return true;
           auto *I = cast<Instruction>(V);
           auto Leads = [&](const Use &U) { return Sums.contains(U.get()); };
           if (isa<PHINode>(I))
             return all_of(I->operands(), Leads);
           if (isa<SelectInst>(I))
             return !Leads(I->getOperandUse(0)) && Leads(I->getOperandUse(1)) &&
                    Leads(I->getOperandUse(2));
           return count_if(I->operands(), Leads) == 1;
         });
}

bool TeamForm::knowsPhis() {
  for (PHINode &Phi : L.getHeader()->phis()) {
    if (SE.isSCEVable(Phi.getType())) {
      auto *Evolution = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
      if (Evolution && Evolution->getLoop() == &L && Evolution->isAffine() &&
          Expander.isSafeToExpandAt(Evolution->getStepRecurrence(SE),
                                    Before->getTerminator())) {
        Inductions.push_back({&Phi, Evolution->getStepRecurrence(SE)});
        continue;
      }
    }
    if (!isSum(Phi))
      return refuse("an iteration hands on what the next one uses");
    Sums.push_back(&Phi);
  }
  return true;
}

bool TeamForm::knowsResults() {
  Instruction *At = Before->getTerminator();
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValue(0);
    auto *OfSum = find_if(Sums, [&](PHINode *Sum) {
      return Sum->getIncomingValueForBlock(L.getLoopLatch()) == V;
    });
    if (OfSum != Sums.end()) {
      SumResults.push_back({&Phi, OfSum - Sums.begin()});
      continue;
    }
    const SCEV *S = SE.isSCEVable(V->getType())
                        ? SE.getSCEVAtScope(V, L.getParentLoop())
                        : SE.getCouldNotCompute();
    if (isa<SCEVCouldNotCompute>(S) || !SE.isLoopInvariant(S, &L) ||
        !Expander.isSafeToExpandAt(S, At))
      return refuse("what its last iteration computes is used behind it");
    Results.push_back({&Phi, S});
  }
  return true;
}

/// What loops inside are left with becomes an expression where it is one, so
/// that a counter that runs on from iteration to iteration is an induction.
void TeamForm::resolveInnerResults() {
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  formLCSSARecursively(L, DT, &LI, &SE);
  SmallVector<WeakTrackingVH, 16> Dead;
  SmallVector<Loop *, 4> Nest = L.getLoopsInPreorder();
  for (Loop *Inner : reverse(Nest))
    if (Inner != &L && Inner->isLoopSimplifyForm())
      rewriteLoopExitValues(
          Inner, &LI, &FAM.getResult<TargetLibraryAnalysis>(F), &SE,
          &FAM.getResult<TargetIRAnalysis>(F), Expander, &DT, AlwaysRepl, Dead);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
  Expander.clear();
  SE.forgetLoop(&L);
}

void TeamForm::resolvePhis() {
  if (!Before || !L.getLoopLatch())
    return;
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isFloatingPointTy() &&
        isUnchanged(Phi.getIncomingValueForBlock(L.getLoopLatch()), Phi, 0))
      Phi.setIncomingValueForBlock(L.getLoopLatch(), &Phi);
  for (PHINode &Phi : make_early_inc_range(L.getHeader()->phis()))
    if (Phi.getIncomingValueForBlock(L.getLoopLatch()) == &Phi) {
      Phi.replaceAllUsesWith(Phi.getIncomingValueForBlock(Before));
      Phi.eraseFromParent();
    }
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isIntegerTy() && !isa<SCEVAddRecExpr>(SE.getSCEV(&Phi)))
      if (Value *Step = advance(Phi.getIncomingValueForBlock(L.getLoopLatch()),
                                Phi, /*Depth=*/0))
        Phi.setIncomingValueForBlock(
            L.getLoopLatch(),
            IRBuilder<>(L.getLoopLatch()->getTerminator())
                .CreateAdd(&Phi, Step, Phi.getName() + ".next"));
  Expander.clear();
  SE.forgetLoop(&L);
}

/// Whether \p Next is \p Phi, or zero where that was found to be zero: where
/// nothing comes to a value, its reverse is left out.
bool TeamForm::isUnchanged(Value *Next, PHINode &Phi, unsigned Depth) {
  constexpr unsigned Deepest = 6;
  if (Next == &Phi)
    return true;
  auto *Merge = dyn_cast<PHINode>(Next);
  if (!Merge || !L.contains(Merge) || LI.isLoopHeader(Merge->getParent()) ||
      Depth == Deepest)
    return false;
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto IsFoundZero = [&](Use &U) {
    for (auto *Node = DT.getNode(Merge->getIncomingBlock(U));
         Node && L.contains(Node->getBlock()); Node = Node->getIDom()) {
      auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      if (Branch && Branch->isConditional() &&
          match(Branch->getCondition(),
                m_SpecificFCmp(FCmpInst::FCMP_OEQ, m_Specific(&Phi),
                               m_AnyZeroFP())) &&
          DT.dominates(
              BasicBlockEdge(Node->getBlock(), Branch->getSuccessor(0)), U))
        return true;
    }
    return false;
  };
  return all_of(Merge->incoming_values(), [&](Use &U) {
    return match(U.get(), m_AnyZeroFP()) ? IsFoundZero(U)
                                         : isUnchanged(U, Phi, Depth + 1);
  });
}

/// By how much \p Next is more than \p Phi, the same in all iterations, as a
/// value before the loop; null if it is not so, or not known. Where a condition
/// decides that the loop does not change, as of an inner loop with nothing to
/// do, it is chosen once.
Value *TeamForm::advance(Value *Next, PHINode &Phi, unsigned Depth) {
  constexpr unsigned Deepest = 6;
  Instruction *At = Before->getTerminator();
  if (Next == &Phi)
    return ConstantInt::get(Phi.getType(), 0);
  auto *I = dyn_cast<Instruction>(Next);
  if (!I || !L.contains(I) || Depth == Deepest)
    return nullptr;
  const SCEV *By =
      SE.getMinusSCEV(SE.getSCEVAtScope(Next, &L), SE.getSCEV(&Phi));
  if (!isa<SCEVCouldNotCompute>(By) && SE.isLoopInvariant(By, &L) &&
      Expander.isSafeToExpandAt(By, At))
    return Expander.expandCodeFor(By, By->getType(), At->getIterator());
  auto *Merge = dyn_cast<PHINode>(I);
  if (!Merge || LI.isLoopHeader(Merge->getParent()) ||
      Merge->getNumIncomingValues() > 2)
    return nullptr;
  SmallVector<Value *, 2> Ways;
  for (Value *V : Merge->incoming_values()) {
    Ways.push_back(advance(V, Phi, Depth + 1));
    if (!Ways.back())
      return nullptr;
  }
  if (Ways.size() == 1 || SE.getSCEV(Ways[0]) == SE.getSCEV(Ways[1]))
    return Ways[0];
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  BasicBlock *Decides = DT.getNode(Merge->getParent())->getIDom()->getBlock();
  auto *Branch = dyn_cast<BranchInst>(Decides->getTerminator());
  if (!Branch || !Branch->isConditional() ||
      !L.isLoopInvariant(Branch->getCondition()))
    return nullptr;
  BasicBlockEdge IfTrue(Decides, Branch->getSuccessor(0));
  for (unsigned K : {0, 1})
    if (DT.dominates(IfTrue, Merge->getOperandUse(K)))
      return IRBuilder<>(At).CreateSelect(Branch->getCondition(), Ways[K],
                                          Ways[1 - K]);
  return nullptr;
}

bool TeamForm::find() {
  resolveInnerResults();
  resolvePhis();
  return hasForm() && knowsPhis() && knowsResults();
}
