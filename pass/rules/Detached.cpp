//===- Detached.cpp - values without a derivative -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/Detached.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral DetachedName = "verso.detached.";
/// A line of KnownCalls.def.
static constexpr StringLiteral MemoryName = "__verso_detach_numbers";

static bool isScalar(const Type *T) {
  return T->isFloatingPointTy() || (T->isIntegerTy() && !T->isIntegerTy(1));
}

bool verso::mayBeDetached(const Type *T) {
  if (auto *V = dyn_cast<FixedVectorType>(T))
    return isScalar(V->getElementType());
  if (T->isAggregateType())
    return any_of(T->subtypes(), mayBeDetached);
  return isScalar(T);
}

Value *verso::emitDetached(IRBuilderBase &B, Value *X) {
  Type *T = X->getType();
  if (!mayBeDetached(T) || isa<Constant>(X))
    return X;
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    Value *Whole = PoisonValue::get(T);
    for (unsigned K = 0; K != V->getNumElements(); ++K)
      Whole = B.CreateInsertElement(
          Whole, emitDetached(B, B.CreateExtractElement(X, K)), K);
    return Whole;
  }
  if (T->isAggregateType()) {
    for (unsigned K = 0, E = T->isArrayTy() ? T->getArrayNumElements()
                                            : T->getStructNumElements();
         K != E; ++K)
      X = B.CreateInsertValue(X, emitDetached(B, B.CreateExtractValue(X, K)),
                              K);
    return X;
  }
  std::string Name = DetachedName.str();
  raw_string_ostream(Name) << *T;
  FunctionCallee Callee =
      B.GetInsertBlock()->getModule()->getOrInsertFunction(Name, T, T);
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setSpeculatable();
  return B.CreateCall(Callee, X);
}

bool verso::isDetachedValue(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->isDeclaration() && F->getName().starts_with(DetachedName);
}

void verso::emitDetachNumbers(IRBuilderBase &B, Value *P, Value *Bytes) {
  Module &M = *B.GetInsertBlock()->getModule();
  B.CreateCall(
      M.getOrInsertFunction(MemoryName,
                            AttributeList::get(M.getContext(),
                                               AttributeList::FunctionIndex,
                                               {Attribute::NoUnwind}),
                            B.getVoidTy(), B.getPtrTy(), B.getInt64Ty()),
      {P, B.CreateZExtOrTrunc(Bytes, B.getInt64Ty())});
}

bool verso::detachesNumbers(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && (F->getName() == MemoryName || F->getName() == "verso_detach");
}

void verso::foldDetached(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && isDetachedValue(*Call) &&
        isa<Constant>(Call->getArgOperand(0))) {
      Call->replaceAllUsesWith(Call->getArgOperand(0));
      Call->eraseFromParent();
    }
}

void verso::lowerDetached(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    bool IsValue = F.getName().starts_with(DetachedName);
    if (!F.isDeclaration() || !(IsValue || F.getName() == MemoryName))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      if (IsValue)
        Call->replaceAllUsesWith(Call->getArgOperand(0));
      Call->eraseFromParent();
    }
    F.eraseFromParent();
  }
}
