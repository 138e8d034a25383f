//===- UnrollRecurrences.cpp - longer bodies for recurrences --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/UnrollRecurrences.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace verso;

/// Instructions a body may have, and copies of it.
static constexpr unsigned MaxBody = 32, Copies = 4;

static bool isWorthwhile(const Loop &L, ScalarEvolution &SE) {
  if (!L.isInnermost() || !L.getLoopLatch() || !L.getExitingBlock() ||
      L.getExitingBlock() != L.getLoopLatch() ||
      !SE.hasLoopInvariantBackedgeTakenCount(&L))
    return false;
  unsigned Size = 0;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      if (isa<CallBase>(I) && !I.isLifetimeStartOrEnd() &&
          !isa<IntrinsicInst>(I))
        return false;
      ++Size;
    }
  return Size <= MaxBody &&
         any_of(L.getHeader()->phis(), [](const PHINode &Phi) {
           return Phi.getType()->isFloatingPointTy();
         });
}

PreservedAnalyses UnrollRecurrencesPass::run(Function &F,
                                             FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  SmallVector<Loop *, 8> Worthwhile;
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isLoopSimplifyForm() && isWorthwhile(*L, SE))
      Worthwhile.push_back(L);
  for (Loop *L : Worthwhile) {
    UnrollLoopOptions Options;
    Options.Count = Copies;
    Options.Force = false;
    Options.Runtime = true;
    Options.AllowExpensiveTripCount = true;
    Options.UnrollRemainder = false;
    Options.ForgetAllSCEV = true;
    UnrollLoop(L, Options, &LI, &SE, &DT, &AC, &TTI, &ORE,
               /*PreserveLCSSA=*/true);
  }
  return Worthwhile.empty() ? PreservedAnalyses::all()
                            : PreservedAnalyses::none();
}
