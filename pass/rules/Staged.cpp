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

const Value *verso::foundOfStaged(const CallBase &Call) {
  return Call.getArgOperand(Call.arg_size() - 1);
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

bool verso::isDirect(const Function &F) {
  return F.hasFnAttribute(DirectAttribute);
}

bool verso::isDirect(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && isDirect(*F);
}

/// \p Changed: what the JVP or VJP changes, and \p Other what it only reads if
/// the call is direct.
static bool emitDerivativeOf(IRBuilderBase &B, const Function &F,
                             StringRef Suffix, ArrayRef<Value *> Given,
                             Value *Changed, Value *Other, Value *OfCopy) {
  Function *Of = F.getParent()->getFunction((F.getName() + Suffix).str());
  if (!Of)
    return false;
  SmallVector<Value *, 16> Arguments(Given);
  if (isDirect(F)) {
    Arguments[0] = Changed;
    Arguments[2] = Other;
  } else {
    Arguments[2] = OfCopy;
  }
  B.CreateCall(Of, Arguments);
  return true;
}

bool verso::emitJvpOfStaged(IRBuilderBase &B, const CallBase &Call,
                            const StagedDerivatives &Dots) {
  SmallVector<Value *, 16> Arguments(Call.args());
  return emitDerivativeOf(B, *Call.getCalledFunction(), JvpSuffix, Arguments,
                          Dots.OfTo, Dots.OfFrom, Dots.OfTo);
}

bool verso::emitVjpOfStaged(IRBuilderBase &B, const Function &F,
                            ArrayRef<Value *> Arguments,
                            const StagedDerivatives &Bars) {
  return emitDerivativeOf(B, F, VjpSuffix, Arguments, Bars.OfFrom, Bars.OfTo,
                          Bars.OfTo);
}

bool verso::emitVjpOfStaged(IRBuilderBase &B, const CallBase &Call,
                            const StagedDerivatives &Bars) {
  SmallVector<Value *, 16> Arguments(Call.args());
  return emitVjpOfStaged(B, *Call.getCalledFunction(), Arguments, Bars);
}
