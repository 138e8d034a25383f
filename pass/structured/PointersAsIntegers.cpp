//===- PointersAsIntegers.cpp - pointers that are moved as integers -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/PointersAsIntegers.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

namespace {

/// The integers of a function that are pointers, and what they are as such.
class Integers {
public:
  explicit Integers(Function &F);
  void retype();

private:
  bool isSource(const Instruction &I) const;
  bool isChoice(const Instruction &I) const {
    return isa<PHINode, SelectInst, FreezeInst>(I) && I.getType() == Word;
  }
  /// The values that \p Choice is one of.
  static SmallVector<Value *, 4> chosen(Instruction &Choice);
  Constant *asConstant(Value *V) const;
  Value *asPointer(Value *V);
  void fill(Instruction &Choice, Value *As);

  IntegerType *Word;
  PointerType *Ptr;
  SetVector<Instruction *> Pointers;
  MapVector<Instruction *, WeakTrackingVH> As;
};

} // namespace

Integers::Integers(Function &F)
    : Word(F.getDataLayout().getIntPtrType(F.getContext())),
      Ptr(PointerType::getUnqual(F.getContext())) {
  for (Instruction &I : instructions(F))
    if (isSource(I) || isChoice(I))
      Pointers.insert(&I);
  auto IsPointer = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return I ? Pointers.contains(I) : asConstant(V) != nullptr;
  };
  for (bool Changed = true; Changed;)
    Changed = Pointers.remove_if([&](Instruction *I) {
      return isChoice(*I) && !all_of(chosen(*I), IsPointer);
    });
}

/// The pointer that a constant is, one to nothing among them; null if it is
/// none.
Constant *Integers::asConstant(Value *V) const {
  if (isa<PoisonValue>(V))
    return PoisonValue::get(Ptr);
  if (isa<UndefValue>(V))
    return UndefValue::get(Ptr);
  if (auto *C = dyn_cast<ConstantInt>(V))
    return C->getValue().ult(FirstPageBytes) ? ConstantExpr::getIntToPtr(C, Ptr)
                                             : nullptr;
  auto *Cast = dyn_cast<ConstantExpr>(V);
  return Cast && Cast->getOpcode() == Instruction::PtrToInt &&
                 Cast->getOperand(0)->getType() == Ptr
             ? Cast->getOperand(0)
             : nullptr;
}

bool Integers::isSource(const Instruction &I) const {
  if (I.getType() != Word || isInert(I))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() &&
           (isPointerForCertain(*Load) ||
            (!I.use_empty() && all_of(I.users(), IsaPred<IntToPtrInst>)));
  return isa<PtrToIntInst>(I) && I.getOperand(0)->getType() == Ptr;
}

SmallVector<Value *, 4> Integers::chosen(Instruction &Choice) {
  if (auto *S = dyn_cast<SelectInst>(&Choice))
    return {S->getTrueValue(), S->getFalseValue()};
  return SmallVector<Value *, 4>(Choice.operand_values());
}

/// Choices are filled in later: they may go round.
Value *Integers::asPointer(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return asConstant(V);
  if (auto Known = As.find(I); Known != As.end())
    return Known->second;
  IRBuilder<> B(I);
  Value *P = nullptr;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    LoadInst *New =
        B.CreateAlignedLoad(Ptr, Load->getPointerOperand(), Load->getAlign());
    New->copyMetadata(*Load, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                              LLVMContext::MD_noalias, LLVMContext::MD_dbg});
    P = New;
  } else if (isa<PtrToIntInst>(I)) {
    P = I->getOperand(0);
  } else if (auto *Phi = dyn_cast<PHINode>(I)) {
    P = B.CreatePHI(Ptr, Phi->getNumIncomingValues());
  } else if (auto *S = dyn_cast<SelectInst>(I)) {
    Value *Nothing = PoisonValue::get(Ptr);
    P = SelectInst::Create(S->getCondition(), Nothing, Nothing, "",
                           S->getIterator());
  } else {
    P = new FreezeInst(PoisonValue::get(Ptr), "", I->getIterator());
  }
  As[I] = P;
  return P;
}

void Integers::fill(Instruction &Choice, Value *As) {
  if (auto *Phi = dyn_cast<PHINode>(&Choice)) {
    for (auto [V, From] : zip(Phi->incoming_values(), Phi->blocks()))
      cast<PHINode>(As)->addIncoming(asPointer(V), From);
  } else if (auto *S = dyn_cast<SelectInst>(&Choice)) {
    cast<SelectInst>(As)->setTrueValue(asPointer(S->getTrueValue()));
    cast<SelectInst>(As)->setFalseValue(asPointer(S->getFalseValue()));
  } else {
    cast<FreezeInst>(As)->setOperand(0, asPointer(Choice.getOperand(0)));
  }
}

void Integers::retype() {
  SmallVector<Instruction *, 8> Casts;
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction *I : Pointers) {
    for (User *U : I->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (isa<IntToPtrInst>(U) && U->getType() == Ptr)
        Casts.push_back(cast<Instruction>(U));
      else if (Store && Store->getValueOperand() == I && Store->isSimple() &&
               !isInert(*Store) &&
               (isa<PtrToIntInst>(I) || isPointerForCertain(*Store)))
        Stores.push_back(Store);
    }
    if (isa<LoadInst>(I))
      asPointer(I);
  }
  for (Instruction *Cast : Casts)
    Cast->replaceAllUsesWith(asPointer(Cast->getOperand(0)));
  for (StoreInst *Store : Stores)
    Store->setOperand(0, asPointer(Store->getValueOperand()));
  for (unsigned K = 0; K != As.size(); ++K)
    if (auto [I, P] = As.begin()[K]; isChoice(*I))
      fill(*I, P);
  for (Instruction *Cast : Casts)
    Cast->eraseFromParent();
  SmallVector<WeakTrackingVH, 8> Dead;
  for (auto &[I, P] : As) {
    if (isa<LoadInst>(I) && !I->use_empty())
      I->replaceAllUsesWith(IRBuilder<>(I).CreatePtrToInt(P, Word));
    Dead.push_back(I);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
}

void verso::movePointersAsPointers(Function &F) { Integers(F).retype(); }
