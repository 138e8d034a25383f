//===- EqualChoices.cpp - choices between equal numbers -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/EqualChoices.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

/// Whether \p Choice is \p X on all ways to it: where another number comes, a
/// test has said that the two are equal.
static bool isAlways(const PHINode &Choice, Value *X, const DominatorTree &DT) {
  auto IsEqual = [&](const Use &U) {
    if (U == X)
      return true;
    const BasicBlock *From = Choice.getIncomingBlock(U);
    for (const DomTreeNode *Node = DT.getNode(From); Node;
         Node = Node->getIDom()) {
      auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      auto *Test = Branch && Branch->isConditional()
                       ? dyn_cast<ICmpInst>(Branch->getCondition())
                       : nullptr;
      if (!Test || !Test->isEquality() ||
          !is_contained(Test->operands(), U.get()) ||
          !is_contained(Test->operands(), X))
        continue;
      const unsigned WhenEqual =
          Test->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
      const BasicBlockEdge Edge(Node->getBlock(),
                                Branch->getSuccessor(WhenEqual));
      if (Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
          DT.dominates(Edge, U))
        return true;
    }
    return false;
  };
  return all_of(Choice.incoming_values(), IsEqual);
}

bool verso::replaceEqualChoices(Function &F, const DominatorTree &DT,
                                const LoopInfo &LI) {
  bool Changed = false;
  for (BasicBlock &Block : F)
    for (PHINode &Choice : make_early_inc_range(Block.phis())) {
      if (!Choice.getType()->isIntegerTy() ||
          Choice.getNumIncomingValues() != 2)
        continue;
      auto Replaces = [&](Value *X) {
        auto *I = dyn_cast<Instruction>(X);
        const Loop *Its = I ? LI.getLoopFor(I->getParent()) : nullptr;
        return X != &Choice && DT.dominates(X, &Choice) &&
               (!Its || Its->contains(&Block)) && isAlways(Choice, X, DT);
      };
      auto X = find_if(Choice.incoming_values(),
                       [&](const Use &U) { return Replaces(U); });
      if (X == Choice.op_end())
        continue;
      Choice.replaceAllUsesWith(*X);
      Choice.eraseFromParent();
      Changed = true;
    }
  return Changed;
}
