//===- Squares.cpp - numbers that are multiplied by themselves ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Squares.h"
#include "rules/Operation.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// On sums of ours: recomputed values of the program have to be what they were.
static constexpr StringRef Mark = "verso.twice";

bool verso::isSquare(const Operation &Op) {
  return Op.operands().size() > 1 && Op.operands()[0] == Op.operands()[1] &&
         is_contained({"fmul", "fma", "llvm_fmuladd"}, Op.name());
}

Value *verso::emitTwice(IRBuilderBase &B, Value *V) {
  Value *Twice = B.CreateFAdd(V, V);
  if (auto *I = dyn_cast<Instruction>(Twice))
    I->setMetadata(Mark, MDNode::get(I->getContext(), {}));
  return Twice;
}

void verso::foldTwice(Function &F) {
  SmallVector<Instruction *, 16> Sums;
  for (Instruction &I : instructions(F))
    if (I.hasMetadata(Mark) && I.getOpcode() == Instruction::FAdd &&
        I.getOperand(0) == I.getOperand(1))
      Sums.push_back(&I);
  for (Instruction *I : Sums) {
    Value *X;
    const APFloat *C;
    if (!match(I->getOperand(0), m_c_FMul(m_Value(X), m_APFloat(C))))
      continue;
    auto *Product = cast<Instruction>(I->getOperand(0));
    APFloat Twice = *C;
    if (Twice.add(*C, APFloat::rmNearestTiesToEven) != APFloat::opOK)
      continue;
    Value *Folded = X;
    if (!Twice.isExactlyValue(1.0)) {
      IRBuilder<> B(I);
      B.setFastMathFlags(Product->getFastMathFlags());
      Folded = B.CreateFMul(X, ConstantFP::get(X->getType(), Twice));
    }
    I->replaceAllUsesWith(Folded);
    I->eraseFromParent();
    if (Product->use_empty())
      Product->eraseFromParent();
  }
}
