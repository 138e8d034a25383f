//===- WideIndices.cpp - indices that are computed in 64 bits -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/WideIndices.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// An operation that is the same in more bits, or poison.
static BinaryOperator *exactOperation(Value *V) {
  if (match(V, m_NSWAdd(m_Value(), m_Value())) ||
      match(V, m_NSWSub(m_Value(), m_Value())) ||
      match(V, m_NSWMul(m_Value(), m_Value())) ||
      match(V, m_NSWShl(m_Value(), m_ConstantInt())))
    return dyn_cast<BinaryOperator>(V);
  return nullptr;
}

/// \p V in the bits of \p T, where \p B is, down to \p Depth operations: a
/// chain of sums whose every link is an index would be quadratic. \p Known:
/// what was widened there.
static Value *widened(Value *V, Type *T, IRBuilder<> &B, unsigned Depth,
                      SmallDenseMap<Value *, Value *> &Known) {
  if (Value *Before = Known.lookup(V))
    return Before;
  Value *Wide;
  if (BinaryOperator *Op = Depth ? exactOperation(V) : nullptr) {
    Value *Left = widened(Op->getOperand(0), T, B, Depth - 1, Known),
          *Right = widened(Op->getOperand(1), T, B, Depth - 1, Known);
    Wide = B.CreateBinOp(Op->getOpcode(), Left, Right);
    if (auto *I = dyn_cast<BinaryOperator>(Wide))
      I->setHasNoSignedWrap();
  } else {
    Wide = B.CreateSExt(V, T);
  }
  return Known[V] = Wide;
}

bool verso::widenIndices(Function &F) {
  constexpr unsigned MostOperations = 6;
  SmallVector<WeakVH, 16> Found;
  for (Instruction &I : instructions(F))
    if (isa<SExtInst>(I) && I.getType()->isIntegerTy(64) &&
        exactOperation(I.getOperand(0)))
      Found.push_back(&I);
  for (const WeakVH &Each : Found) {
    auto *Extension = cast_or_null<SExtInst>(Each);
    if (!Extension)
      continue;
    IRBuilder<> B(Extension);
    SmallDenseMap<Value *, Value *> Known;
    Value *Narrow = Extension->getOperand(0);
    Extension->replaceAllUsesWith(
        widened(Narrow, Extension->getType(), B, MostOperations, Known));
    Extension->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(Narrow);
  }
  return !Found.empty();
}
