//===- OutlineAccesses.cpp - accesses of large functions as calls ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/OutlineAccesses.h"
#include "emit/Runtime.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral Mark = "verso-accessor";

bool verso::isAccessor(const Function &F) { return F.hasFnAttribute(Mark); }

/// Whether the tape has to do anything about \p I that a call can do as well.
static bool isOutlined(const Instruction &I) {
  Type *T = getLoadStoreType(const_cast<Instruction *>(&I));
  if (!T->isFloatTy() && !T->isDoubleTy())
    return false;
  if (isInert(I) || I.isVolatile() || I.isAtomic())
    return false;
  auto *G = dyn_cast<GlobalVariable>(
      getUnderlyingObject(getLoadStorePointerOperand(&I)));
  return !G || !G->isConstant();
}

/// double verso.load.double.8(ptr p) { return *p; }
/// void verso.store.double.8(double x, ptr p) { *p = x; }
static Function *accessorLike(Instruction &I, StringRef TypeName) {
  Module &M = *I.getModule();
  Align Alignment = getLoadStoreAlignment(&I);
  std::string Name = ("verso." + Twine(I.getOpcodeName()) + "." + TypeName +
                      "." + Twine(Alignment.value()))
                         .str();
  if (Function *F = M.getFunction(Name))
    return F;
  SmallVector<Type *, 2> Parameters;
  for (const Value *Op : I.operands())
    Parameters.push_back(Op->getType());
  Function *F = Function::Create(
      FunctionType::get(I.getType(), Parameters, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, Name, &M);
  F->addFnAttr(Mark);
  F->addFnAttr(Attribute::NoInline);
  F->setDoesNotThrow();
  F->setUWTableKind(I.getFunction()->getUWTableKind());
  if (I.getFunction()->hasFnAttribute(Attribute::SanitizeAddress))
    F->addFnAttr(Attribute::SanitizeAddress);
  compileLike(*F, *I.getFunction());
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", F));
  if (isa<LoadInst>(I)) {
    B.CreateRet(B.CreateAlignedLoad(I.getType(), F->getArg(0), Alignment));
  } else {
    B.CreateAlignedStore(F->getArg(0), F->getArg(1), Alignment);
    B.CreateRetVoid();
  }
  return F;
}

/// Whether a call of \p F stands in a loop or in itself, as far as the first
/// few calls tell.
static bool isCalledRepeatedly(const Function &F) {
  constexpr unsigned MostCalls = 16;
  for (const User *U : make_range(
           F.user_begin(),
           std::next(F.user_begin(), std::min(F.getNumUses(), MostCalls)))) {
    auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Call->getCalledOperand() != &F)
      continue;
    auto &Caller = const_cast<Function &>(*Call->getFunction());
    if (&Caller == &F ||
        LoopInfo(DominatorTree(Caller)).getLoopFor(Call->getParent()))
      return true;
  }
  return false;
}

void verso::outlineAccesses(Function &F, const Function &Original) {
  constexpr unsigned Many = 32, ManyRepeated = 128;
  LoopInfo Loops{DominatorTree(F)};
  std::optional<bool> IsRepeated; // As a whole.
  for (BasicBlock &Block : F) {
    SmallVector<Instruction *, 32> Accesses;
    for (Instruction &I : Block)
      if (isa<LoadInst, StoreInst>(I) && isOutlined(I))
        Accesses.push_back(&I);
    if (Accesses.size() < Many)
      continue;
    if (Accesses.size() < ManyRepeated) {
      if (Loops.getLoopFor(&Block))
        continue;
      if (!IsRepeated)
        IsRepeated = isCalledRepeatedly(Original);
      if (*IsRepeated)
        continue;
    }
    for (Instruction *I : Accesses) {
      Type *T = getLoadStoreType(I);
      IRBuilder<> B(I);
      SmallVector<Value *, 2> Operands(I->operand_values());
      CallInst *Call = B.CreateCall(
          accessorLike(*I, T->isDoubleTy() ? "double" : "float"), Operands);
      Call->setDoesNotThrow();
      Call->takeName(I);
      I->replaceAllUsesWith(Call);
      I->eraseFromParent();
    }
  }
}
