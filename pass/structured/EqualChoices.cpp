//===- EqualChoices.cpp - choices between equal numbers -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/EqualChoices.h"

#include "llvm/ADT/SmallSet.h"
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

/// Whether two values are the same as long as those of \p Assumed are, which is
/// what two phis of a loop assume of each other.
static bool areSame(Value *A, Value *B,
                    SmallSet<std::pair<Value *, Value *>, 8> &Assumed) {
  constexpr unsigned Most = 16;
  if (A == B || Assumed.contains({A, B}))
    return true;
  auto *P = dyn_cast<PHINode>(A), *Q = dyn_cast<PHINode>(B);
  if (!P || !Q || P->getParent() != Q->getParent() ||
      P->getType() != Q->getType() || Assumed.size() == Most)
    return false;
  Assumed.insert({A, B});
  return all_of(P->blocks(), [&](BasicBlock *From) {
    return areSame(P->getIncomingValueForBlock(From),
                   Q->getIncomingValueForBlock(From), Assumed);
  });
}

bool verso::replaceEqualPhis(const LoopInfo &LI) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    SmallVector<PHINode *, 8> Different;
    for (PHINode &Phi : make_early_inc_range(L->getHeader()->phis())) {
      auto Same = find_if(Different, [&](PHINode *Other) {
        SmallSet<std::pair<Value *, Value *>, 8> Assumed;
        return areSame(&Phi, Other, Assumed);
      });
      if (Same == Different.end()) {
        Different.push_back(&Phi);
        continue;
      }
      Phi.replaceAllUsesWith(*Same);
      Phi.eraseFromParent();
      Changed = true;
    }
  }
  return Changed;
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
