//===- LostBits.cpp - integers made of numbers' bits ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/LostBits.h"
#include "analysis/MovedBytes.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace verso;

Value *LostBits::at(IRBuilderBase &B, CastInst &I, unsigned Direction) {
  auto *Flag = cast<Instruction>(B.CreateFreeze(B.getFalse()));
  Places.push_back({Flag, &I, Direction});
  return Flag;
}

/// Of a number, or of several in a vector.
Value *LostBits::ofNumber(IRBuilderBase &B, Value *Number) {
  Value *Any = (*Asks)(B, Number, Direction);
  return Any && Any->getType()->isVectorTy() ? B.CreateOrReduce(Any) : Any;
}

/// Of an operation or a choice; null: it takes no lost bits.
Value *LostBits::emit(Instruction &I, bool IsLost) {
  IRBuilder<> B(&I);
  if (auto *Bits = dyn_cast<BitCastInst>(&I);
      Bits && Bits->getSrcTy()->isFPOrFPVectorTy())
    return IsLost ? ofNumber(B, Bits->getOperand(0)) : nullptr;
  if (auto *Choice = dyn_cast<SelectInst>(&I)) {
    Value *L = of(Choice->getTrueValue(), IsLost);
    Value *R = of(Choice->getFalseValue(), IsLost);
    if (!L && !R)
      return nullptr;
    L = L ? L : B.getFalse();
    R = R ? R : B.getFalse();
    return Choice->getCondition()->getType()->isVectorTy()
               ? B.CreateOr(L, R)
               : B.CreateSelect(Choice->getCondition(), L, R);
  }
  if (!isa<BinaryOperator, CastInst, FreezeInst>(I))
    return nullptr;
  IsLost |= !isa<FreezeInst>(I) && !keepsBytes(I);
  Value *Any = nullptr;
  for (Value *Operand : I.operands())
    if (Value *Each = of(Operand, IsLost))
      Any = Any ? B.CreateOr(Any, Each) : Each;
  return Any;
}

Value *LostBits::of(Value *V, bool IsLost) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !V->getType()->isIntOrIntVectorTy())
    return nullptr;
  const std::pair<Value *, unsigned> Key(V, IsLost);
  if (auto It = Known.find(Key); It != Known.end())
    return It->second;
  // What is so far away is taken for lost: an error, if it is none.
  constexpr unsigned MaxDepth = 2000;
  if (Depth == MaxDepth)
    return ConstantInt::getTrue(I->getContext());
  SaveAndRestore Deeper(Depth, Depth + 1);
  auto *Phi = dyn_cast<PHINode>(I);
  if (!Phi) {
    Value *Flag = emit(*I, IsLost);
    return Known[Key] = Flag;
  }
  IRBuilder<> B(Phi);
  PHINode *Flag = B.CreatePHI(B.getInt1Ty(), Phi->getNumIncomingValues());
  Known[Key] = Flag; // It may come round to itself.
  for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K) {
    Value *Each = of(Phi->getIncomingValue(K), IsLost);
    Flag->addIncoming(Each ? Each : B.getFalse(), Phi->getIncomingBlock(K));
  }
  return Flag;
}

void LostBits::fill(const HasDerivative &Emit) {
  Asks = &Emit;
  stable_sort(Places, [](const Place &A, const Place &B) {
    return A.Direction < B.Direction;
  });
  for (const Place &P : Places) {
    if (P.Direction != Direction)
      Known.clear();
    Direction = P.Direction;
    // The value of an integer is no move of bytes.
    Value *Flag = of(P.Cast->getOperand(0), !isa<BitCastInst>(P.Cast));
    P.Flag->replaceAllUsesWith(
        Flag ? Flag : ConstantInt::getFalse(P.Flag->getContext()));
    P.Flag->eraseFromParent();
  }
  Places.clear();
  Known.clear();
}
