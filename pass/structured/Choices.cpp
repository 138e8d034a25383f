//===- Choices.cpp - loops whose results may not be chosen ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Choices.h"

using namespace llvm;
using namespace verso;

/// Whether what \p User takes from an operand may be nothing.
bool Choices::isChoice(const Instruction &User) const {
  if (auto *Phi = dyn_cast<PHINode>(&User))
    return Phi->getNumIncomingValues() > 1 &&
           !LI.isLoopHeader(Phi->getParent());
  const Operation *Op = V.operation(&User);
  return isa<SelectInst>(User) || (Op && Op->chooses());
}

/// Whether every way on that has a derivative leads to a choice.
bool Choices::mayBeDropped(const Value &X, unsigned &Steps) const {
  bool IsUsed = false;
  for (const User *U : X.users()) {
    auto *I = cast<Instruction>(U);
    if (isa<StoreInst, ReturnInst>(I) || !Steps--)
      return false;
    if (!V.handsBack(I))
      continue;
    IsUsed = true;
    if (isChoice(*I))
      continue;
    auto *Phi = dyn_cast<PHINode>(I);
    bool GoesOn =
        Phi ? Phi->getNumIncomingValues() == 1 : V.operation(I) != nullptr;
    if (!GoesOn || !mayBeDropped(*I, Steps))
      return false;
  }
  return IsUsed;
}

/// How many uses are looked at.
static constexpr unsigned MaxSteps = 32;

bool Choices::onlyReads(const Loop &L) const {
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (I.mayWriteToMemory() && !V.operation(&I))
        return false;
  return true;
}

SmallVector<Instruction *, 2>
Choices::results(const Loop &L, const BasicBlock &Exit,
                 const BasicBlock &Exiting) const {
  SmallVector<Instruction *, 2> Results;
  for (const PHINode &Phi : Exit.phis()) {
    auto *X = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(&Exiting));
    if (!V.isActive(&Phi) || !X || !V.isActive(X) || !L.contains(X))
      continue;
    unsigned Steps = MaxSteps;
    if (!X->getType()->isFloatingPointTy() || !mayBeDropped(Phi, Steps))
      return {};
    Results.push_back(X);
  }
  return !Results.empty() && onlyReads(L) ? Results
                                          : SmallVector<Instruction *, 2>();
}

/// What has to be reversed only if something comes to \p Result: what it is
/// computed from, as far as that is used for nothing else.
Choices::Part Choices::partOf(Instruction &Result) const {
  SmallPtrSet<const Value *, 32> Members{&Result};
  Part Reversed{&Result};
  auto IsMember = [&](const Instruction &I) {
    auto *Load = dyn_cast<LoadInst>(&I);
    return V.isActive(&I) && I.getType()->isFloatingPointTy() &&
           (V.operation(&I) || (Load && Load->isSimple())) &&
           all_of(I.users(), [&](const User *U) {
             return Members.contains(U) ||
                    (!isa<StoreInst, ReturnInst>(U) && !V.handsBack(U));
           });
  };
  unsigned Far = 1000;
  for (Instruction *I = Result.getPrevNode(); I && !isa<PHINode>(I);
       I = I->getPrevNode()) {
    if (!Far-- || (I->mayWriteToMemory() && !V.operation(I)))
      break;
    if (IsMember(*I)) {
      Members.insert(I);
      Reversed.push_back(I);
    }
  }
  return Part(reverse(Reversed));
}

SmallVector<Choices::Part, 1> Choices::parts(BasicBlock &Block) const {
  // What is less is done sooner than a branch is mispredicted.
  constexpr size_t LeastReversed = 20;
  SmallVector<Part, 1> Parts;
  for (Instruction &I : Block) {
    if (!V.isActive(&I) || !V.operation(&I) ||
        !I.getType()->isFloatingPointTy())
      continue;
    bool IsUsed = false;
    bool IsDropped = all_of(I.users(), [&](const User *U) {
      if (isa<StoreInst, ReturnInst>(U))
        return false;
      if (!V.handsBack(U))
        return true;
      IsUsed = true;
      return isChoice(*cast<Instruction>(U));
    });
    if (!IsUsed || !IsDropped)
      continue;
    Part Each = partOf(I);
    if (Each.size() >= LeastReversed)
      Parts.push_back(std::move(Each));
  }
  return Parts;
}
