//===- CarriedNumbers.cpp - numbers that loops hand on --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/CarriedNumbers.h"
#include "rules/Zero.h"

#include "llvm/IR/InstrTypes.h"

using namespace llvm;
using namespace verso;

/// A product of another request's, which knows zeros.
static bool isOpaque(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && (isProduct(*Call) || isWeighted(*Call) || isLimit(*Call));
}

/// Whether all that comes to \p I comes from \p Members, and \p I only
/// computes.
bool CarriedNumbers::isMember(
    const Instruction &I, const SmallPtrSetImpl<const Value *> &Members) const {
  bool Computes = V.operation(&I) || isa<SelectInst, FreezeInst>(I);
  return V.isActive(&I) && Computes && !I.isTerminator() && !isOpaque(I) &&
         all_of(I.users(), [&](const User *U) {
           return Members.contains(U) ||
                  (!isa<StoreInst, ReturnInst>(U) && !V.handsBack(U));
         });
}

bool CarriedNumbers::pays(const Choices::Part &Chain,
                          const PHINode &Phi) const {
  SmallPtrSet<const Value *, 32> Members(Chain.begin(), Chain.end());
  SmallPtrSet<const Value *, 8> Outside;
  // Products from the end of the chain on: the most on any way.
  DenseMap<const Value *, unsigned> Products;
  unsigned Saved = 0;
  for (const Instruction *I : reverse(Chain)) {
    const Operation *Op = V.operation(I);
    for (auto [K, X] : enumerate(Op ? Op->operands() : ArrayRef<Value *>())) {
      if (!V.isActive(X) || Op->shape(K) == Operation::Shape::Zero)
        continue;
      Operation::Uses Uses = Op->uses(K);
      bool IsProduct =
          Uses.Operands || Uses.Result || Uses.Sibling || Uses.Integer;
      Saved += IsProduct;
      unsigned &Most = Products[X];
      Most = std::max(Most, Products.lookup(I) + IsProduct);
      if (!Members.contains(X))
        Outside.insert(X);
    }
    if (!Op)
      for (const Value *X : I->operands())
        if (V.isActive(X)) {
          Products[X] = std::max(Products.lookup(X), Products.lookup(I));
          if (!Members.contains(X))
            Outside.insert(X);
        }
  }
  return Products.lookup(&Phi) > 1 && Saved > Outside.size();
}

SmallVector<Choices::Part, 1>
CarriedNumbers::chains(BasicBlock &Block,
                       ArrayRef<Choices::Part> Others) const {
  SmallVector<Choices::Part, 1> Chains;
  const Loop *L = LI.getLoopFor(&Block);
  if (!L || !L->getLoopLatch())
    return Chains;
  SmallPtrSet<const Value *, 32> Taken;
  for (const Choices::Part &Part : Others)
    Taken.insert(Part.begin(), Part.end());
  constexpr unsigned Longest = 200;
  for (const PHINode &Phi : L->getHeader()->phis()) {
    auto *Last =
        dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L->getLoopLatch()));
    Type *T = Phi.getType();
    if (!Last || Last->getParent() != &Block || !V.isActive(&Phi) ||
        !T->isFloatingPointTy() || !V.operation(Last) || Last->isTerminator() ||
        isOpaque(*Last) || Taken.contains(Last))
      continue;
    auto IsOfType = [&](const Instruction &I) {
      return all_of(I.operands(), [&](const Value *X) {
        return X->getType() == T || !X->getType()->isFloatingPointTy();
      });
    };
    SmallPtrSet<const Value *, 32> Members{Last};
    Choices::Part Chain{Last};
    for (Instruction *I = Last->getPrevNode(); I && !isa<PHINode>(I);
         I = I->getPrevNode())
      if (I->getType() == T && !Taken.contains(I) && isMember(*I, Members) &&
          IsOfType(*I)) {
        Members.insert(I);
        Chain.push_back(I);
      }
    std::reverse(Chain.begin(), Chain.end());
    if (!IsOfType(*Last) || Chain.size() > Longest || !pays(Chain, Phi))
      continue;
    Taken.insert(Chain.begin(), Chain.end());
    Chains.push_back(std::move(Chain));
  }
  return Chains;
}
