//===- RectoValues.cpp - what the recto has computed already --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/RectoValues.h"
#include "rules/Operation.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace verso;

/// What is worth it: a call, a division.
static bool isExpensive(const Instruction &I) {
  return isa<CallInst>(I) || I.getOpcode() == Instruction::FDiv ||
         I.getOpcode() == Instruction::FRem;
}

/// Whether \p Known is what \p I computes whenever that is no poison. The
/// program calls the library where a rule has an intrinsic.
static bool isSame(Instruction &I, Instruction &Known,
                   const TargetLibraryInfo *TLI) {
  if (I.getType() != Known.getType() || I.getOpcode() != Known.getOpcode() ||
      !isa<FPMathOperator>(I) || !isa<FPMathOperator>(Known))
    return false;
  FastMathFlags Mine = I.getFastMathFlags(), Its = Known.getFastMathFlags();
  if ((Its.noNaNs() && !Mine.noNaNs()) || (Its.noInfs() && !Mine.noInfs()))
    return false;
  auto *Call = dyn_cast<CallInst>(&I);
  if (!Call)
    return equal(I.operands(), Known.operands());
  std::optional<Operation> P = Operation::match(I, TLI),
                           Q = P ? Operation::match(Known, TLI) : std::nullopt;
  return Q && P->name() == Q->name() &&
         equal(Call->args(), cast<CallInst>(Known).args());
}

/// A quotient costs no more than keeping it; one that is kept costs nothing.
static bool isWorthKeeping(const Instruction &I, const Instruction &Known,
                           const Reversal &R) {
  return isa<CallInst>(I) || any_of(Known.users(), [&](const User *U) {
           auto *Of = dyn_cast<Instruction>(U);
           return Of && R.rectoOf(Of->getParent());
         });
}

/// A value of the recto that is \p I, which is of the recto, or of the reverse
/// of \p Block.
static Instruction *findKnown(Instruction &I, const BasicBlock &Block,
                              const Reversal &R, const LoopInfo &LI,
                              const TargetLibraryInfo *TLI) {
  const bool IsOfRecto = I.getParent() == &Block;
  constexpr unsigned MaxUsers = 64;
  Value *Operand = nullptr;
  for (Value *Op : I.operands())
    if (!isa<Constant>(Op))
      Operand = Op;
  if (!Operand)
    return nullptr;
  unsigned Users = 0;
  for (User *U : Operand->users()) {
    auto *Known = dyn_cast<Instruction>(U);
    if (++Users > MaxUsers)
      return nullptr;
    if (!Known || Known == &I || R.rectoOf(Known->getParent()))
      continue;
    const Loop *L = LI.getLoopFor(Known->getParent());
    const DominatorTree &DT = R.dominatorTree();
    bool IsThere = IsOfRecto ? DT.dominates(Known, &I)
                             : DT.dominates(Known->getParent(), &Block);
    if (IsThere && (!L || L->contains(&Block)) && isSame(I, *Known, TLI) &&
        (IsOfRecto || isWorthKeeping(I, *Known, R)))
      return Known;
  }
  return nullptr;
}

void verso::useRectoValues(const Reversal &R, ArrayRef<Instruction *> OfRecto,
                           const LoopInfo &LI, const TargetLibraryInfo *TLI) {
  auto Replace = [&](Instruction &I, const BasicBlock &Block) {
    Instruction *Known =
        isExpensive(I) ? findKnown(I, Block, R, LI, TLI) : nullptr;
    if (!Known)
      return;
    I.replaceAllUsesWith(Known);
    I.eraseFromParent();
  };
  for (Instruction *I : OfRecto)
    Replace(*I, *I->getParent());
  for (BasicBlock *B : R.blocks())
    if (const BasicBlock *Block = R.rectoOf(B))
      for (Instruction &I : make_early_inc_range(*B))
        Replace(I, *Block);
}
