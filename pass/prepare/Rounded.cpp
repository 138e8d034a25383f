//===- Rounded.cpp - numbers whose bits the program computes --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/Rounded.h"
#include "rules/Operation.h"

#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

static constexpr char RoundedRule[] = "verso_rounded";

static std::string nameFor(const Type *T) {
  return T->isFloatTy() ? "verso.rounded" : "verso.rounded.double";
}

/// define internal float @verso.rounded(float %x, i32 %bits) {
///   ret float bitcast (i32 %bits to float)
/// }
static Function *roundedFunction(Module &M, Type *Real) {
  LLVMContext &C = M.getContext();
  Type *Bits = Type::getIntNTy(C, Real->getPrimitiveSizeInBits());
  auto *T = FunctionType::get(Real, {Real, Bits}, /*isVarArg=*/false);
  if (Function *Known = M.getFunction(nameFor(Real)))
    if (Known->getFunctionType() == T &&
        Known->hasFnAttribute(Operation::RuleAttribute))
      return Known;
  Function *F =
      Function::Create(T, GlobalValue::InternalLinkage, nameFor(Real), M);
  F->addFnAttr(Operation::RuleAttribute, RoundedRule);
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::WillReturn);
  F->setDoesNotAccessMemory();
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  B.CreateRet(B.CreateBitCast(F->getArg(1), Real));
  return F;
}

Value *verso::roundTo(IRBuilderBase &B, Value *X, Value *Bits) {
  Module &M = *B.GetInsertBlock()->getModule();
  return B.CreateCall(roundedFunction(M, X->getType()), {X, Bits});
}

bool verso::isRounding(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->hasFnAttribute(Operation::RuleAttribute) &&
         F->getFnAttribute(Operation::RuleAttribute).getValueAsString() ==
             RoundedRule;
}

void verso::releaseRoundings(Module &M) {
  constexpr unsigned HalfBits = 16;
  Function *Rounded = M.getFunction(nameFor(Type::getFloatTy(M.getContext())));
  if (!Rounded)
    return;
  SmallVector<FPTruncInst *, 8> Narrowed;
  for (User *Call : Rounded->users())
    for (User *U : Call->users())
      if (auto *Trunc = dyn_cast<FPTruncInst>(U);
          Trunc && Trunc->getType()->isBFloatTy())
        Narrowed.push_back(Trunc);
  for (FPTruncInst *Trunc : Narrowed) {
    IRBuilder<> B(Trunc);
    Value *Bits = cast<CallBase>(Trunc->getOperand(0))->getArgOperand(1);
    Value *H = B.CreateTrunc(B.CreateLShr(Bits, HalfBits), B.getInt16Ty());
    Trunc->replaceAllUsesWith(B.CreateBitCast(H, Trunc->getType()));
    Trunc->eraseFromParent();
  }
}
