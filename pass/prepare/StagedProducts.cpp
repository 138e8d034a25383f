//===- StagedProducts.cpp - products of matrices by a library -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/StagedProducts.h"
#include "emit/Runtime.h"
#include "rules/Staged.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;
using namespace verso::staged;

static constexpr StringLiteral MayStage = "verso.product.may.stage",
                               UnseenZero = "verso.product.zero",
                               Take = "verso.product.take",
                               Give = "verso.product.give";

/// What is called in the place of a function of runtime/Products.h until all
/// requests are lowered. It has no body: that calls what the derivatives call,
/// which call it, and would look recursive.
static Function *declareStaged(Function &Body, StringRef Name,
                               StringRef Numbers) {
  Function *F =
      Function::Create(Body.getFunctionType(), GlobalValue::ExternalLinkage,
                       Name, *Body.getParent());
  F->addFnAttr(NumbersAttribute, Numbers);
  F->addFnAttr(NameAttribute, "a function of a numerical library");
  F->addFnAttr(DirectAttribute);
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setMemoryEffects(MemoryEffects::argMemOnly());
  F->addParamAttr(0, Attribute::WriteOnly);
  F->addParamAttr(1, Attribute::ReadOnly);
  F->addParamAttr(F->arg_size() - 2, Attribute::ReadOnly);
  return F;
}

static SmallVector<CallInst *, 4> callsOf(const Function &F) {
  SmallVector<CallInst *, 4> Calls;
  for (const User *U : F.users())
    if (auto *Call = dyn_cast<CallInst>(U))
      Calls.push_back(const_cast<CallInst *>(Call));
  return Calls;
}

/// A function of no arguments whose result nobody sees.
static void defineUnseen(Module &M, StringRef Name, uint64_t Result) {
  Function *F = M.getFunction(Name);
  if (!F || !F->isDeclaration())
    return;
  IRBuilder<>(BasicBlock::Create(M.getContext(), "", F))
      .CreateRet(ConstantInt::get(F->getReturnType(), Result));
  F->setLinkage(GlobalValue::InternalLinkage);
  markGenerated(*F); // So it is found by what is linked later.
  F->addFnAttr("verso_inactive");
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(Attribute::OptimizeNone);
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
}

/// Calls of \p Name are those of malloc or free, of a block that the verso
/// reads.
static void adoptBlocks(Module &M, StringRef Name, StringRef Library) {
  Function *F = M.getFunction(Name);
  if (!F)
    return;
  FunctionCallee Instead = M.getOrInsertFunction(Library, F->getFunctionType());
  for (CallInst *Call : callsOf(*F)) {
    Call->setCalledFunction(Instead);
    Call->addFnAttr(Attribute::get(M.getContext(), BlockAttribute));
    Call->setDoesNotThrow();
    if (!Call->getType()->isVoidTy())
      Call->addRetAttr(Attribute::NoAlias);
  }
  F->eraseFromParent();
}

/// With the names of what is called, of its body, and of its numbers.
static void
forEachProduct(function_ref<void(std::string, std::string, StringRef)> Do) {
  for (StringRef Of : {".left", ".right", ".eigen", ".fourier"})
    for (auto [Letter, Numbers] :
         {std::pair("s", "float"), std::pair("d", "double")})
      Do(("verso.staged.product." + Twine(Letter) + Of).str(),
         ("verso.product." + Twine(Letter) + Of).str(), Numbers);
}

void verso::adoptStagedProducts(Module &M) {
  forEachProduct([&](std::string Name, std::string OfBody, StringRef Numbers) {
    Function *Body = M.getFunction(OfBody);
    if (!Body)
      return;
    Function *F = M.getFunction(Name);
    if (!F) {
      for (StringRef Suffix : {JvpSuffix, VjpSuffix})
        getSupportFunction(M, OfBody + Suffix.str())->setName(Name + Suffix);
      F = declareStaged(*Body, Name, Numbers);
    }
    Body->replaceAllUsesWith(F);
    Body->eraseFromParent();
  });
  defineUnseen(M, MayStage, 1);
  defineUnseen(M, UnseenZero, 0);
  adoptBlocks(M, Take, "malloc");
  adoptBlocks(M, Give, "free");
}

void verso::stageOnlyPlainly(Function &F, Value *Context) {
  const Function *Asked = F.getParent()->getFunction(MayStage);
  if (!Asked)
    return;
  for (CallInst *Call : callsOf(*Asked)) {
    if (Call->getFunction() != &F)
      continue;
    IRBuilder<> B(Call);
    Value *IsDifferentiated = B.CreateCall(F.getParent()->getOrInsertFunction(
        "verso_is_differentiated", B.getInt32Ty()));
    Value *KeepsMap = callRuntime(B, RuntimeFunction::KeepsMap, {Context});
    Call->replaceAllUsesWith(
        B.CreateZExt(B.CreateIsNull(B.CreateOr(IsDifferentiated, KeepsMap)),
                     Call->getType()));
    Call->eraseFromParent();
  }
}

void verso::releaseStagedProducts(Module &M) {
  forEachProduct([&](std::string Name, std::string OfBody, StringRef) {
    Function *F = M.getFunction(Name);
    if (!F)
      return;
    for (StringRef Suffix : {JvpSuffix, VjpSuffix})
      if (Function *Of = M.getFunction(Name + Suffix.str()); Of->use_empty())
        Of->eraseFromParent();
    if (!F->use_empty())
      F->replaceAllUsesWith(getSupportFunction(M, OfBody));
    F->eraseFromParent();
  });
  for (auto [Name, Result] : {std::pair(MayStage, 1), std::pair(UnseenZero, 0)})
    if (Function *F = M.getFunction(Name)) {
      for (CallInst *Call : callsOf(*F)) {
        Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), Result));
        Call->eraseFromParent();
      }
      F->eraseFromParent();
    }
}
