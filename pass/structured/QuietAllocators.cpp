//===- QuietAllocators.cpp - allocators that touch nothing else -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/QuietAllocators.h"
#include "analysis/CallModel.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

/// Whether \p F reads a variable that other files know.
static bool readsSharedGlobal(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const Value *P = getLoadStorePointerOperand(&I);
    auto *G = P ? dyn_cast<GlobalVariable>(getUnderlyingObject(P)) : nullptr;
    return isa<LoadInst>(I) && G && !G->isConstant() && !G->hasLocalLinkage();
  });
}

bool verso::quietAllocators(Function &F, const TargetLibraryInfo *TLI) {
  if (readsSharedGlobal(F))
    return false;
  bool Found = false;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || !Call->getCalledFunction() ||
        !Call->getCalledFunction()->isDeclaration())
      continue;
    CallModel M = modelCall(*Call, TLI);
    if (M.K != CallModel::Library || !M.Known ||
        (M.Known->K != KnownCall::Allocate &&
         M.Known->K != KnownCall::AllocateZeroed) ||
        !isAllocationFn(Call, TLI))
      continue;
    Call->setMemoryEffects(Call->getMemoryEffects() &
                           MemoryEffects::inaccessibleMemOnly());
    Found = true;
  }
  return Found;
}
