//===- Unwinding.cpp - requests that an exception leaves ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Unwinding.h"
#include "emit/Runtime.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"

using namespace llvm;
using namespace verso;

static bool beginsRequest(Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && (calls(*Call, RuntimeFunction::Begin) ||
                    calls(*Call, RuntimeFunction::BeginTangents) ||
                    calls(*Call, RuntimeFunction::EnterWatched));
  });
}

Constant *verso::findPersonality(const Function &F) {
  if (F.hasPersonalityFn())
    return F.getPersonalityFn();
  for (const Function &Other : *F.getParent())
    if (Other.hasPersonalityFn())
      return Other.getPersonalityFn();
  return nullptr;
}

void verso::endLeftRequests(Function &F) {
  if (F.doesNotThrow() || !beginsRequest(F))
    return;
  Constant *Personality = findPersonality(F);
  if (!Personality)
    return;
  F.setPersonalityFn(Personality);
  EscapeEnumerator Escapes(F, "left");
  while (IRBuilder<> *B = Escapes.Next())
    if (isa<ResumeInst>(*B->GetInsertPoint()))
      callRuntime(*B, RuntimeFunction::Unwind, {frameAddress(*B)});
}
