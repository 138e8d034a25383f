//===- StaticGuards.cpp - static variables are initialised ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/StaticGuards.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

static bool isGuard(const Value &V) {
  return isa<GlobalVariable>(V) && V.getName().starts_with("_ZGV");
}

StaticGuards::StaticGuards(Module &M) {
  for (GlobalVariable &G : M.globals())
    if (isGuard(G))
      All.push_back(&G);
}

/// The comparison by which \p Load asks whether a variable is initialised; null
/// if it does not.
static ICmpInst *asks(LoadInst &Load) {
  if (!Load.getType()->isIntegerTy(8) || !Load.hasOneUse())
    return nullptr;
  auto *Compare = dyn_cast<ICmpInst>(Load.user_back());
  auto *Zero = Compare && Compare->isEquality()
                   ? dyn_cast<ConstantInt>(Compare->getOperand(1))
                   : nullptr;
  return Zero && Zero->isZero() ? Compare : nullptr;
}

bool verso::readsGuards(Function &F) {
  SmallSetVector<Function *, 16> Called;
  Called.insert(&F);
  for (size_t K = 0; K != Called.size(); ++K)
    for (Instruction &I : instructions(*Called[K])) {
      auto *Call = dyn_cast<CallBase>(&I);
      auto *Load = dyn_cast<LoadInst>(&I);
      if (Function *Callee = Call ? Call->getCalledFunction() : nullptr)
        Called.insert(Callee);
      else if (Load && isGuard(*Load->getPointerOperand()) && asks(*Load))
        return true;
    }
  return false;
}

bool StaticGuards::assume(Function &F,
                          function_ref<void(ArrayRef<BasicBlock *>)> Forget) {
  SmallSetVector<BasicBlock *, 4> Asking;
  for (GlobalVariable *Guard : All)
    for (User *U : make_early_inc_range(Guard->users())) {
      auto *Load = dyn_cast<LoadInst>(U);
      ICmpInst *Compare =
          Load && Load->getFunction() == &F ? asks(*Load) : nullptr;
      if (!Compare)
        continue;
      for (User *Each : Compare->users())
        if (auto *Branch = dyn_cast<BranchInst>(Each))
          Asking.insert(Branch->getParent());
      Compare->replaceAllUsesWith(ConstantInt::getBool(
          F.getContext(), Compare->getPredicate() == CmpInst::ICMP_NE));
      Compare->eraseFromParent();
      Load->eraseFromParent();
      Assumed.insert(Guard);
    }
  if (Asking.empty())
    return false;
  for (BasicBlock *Block : Asking)
    ConstantFoldTerminator(Block);
  df_iterator_default_set<BasicBlock *> Reached;
  for (BasicBlock *Block : depth_first_ext(&F, Reached))
    (void)Block;
  // All that nothing leads to: it may lead from one to another.
  SmallVector<BasicBlock *, 16> Left;
  for (BasicBlock &Block : F)
    if (!Reached.contains(&Block))
      Left.push_back(&Block);
  Forget(Left);
  DeleteDeadBlocks(Left);
  return true;
}
