//===- Staged.cpp - what is known of staged calls -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/Staged.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;
using namespace verso::staged;

bool verso::isStaged(const Function &F) {
  return F.hasFnAttribute(NumbersAttribute);
}

bool verso::isRunOfStaged(const Function &F) {
  return F.hasFnAttribute(RunAttribute);
}

unsigned verso::bytesOfCounts(const Function &F) {
  unsigned Bytes = 0;
  F.getFnAttribute(CountsAttribute).getValueAsString().getAsInteger(10, Bytes);
  return Bytes;
}

bool verso::isStaged(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && isStaged(*F);
}

bool verso::communicates(const Function &F) {
  return F.hasFnAttribute(CommunicatesAttribute);
}

bool verso::communicates(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && communicates(*F);
}

StringRef verso::nameOfStaged(const CallBase &Call) {
  return Call.getFnAttr(NameAttribute).getValueAsString();
}

const Value *verso::keptOfStaged(const CallBase &Call) {
  return Call.getArgOperand(Call.arg_size() - 2);
}

bool verso::isBlockOfStaged(const CallBase &Call) {
  return Call.getAttributes().hasFnAttr(BlockAttribute);
}

Type *verso::numbersOfStaged(const CallBase &Copy) {
  Attribute A = Copy.getFnAttr(NumbersAttribute);
  if (!A.isValid())
    return nullptr;
  LLVMContext &C = Copy.getContext();
  return A.getValueAsString() == "float" ? Type::getFloatTy(C)
                                         : Type::getDoubleTy(C);
}

static bool emitDerivativeOf(IRBuilderBase &B, const Function &F,
                             StringRef Suffix, ArrayRef<Value *> Given,
                             Value *Derivatives) {
  Function *Of = F.getParent()->getFunction((F.getName() + Suffix).str());
  if (!Of)
    return false;
  SmallVector<Value *, 16> Arguments(Given);
  Arguments[2] = Derivatives;
  B.CreateCall(Of, Arguments);
  return true;
}

bool verso::emitJvpOfStaged(IRBuilderBase &B, const CallBase &Call,
                            Value *Dots) {
  SmallVector<Value *, 16> Arguments(Call.args());
  return emitDerivativeOf(B, *Call.getCalledFunction(), JvpSuffix, Arguments,
                          Dots);
}

bool verso::emitVjpOfStaged(IRBuilderBase &B, const Function &F,
                            ArrayRef<Value *> Arguments, Value *Bars) {
  return emitDerivativeOf(B, F, VjpSuffix, Arguments, Bars);
}

bool verso::emitVjpOfStaged(IRBuilderBase &B, const CallBase &Call,
                            Value *Bars) {
  SmallVector<Value *, 16> Arguments(Call.args());
  return emitVjpOfStaged(B, *Call.getCalledFunction(), Arguments, Bars);
}
