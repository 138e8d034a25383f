//===- Tangent.cpp - what forward mode carries beside a value -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Tangent.h"
#include "emit/Runtime.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral MappedName = "verso.mapped";

Type *verso::tangentType(Type *T, unsigned Width) {
  if (Width == 1)
    return T;
  // Vectors of other lengths are hard on code generation: 26 lanes took
  // minutes.
  if (T->isFloatingPointTy())
    return FixedVectorType::get(T, PowerOf2Ceil(Width));
  return ArrayType::get(T, Width);
}

Constant *verso::zeroTangent(Type *T, unsigned Width) {
  return Constant::getNullValue(tangentType(T, Width));
}

Value *verso::takeLane(IRBuilderBase &B, Value *Tangents, unsigned Width,
                       unsigned Lane) {
  if (Width == 1)
    return Tangents;
  if (Tangents->getType()->isVectorTy())
    return B.CreateExtractElement(Tangents, Lane);
  return B.CreateExtractValue(Tangents, Lane);
}

Value *verso::packLanes(IRBuilderBase &B, Type *T, ArrayRef<Value *> Lanes) {
  if (Lanes.size() == 1)
    return Lanes[0];
  Type *Packed = tangentType(T, Lanes.size());
  Value *Tangents = PoisonValue::get(Packed);
  for (auto [K, Lane] : enumerate(Lanes))
    Tangents = Packed->isVectorTy() ? B.CreateInsertElement(Tangents, Lane, K)
                                    : B.CreateInsertValue(Tangents, Lane, K);
  return Tangents;
}

static constexpr StringLiteral SiblingMark = "verso.sibling";

void verso::giveSibling(AllocaInst &I) {
  I.setMetadata(SiblingMark, MDNode::get(I.getContext(), {}));
}

bool verso::hasSibling(const AllocaInst &I) {
  return I.hasMetadata(SiblingMark);
}

void verso::forgetSiblings(Function &F) {
  for (Instruction &I : instructions(F))
    if (isa<AllocaInst>(I))
      I.setMetadata(SiblingMark, nullptr);
}

Value *verso::mappedAddress(IRBuilderBase &B, Value *P, Value *Delta) {
  Module *M = B.GetInsertBlock()->getModule();
  FunctionCallee Callee = M->getOrInsertFunction(MappedName, B.getPtrTy(),
                                                 B.getPtrTy(), B.getInt64Ty());
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setSpeculatable();
  return B.CreateCall(Callee, {P, Delta});
}

bool verso::isMappedAddress(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName() == MappedName;
}

void verso::lowerMappedAddresses(Module &M) {
  Function *F = M.getFunction(MappedName);
  if (!F)
    return;
  for (User *U : make_early_inc_range(F->users())) {
    auto *Call = cast<CallInst>(U);
    IRBuilder<> B(Call);
    Call->replaceAllUsesWith(
        displace(B, Call->getArgOperand(0), Call->getArgOperand(1)));
    Call->eraseFromParent();
  }
  F->eraseFromParent();
}
