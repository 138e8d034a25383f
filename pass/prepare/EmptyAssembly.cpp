//===- EmptyAssembly.cpp - assembly that only hides a value ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/EmptyAssembly.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

/// The arguments that the outputs of \p Call, in order, are tied to; empty if
/// one is not.
static SmallVector<Value *, 2> inputsOfOutputs(const CallInst &Call,
                                               const InlineAsm &Asm) {
  InlineAsm::ConstraintInfoVector Constraints = Asm.ParseConstraints();
  SmallVector<int, 8> ArgumentOf(Constraints.size(), -1);
  int NextArgument = 0;
  for (auto [K, C] : enumerate(Constraints))
    if (C.hasArg())
      ArgumentOf[K] = NextArgument++;
  SmallVector<Value *, 2> Inputs;
  for (const InlineAsm::ConstraintInfo &C : Constraints) {
    if (C.Type != InlineAsm::isOutput || C.isIndirect)
      continue;
    if (!C.hasMatchingInput() || ArgumentOf[C.MatchingInput] < 0)
      return {};
    Inputs.push_back(Call.getArgOperand(ArgumentOf[C.MatchingInput]));
  }
  return Inputs;
}

/// What \p Call returns, as its arguments; null if that cannot be said.
static Value *opened(CallInst &Call) {
  auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Asm || !Asm->getAsmString().empty() || Call.getType()->isVoidTy())
    return nullptr;
  SmallVector<Value *, 2> Inputs = inputsOfOutputs(Call, *Asm);
  if (Inputs.size() == 1 && Inputs[0]->getType() == Call.getType())
    return Inputs[0];
  auto *T = dyn_cast<StructType>(Call.getType());
  if (!T || T->getNumElements() != Inputs.size())
    return nullptr;
  for (auto [K, Input] : enumerate(Inputs))
    if (Input->getType() != T->getElementType(K))
      return nullptr;
  IRBuilder<> B(&Call);
  Value *Whole = PoisonValue::get(T);
  for (auto [K, Input] : enumerate(Inputs))
    Whole = B.CreateInsertValue(Whole, Input, K);
  return Whole;
}

void verso::openEmptyAssembly(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Value *V = opened(*Call)) {
        Call->replaceAllUsesWith(V);
        Call->eraseFromParent();
      }
}
