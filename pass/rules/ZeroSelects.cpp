//===- ZeroSelects.cpp - a test of zero for each choice -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/ZeroSelects.h"
#include "emit/Runtime.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// t == 0 or t != 0, of a number that is not a vector's.
static bool isTestOfZero(const FCmpInst &Test) {
  return match(Test.getOperand(1), m_AnyZeroFP()) &&
         Test.getOperand(0)->getType()->isFloatingPointTy() &&
         (Test.getPredicate() == FCmpInst::FCMP_OEQ ||
          Test.getPredicate() == FCmpInst::FCMP_UNE);
}

/// The Kth way to say the same of \p Test, or, if \p IsNot, the opposite.
static Value *sayAgain(FCmpInst &Test, unsigned K, bool &IsNot) {
  IRBuilder<> B(Test.getNextNode());
  Value *T = Test.getOperand(0), *Zero = Test.getOperand(1);
  bool IsEqual = Test.getPredicate() == FCmpInst::FCMP_OEQ;
  IsNot = K % 2;
  bool AsksForZero = IsEqual != IsNot;
  if (K < 2)
    return B.CreateFCmp(AsksForZero ? FCmpInst::FCMP_OEQ : FCmpInst::FCMP_UNE,
                        T, Zero);
  Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, T);
  return B.CreateFCmp(AsksForZero ? FCmpInst::FCMP_OLE : FCmpInst::FCMP_UGT,
                      Size, Zero);
}

PreservedAnalyses ZeroSelectsPass::run(Function &F, FunctionAnalysisManager &) {
  constexpr unsigned Ways = 4;
  if (!isGenerated(F) || F.hasOptNone())
    return PreservedAnalyses::all();
  SmallVector<FCmpInst *, 16> Tests;
  for (Instruction &I : instructions(F))
    if (auto *Test = dyn_cast<FCmpInst>(&I);
        Test && isTestOfZero(*Test) && !Test->hasOneUse())
      Tests.push_back(Test);
  for (FCmpInst *Test : Tests) {
    Type *T = Test->getOperand(0)->getType();
    SmallVector<SelectInst *, 4> Choices;
    for (User *U : Test->users())
      if (auto *Choice = dyn_cast<SelectInst>(U);
          Choice && Choice->getCondition() == Test && Choice->getType() == T &&
          Choice->getParent() == Test->getParent())
        Choices.push_back(Choice);
    // The test itself is for the first, if it is for nothing else.
    unsigned K = Choices.size() == Test->getNumUses() ? 0 : 1;
    for (SelectInst *Choice : Choices) {
      if (K == Ways)
        break;
      bool IsNot = false;
      if (K)
        Choice->setCondition(sayAgain(*Test, K, IsNot));
      if (IsNot)
        Choice->swapValues();
      ++K;
    }
  }
  return Tests.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
