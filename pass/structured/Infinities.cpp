//===- Infinities.cpp - infinite numbers that are not chosen --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Infinities.h"
#include "rules/Overflows.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

static bool isInfiniteConstant(const Value *X) {
  auto *C = dyn_cast<ConstantFP>(X);
  return C && !C->getValueAPF().isFinite();
}

/// An operation with a pole, or that overflows as its derivative does (exp), or
/// of an infinite constant (what a maximum begins with), or computed from one.
/// What comes out of memory is taken to be finite.
const FiniteValues &Infinities::values(const Instruction &I) {
  if (!Values)
    Values.emplace(*const_cast<Function *>(I.getFunction()), V, AsksForNaNs);
  return *Values;
}

bool Infinities::mayBeInfinite(const Value *X) {
  auto *I = dyn_cast<Instruction>(X);
  return I && values(*I).mayBeInfinite(I);
}

bool Infinities::isSingular(const Instruction &I, const Operation &Op,
                            unsigned K) {
  return Op.isSingular(K) && (isOverflow(&I) || !values(I).isRegular(Op, K));
}

bool Infinities::mayMiss(const BasicBlock &From, const BasicBlock *Use,
                         ArrayRef<Edge> Uses) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{&From};
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (isa<ReturnInst>(B->getTerminator()))
      return true;
    for (const BasicBlock *Next : successors(B)) {
      if (Next == Use || is_contained(Uses, Edge(B, Next)))
        continue;
      if (Next == &From)
        return true;
      if (Seen.insert(Next).second)
        Work.push_back(Next);
    }
  }
  return false;
}

/// Whether \p Store adds to what is in its place, or stores what a loop added
/// up: where a summand is not finite, neither is the sum, so that nobody throws
/// away the one without the others.
static bool isSum(const StoreInst &Store) {
  auto *Sum = dyn_cast<Instruction>(Store.getValueOperand());
  while (auto *Phi = dyn_cast_or_null<PHINode>(Sum)) {
    if (Phi->getNumIncomingValues() != 1)
      break;
    Sum = dyn_cast<Instruction>(Phi->getIncomingValue(0));
  }
  return Sum && any_of(Sum->operands(), [&](const Use &U) {
           auto *Load = dyn_cast<LoadInst>(U);
           auto *Phi = dyn_cast<PHINode>(U);
           return (Load &&
                   Load->getPointerOperand() == Store.getPointerOperand()) ||
                  (Phi && is_contained(Phi->incoming_values(), Sum));
         });
}

/// Whether a use of \p I may not be come to. Phis are one use, that has to be
/// made on every way; any other stands for itself.
bool Infinities::isUseMissed(Instruction &I) {
  const BasicBlock *At = I.getParent();
  SmallVector<Edge, 4> HandedOn;
  for (User *U : I.users()) {
    auto *By = cast<Instruction>(U);
    // What the verso computes from it is none of the program's.
    if (auto *Store = dyn_cast<StoreInst>(By); Store && !isSum(*Store))
      return true;
    if (isa<StoreInst>(By) || !V.handsBack(By))
      continue;
    const Operation *Op = V.operation(By);
    if (isa<SelectInst>(By) || (Op && Op->chooses()))
      return true;
    const BasicBlock *In = By->getParent();
    if (auto *Phi = dyn_cast<PHINode>(By)) {
      for (auto [From, X] : zip(Phi->blocks(), Phi->incoming_values()))
        if (X == &I)
          HandedOn.push_back({From, In});
    } else if (In != At) {
      auto [Found, IsNew] = Missed.try_emplace({At, In}, false);
      if (IsNew)
        Found->second = mayMiss(*At, In, {});
      if (Found->second)
        return true;
    }
  }
  return !HandedOn.empty() && mayMiss(*At, nullptr, HandedOn);
}

bool Infinities::mayBeDropped(Instruction &I) {
  if (!Dropped) {
    Dropped.emplace();
    SmallVector<Instruction *, 32> Work;
    for (Instruction &Each : instructions(*I.getFunction()))
      if (V.isActive(&Each) && isUseMissed(Each))
        Work.push_back(&Each);
    while (!Work.empty()) {
      Instruction *User = Work.pop_back_val();
      if (!Dropped->insert(User).second)
        continue;
      // What is passed to a call or read from memory is another number.
      const Operation *Known = V.operation(User);
      if (!Known && isa<CallBase, LoadInst>(User))
        continue;
      SmallVector<Value *, 4> Operands(User->operands());
      if (Known)
        Operands.assign(Known->operands().begin(), Known->operands().end());
      for (Value *Op : Operands)
        if (auto *X = dyn_cast<Instruction>(Op); X && V.isActive(X))
          Work.push_back(X);
    }
  }
  return Dropped->contains(&I);
}

bool Infinities::isDropped(Instruction &I, const Operation &Op, unsigned K) {
  if (isOverflow(&I))
    return true;
  Operation::Uses Uses = Op.uses(K);
  // Beside an exponential a test costs little, so nothing is taken as finite.
  if (isExponent(&I) && any_of(enumerate(Op.operands()), [&](auto X) {
        return (Uses.Operands >> X.index() & 1) &&
               !isa<SIToFPInst, UIToFPInst>(X.value());
      }))
    return true;
  if (any_of(Op.operands(), isInfiniteConstant))
    return true;
  bool Infinite = Op.mayOverflow(K) || (Uses.Result && mayBeInfinite(&I));
  for (auto [J, X] : enumerate(Op.operands()))
    Infinite |= (Uses.Operands >> J & 1) && mayBeInfinite(X);
  return Infinite && mayBeDropped(I);
}
