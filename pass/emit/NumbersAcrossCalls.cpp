//===- NumbersAcrossCalls.cpp - sums that wait in memory ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/NumbersAcrossCalls.h"
#include "LLVMCompat.h"
#include "emit/Runtime.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace verso;

static bool keepsNoNumbers(const Module &M) {
  Triple T = compat::targetTriple(M);
  return T.getArch() == Triple::x86_64 && !T.isOSWindows();
}

/// Whether \p L calls something before \p I, in every iteration that comes
/// there.
static bool isBehindCall(const Instruction &I, const Loop &L,
                         const DominatorTree &DT,
                         const TargetTransformInfo &TTI) {
  for (const BasicBlock *B : L.blocks())
    if (DT.dominates(B, I.getParent()))
      for (const Instruction &Each : *B) {
        auto *Call = dyn_cast<CallInst>(&Each);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (Call && !Call->isInlineAsm() &&
            (!Callee || TTI.isLoweredToCall(Callee)) && DT.dominates(Call, &I))
          return true;
      }
  return false;
}

/// The one use of \p Phi, if that is behind a call.
static Instruction *useBehindCall(PHINode &Phi, const Loop &L,
                                  const DominatorTree &DT,
                                  const TargetTransformInfo &TTI) {
  auto *User = Phi.hasOneUse() ? cast<Instruction>(*Phi.user_begin()) : nullptr;
  return User && L.contains(User) && !isa<PHINode>(User) &&
                 isBehindCall(*User, L, DT, TTI)
             ? User
             : nullptr;
}

/// before the loop:  store first, %waiting
/// in the loop:      call;  s = load %waiting;  t = s + e;  store t, %waiting
static void keepInMemory(PHINode &Phi, Instruction &User, const Loop &L) {
  BasicBlock *Before = L.getLoopPreheader();
  auto *Next =
      cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  Function &F = *Phi.getFunction();
  Type *T = Phi.getType();
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *Waiting = B.CreateAlloca(T, nullptr, "waiting");
  B.SetInsertPoint(Before->getTerminator());
  B.CreateStore(Phi.getIncomingValueForBlock(Before), Waiting);
  B.SetInsertPoint(&User);
  Phi.replaceAllUsesWith(B.CreateLoad(T, Waiting));
  B.SetInsertPoint(Next->getNextNode());
  B.CreateStore(Next, Waiting);
  Phi.eraseFromParent();
}

PreservedAnalyses NumbersAcrossCallsPass::run(Function &F,
                                              FunctionAnalysisManager &FAM) {
  if (!isGenerated(F) || !isOrdinary(F) || F.hasOptNone() ||
      !keepsNoNumbers(*F.getParent()))
    return PreservedAnalyses::all();
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  // Every block of an innermost loop comes once in an iteration.
  const ReversePostOrderTraversal<const Function *> Order(&F);
  if (containsIrreducibleCFG<const BasicBlock *>(Order, LI))
    return PreservedAnalyses::all();
  bool Any = false;
  for (const Loop *L : LI.getLoopsInPreorder()) {
    const BasicBlock *Latch = L->getLoopLatch();
    if (!L->isInnermost() || !Latch || !L->getLoopPreheader())
      continue;
    for (PHINode &Phi : make_early_inc_range(L->getHeader()->phis())) {
      if (!Phi.getType()->isFloatingPointTy())
        continue;
      auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
      if (!Next || !L->contains(Next) || isa<PHINode>(Next) ||
          Next->isTerminator())
        continue;
      // What is loaded after it was stored would be that of the next iteration.
      if (Instruction *User = useBehindCall(Phi, *L, DT, TTI);
          User && (User == Next || DT.dominates(User, Next))) {
        keepInMemory(Phi, *User, *L);
        Any = true;
      }
    }
  }
  if (!Any)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept = PreservedAnalyses::none();
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
