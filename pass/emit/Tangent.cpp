//===- Tangent.cpp - what forward mode carries beside a value -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Tangent.h"
#include "emit/Runtime.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Local.h"

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

void verso::giveSibling(Instruction &I) {
  I.setMetadata(SiblingMark, MDNode::get(I.getContext(), {}));
}

bool verso::hasSibling(const Instruction &I) {
  return I.hasMetadata(SiblingMark);
}

void verso::forgetSiblings(Function &F) {
  for (Instruction &I : instructions(F))
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

/// Whether anything but passing it on is done with \p Context.
static bool usesContext(Value &Context, SmallPtrSetImpl<Value *> &Seen) {
  if (!Seen.insert(&Context).second)
    return false;
  return any_of(Context.uses(), [&](Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Call->isArgOperand(&U) || Callee->isDeclaration())
      return true;
    return usesContext(*Callee->getArg(Call->getArgOperandNo(&U)), Seen);
  });
}

/// Drops \p Begin and what ends it, if nobody uses the context between.
static bool dropIfUnused(CallInst &Begin) {
  SmallPtrSet<Value *, 16> Seen{&Begin};
  SmallVector<CallInst *, 2> Ends;
  for (Use &U : Begin.uses()) {
    auto *Call = dyn_cast<CallInst>(U.getUser());
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Call && calls(*Call, RuntimeFunction::EndTangents))
      Ends.push_back(Call);
    else if (!Callee || !Call->isArgOperand(&U) || Callee->isDeclaration() ||
             usesContext(*Callee->getArg(Call->getArgOperandNo(&U)), Seen))
      return false;
  }
  for (CallInst *End : Ends)
    End->eraseFromParent();
  Begin.replaceAllUsesWith(Constant::getNullValue(Begin.getType()));
  Value *Frame = Begin.getArgOperand(1);
  Begin.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(Frame);
  return true;
}

bool verso::dropUnusedTangents(Function &F) {
  SmallVector<CallInst *, 2> Begins;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && calls(*Call, RuntimeFunction::BeginTangents))
      Begins.push_back(Call);
  bool Changed = false;
  for (CallInst *Begin : Begins)
    Changed |= dropIfUnused(*Begin);
  return Changed;
}
