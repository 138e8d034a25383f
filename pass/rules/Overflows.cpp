//===- Overflows.cpp - what overflows and is divided by -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/Overflows.h"
#include "rules/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

static constexpr char Mark[] = "verso.overflow";

/// An exponential, a hyperbolic function, a power: where it, or its partial,
/// overflows, its operands are finite and may vary.
static bool mayOverflow(const Operation &Op, unsigned K) {
  return !Op.isSingular(K) && (Op.mayOverflow(K) || Op.uses(K).Result);
}

/// What comes to a limit at infinity, too, and powers, whose exponents may be
/// negative.
static bool makesZero(const Operation &Op, unsigned K) {
  return (Op.name() == "fdiv" && K == 1) || mayOverflow(Op, K) ||
         (Op.name() == "pow" && K == 0) ||
         is_contained({"atan", "erf", "erfc"}, Op.name());
}

bool verso::isOverflow(const Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  return I && I->hasMetadata(Mark);
}

bool verso::endsOverflow(const Operation &Op, unsigned K) {
  return isOverflow(Op.operands()[K]) && makesZero(Op, K);
}

void verso::markOverflows(Function &F, const TargetLibraryInfo *TLI) {
  DenseMap<const Instruction *, Operation> Operations;
  SmallVector<Instruction *, 16> Sources, Ends;
  for (Instruction &I : instructions(F)) {
    I.setMetadata(Mark, nullptr);
    std::optional<Operation> Op = Operation::match(I, TLI);
    if (!Op)
      continue;
    for (unsigned K = 0, E = Op->operands().size(); K != E; ++K) {
      if (I.getType()->isFloatingPointTy() && mayOverflow(*Op, K))
        Sources.push_back(&I);
      if (auto *X = dyn_cast<Instruction>(Op->operands()[K]);
          X && makesZero(*Op, K))
        Ends.push_back(X);
    }
    Operations.try_emplace(&I, *Op);
  }
  if (Sources.empty() || Ends.empty())
    return;
  auto IsOnTheWay = [&](const Instruction &I) {
    return I.getType()->isFloatingPointTy() &&
           (Operations.contains(&I) || isa<PHINode, SelectInst>(I));
  };
  DenseSet<const Instruction *> Infinite;
  while (!Sources.empty()) {
    Instruction *I = Sources.pop_back_val();
    if (!IsOnTheWay(*I) || !Infinite.insert(I).second)
      continue;
    for (User *U : I->users())
      Sources.push_back(cast<Instruction>(U));
  }
  MDNode *Node = MDNode::get(F.getContext(), {});
  while (!Ends.empty()) {
    Instruction *I = Ends.pop_back_val();
    if (!Infinite.contains(I) || I->hasMetadata(Mark))
      continue;
    I->setMetadata(Mark, Node);
    for (Value *X : I->operands())
      if (auto *From = dyn_cast<Instruction>(X))
        Ends.push_back(From);
  }
}
