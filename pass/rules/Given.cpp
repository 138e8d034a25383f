//===- Given.cpp - results whose derivative is given ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/Given.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral GivenPrefix = "verso.given.";

Value *verso::emitGiven(IRBuilderBase &B, Value *X, Value *Partial,
                        Value *Result) {
  Type *T = Result->getType();
  std::string Name = GivenPrefix.str();
  raw_string_ostream(Name) << *T;
  FunctionCallee Callee =
      B.GetInsertBlock()->getModule()->getOrInsertFunction(Name, T, T, T, T);
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setSpeculatable();
  return B.CreateCall(Callee, {X, Partial, Result});
}

bool verso::isGiven(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->isDeclaration() && F->getName().starts_with(GivenPrefix);
}

void verso::lowerGiven(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    if (!F.isDeclaration() || !F.getName().starts_with(GivenPrefix))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      Call->replaceAllUsesWith(Call->getArgOperand(2));
      Call->eraseFromParent();
    }
    F.eraseFromParent();
  }
}
