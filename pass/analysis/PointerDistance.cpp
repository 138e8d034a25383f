//===- PointerDistance.cpp - distances of pointers in indices -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/PointerDistance.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace verso;

const BinaryOperator *verso::pointerDistance(const Value *Index,
                                             unsigned Depth) {
  auto *I = dyn_cast<Instruction>(Index);
  if (!I || Depth == 0 || !isa<BinaryOperator, CastInst>(I))
    return nullptr;
  if (I->getOpcode() == Instruction::Sub &&
      isa<PtrToIntOperator>(I->getOperand(0)) &&
      isa<PtrToIntOperator>(I->getOperand(1)))
    return cast<BinaryOperator>(I);
  for (const Use &Operand : I->operands())
    if (const BinaryOperator *Distance = pointerDistance(Operand, Depth - 1))
      return Distance;
  return nullptr;
}
