//===- MovedBytes.cpp - integers that move bytes of numbers ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/MovedBytes.h"
#include "analysis/Activity.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

bool verso::keepsBytes(const Instruction &I) {
  const ConstantInt *C = nullptr;
  if (auto *B = dyn_cast<BinaryOperator>(&I))
    C = dyn_cast<ConstantInt>(B->getOperand(1));
  switch (I.getOpcode()) {
  case Instruction::Or:
    return true;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return !C || C->getValue().urem(8) == 0;
  case Instruction::And:
    for (unsigned K = 0; C && K + 8 <= C->getBitWidth(); K += 8)
      if (APInt Byte = C->getValue().extractBits(8, K);
          !Byte.isZero() && !Byte.isAllOnes())
        return false;
    return true;
  default:
    return !isa<BinaryOperator>(I);
  }
}

/// Whether the bits of an active real number went into V, through an operation
/// that does not keep its bytes if Lost is set on the way.
static bool losesBits(const Value *V, const Activity &A, bool Lost,
                      unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == 0 || !V->getType()->isIntOrIntVectorTy())
    return false;
  if (auto *Cast = dyn_cast<BitCastInst>(I))
    return Lost && Cast->getSrcTy()->isFPOrFPVectorTy() &&
           A.isVaried(Cast->getOperand(0));
  if (!isa<BinaryOperator, CastInst, SelectInst>(I))
    return false;
  Lost |= !keepsBytes(*I);
  return any_of(I->operands(),
                [&](const Use &U) { return losesBits(U, A, Lost, Depth - 1); });
}

bool verso::losesRealBits(const CastInst &I, const Activity &A) {
  const Value *X = I.getOperand(0);
  if (!I.getType()->isFPOrFPVectorTy() || !X->getType()->isIntOrIntVectorTy())
    return false;
  // The value of an integer is no move of bytes.
  return losesBits(X, A, /*Lost=*/!isa<BitCastInst>(I), /*Depth=*/8);
}
