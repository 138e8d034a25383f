//===- CutOff.cpp - what is cut off at a pole -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/CutOff.h"
#include "rules/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace verso;
using namespace llvm::PatternMatch;

static constexpr char Mark[] = "verso.cutoff";

bool verso::isCutOff(const Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  return I && I->hasMetadata(Mark);
}

/// x > 0 ? x : 0, or x < 0 ? 0 : x (std::max), so that it is zero only where
/// the constant is chosen, or at the kink.
static bool isPartBesideZero(const Instruction &I) {
  auto *Choice = dyn_cast<SelectInst>(&I);
  auto *Test = Choice ? dyn_cast<FCmpInst>(Choice->getCondition()) : nullptr;
  if (!Test)
    return false;
  const bool IsFirst = match(Choice->getFalseValue(), m_AnyZeroFP());
  const Value *X = IsFirst ? Choice->getTrueValue() : Choice->getFalseValue(),
              *Zero =
                  IsFirst ? Choice->getFalseValue() : Choice->getTrueValue();
  const bool IsOfX =
      (Test->getOperand(0) == X && match(Test->getOperand(1), m_AnyZeroFP())) ||
      (Test->getOperand(1) == X && match(Test->getOperand(0), m_AnyZeroFP()));
  if (!match(Zero, m_AnyZeroFP()) || !IsOfX)
    return false;
  // Not x != 0 ? x : 0 nor a test for NaN, which vary where they are zero.
  switch (CmpInst::getStrictPredicate(Test->getPredicate())) {
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_UGT:
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_ULT:
    return true;
  default:
    return false;
  }
}

/// Whether \p I, which is \p Op if it is an operation, is zero only where it is
/// a zero that stands in the program, or at a kink.
static bool choosesZero(const Instruction &I, const Operation *Op) {
  if (!I.getType()->isFloatingPointTy())
    return false;
  return isPartBesideZero(I) || (Op && Op->name() == "fdim") ||
         (Op && Op->chooses() && any_of(Op->operands(), [](const Value *X) {
            return match(X, m_AnyZeroFP());
          }));
}

/// Whether \p Op is zero where its operand \p K is.
static bool keepsZero(const Operation &Op, unsigned K) {
  return Op.name() == "fmul" || (Op.name() == "fdiv" && K == 0) ||
         Op.name() == "fabs" || Op.name() == "fneg";
}

void verso::markCutOffs(Function &F, const TargetLibraryInfo *TLI) {
  DenseMap<const Instruction *, Operation> Operations;
  SmallVector<Instruction *, 16> Work, Ends;
  for (Instruction &I : instructions(F)) {
    I.setMetadata(Mark, nullptr);
    std::optional<Operation> Op = Operation::match(I, TLI);
    if (choosesZero(I, Op ? &*Op : nullptr))
      Work.push_back(&I);
    if (!Op)
      continue;
    for (auto [K, X] : enumerate(Op->operands()))
      if (auto *At = dyn_cast<Instruction>(X); At && Op->isSingular(K))
        Ends.push_back(At);
    Operations.try_emplace(&I, *Op);
  }
  if (Work.empty() || Ends.empty())
    return;

  DenseSet<const Instruction *> Zeros;
  auto IsZeroWith = [&](const Use &U) {
    auto *By = cast<Instruction>(U.getUser());
    if (auto *Phi = dyn_cast<PHINode>(By))
      return Phi->getNumIncomingValues() == 1;
    auto Found = Operations.find(By);
    return Found != Operations.end() &&
           any_of(enumerate(Found->second.operands()), [&](auto Operand) {
             return Operand.value() == U.get() &&
                    keepsZero(Found->second, Operand.index());
           });
  };
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    if (!Zeros.insert(I).second)
      continue;
    for (const Use &U : I->uses())
      if (IsZeroWith(U))
        Work.push_back(cast<Instruction>(U.getUser()));
  }

  MDNode *Node = MDNode::get(F.getContext(), {});
  while (!Ends.empty()) {
    Instruction *I = Ends.pop_back_val();
    if (!Zeros.contains(I) || I->hasMetadata(Mark))
      continue;
    I->setMetadata(Mark, Node);
    for (Value *X : I->operands())
      if (auto *From = dyn_cast<Instruction>(X))
        Ends.push_back(From);
  }
}
