//===- Infinities.cpp - infinite numbers that are not chosen --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Infinities.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

/// An operation with a pole, or that is its own derivative (exp overflows), or
/// computed from one. What comes out of memory is taken to be finite.
bool Infinities::mayBeInfinite(const Value *X) {
  auto *I = dyn_cast<Instruction>(X);
  if (!I || !I->getType()->isFloatingPointTy())
    return false;
  const Operation *Op = V.operation(I);
  auto *Choice = dyn_cast<SelectInst>(I);
  auto *Phi = dyn_cast<PHINode>(I);
  if (!Op && !Choice && !Phi)
    return false;
  if (auto [At, IsNew] = Known.try_emplace(I, false); !IsNew)
    return At->second;
  bool Infinite = false;
  if (Choice) {
    Infinite = mayBeInfinite(Choice->getTrueValue()) ||
               mayBeInfinite(Choice->getFalseValue());
  } else if (Phi) {
    Infinite = any_of(Phi->incoming_values(),
                      [&](const Use &U) { return mayBeInfinite(U); });
  } else {
    for (auto [K, Operand] : enumerate(Op->operands()))
      Infinite |=
          Op->isSingular(K) || Op->uses(K).Result || mayBeInfinite(Operand);
  }
  return Known[I] = Infinite;
}

/// A use behind a condition: a choice, a merge of ways, another block. Blocks
/// say less than dominance, which the verso's own blocks change.
bool Infinities::mayBeDropped(Instruction &I) const {
  SmallSetVector<Instruction *, 8> Reached;
  Reached.insert(&I);
  for (unsigned K = 0; K != Reached.size(); ++K)
    for (User *U : Reached[K]->users()) {
      auto *By = cast<Instruction>(U);
      bool IsStore = isa<StoreInst>(By);
      // What the verso computes from it is none of the program's.
      if (!IsStore && !V.isActive(By))
        continue;
      auto *Phi = dyn_cast<PHINode>(By);
      if (Phi && Phi->getNumIncomingValues() == 1) {
        Reached.insert(By);
        continue;
      }
      if (isa<SelectInst>(By) || By->getParent() != Reached[K]->getParent())
        return true;
      if (Phi || V.operation(By))
        Reached.insert(By);
    }
  return false;
}

bool Infinities::isDropped(Instruction &I, const Operation &Op, unsigned K) {
  Operation::Uses Uses = Op.uses(K);
  bool Infinite = Uses.Result && mayBeInfinite(&I);
  for (auto [J, X] : enumerate(Op.operands()))
    Infinite |= (Uses.Operands >> J & 1) && mayBeInfinite(X);
  return Infinite && mayBeDropped(I);
}
