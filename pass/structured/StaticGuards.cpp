//===- StaticGuards.cpp - static variables are initialised ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/StaticGuards.h"
#include "LLVMCompat.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

/// Of a static variable of a function: nothing else is initialised when it is
/// come to.
static bool isGuard(const Value &V) {
  return isa<GlobalVariable>(V) && V.getName().starts_with("_ZGVZ");
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
  auto IsAsked = [&](User *U) {
    auto *Load = dyn_cast<LoadInst>(U);
    return Load && Load->getFunction() == &F && asks(*Load);
  };
  if (none_of(All,
              [&](GlobalVariable *G) { return any_of(G->users(), IsAsked); }))
    return false;
  // What only an initialiser asks for is no matter: its block is not reached.
  SmallSetVector<BasicBlock *, 32> Reached;
  Reached.insert(&F.getEntryBlock());
  for (size_t K = 0; K != Reached.size(); ++K) {
    SmallVector<LoadInst *, 2> Asking;
    for (Instruction &I : *Reached[K])
      if (auto *Load = dyn_cast<LoadInst>(&I);
          Load && isGuard(*Load->getPointerOperand()) && asks(*Load))
        Asking.push_back(Load);
    for (LoadInst *Load : Asking) {
      Assumed.insert(cast<GlobalVariable>(Load->getPointerOperand()));
      ICmpInst *Compare = asks(*Load);
      Compare->replaceAllUsesWith(ConstantInt::getBool(
          F.getContext(), Compare->getPredicate() == CmpInst::ICMP_NE));
      Compare->eraseFromParent();
      Load->eraseFromParent();
    }
    ConstantFoldTerminator(Reached[K]);
    compat::insertRange(Reached, successors(Reached[K]));
  }
  // All that nothing leads to: it may lead from one to another.
  SmallVector<BasicBlock *, 16> Left;
  for (BasicBlock &Block : F)
    if (!Reached.contains(&Block))
      Left.push_back(&Block);
  Forget(Left);
  DeleteDeadBlocks(Left);
  return true;
}
