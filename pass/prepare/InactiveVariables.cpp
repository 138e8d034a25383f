//===- InactiveVariables.cpp - variables marked as constant ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/InactiveVariables.h"
#include "rules/Detached.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

/// The local variables that the user marked.
using MarkedLocals = SmallPtrSet<const Value *, 4>;

/// Whether \p P points into a variable that the user marked.
static bool isOfMarkedVariable(const Value *P, const MarkedLocals &Marked) {
  const Value *Object = getUnderlyingObject(P);
  if (auto *Local = dyn_cast<IntrinsicInst>(Object);
      Local && Local->getIntrinsicID() == Intrinsic::threadlocal_address)
    Object = Local->getArgOperand(0);
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return isMarkedInactive(*G);
  return Marked.contains(Object);
}

/// Those of \p F. (A variable has as many users as there are accesses to it,
/// each of which asks.)
static MarkedLocals findMarked(const Function &F) {
  MarkedLocals Marked;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && isInactiveAnnotation(*Call))
      if (isa<AllocaInst>(Call->getArgOperand(0)))
        Marked.insert(Call->getArgOperand(0));
  return Marked;
}

static bool detach(LoadInst &Load, const MarkedLocals &Marked) {
  if (!mayBeDetached(Load.getType()) ||
      !isOfMarkedVariable(Load.getPointerOperand(), Marked))
    return false;
  auto *Only =
      Load.hasOneUse() ? dyn_cast<CallBase>(Load.user_back()) : nullptr;
  if (Only && isDetachedValue(*Only))
    return false;
  SmallVector<Use *, 4> Uses(make_pointer_range(Load.uses()));
  IRBuilder<> B(Load.getNextNode());
  Value *Constant = emitDetached(B, &Load);
  for (Use *U : Uses)
    U->set(Constant);
  return true;
}

static bool detach(MemTransferInst &Copy, const MarkedLocals &Marked) {
  if (!isOfMarkedVariable(Copy.getRawSource(), Marked))
    return false;
  auto *Next = dyn_cast<CallBase>(Copy.getNextNode());
  if (Next && detachesNumbers(*Next))
    return false;
  IRBuilder<> B(Copy.getNextNode());
  emitDetachNumbers(B, Copy.getRawDest(), Copy.getLength());
  return true;
}

bool verso::detachInactiveVariables(Module &M) {
  bool Changed = false;
  for (Function &F : M) {
    const MarkedLocals Marked = findMarked(F);
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Changed |= detach(*Load, Marked);
      else if (auto *Copy = dyn_cast<MemTransferInst>(&I))
        Changed |= detach(*Copy, Marked);
  }
  return Changed;
}
