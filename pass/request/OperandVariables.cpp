//===- OperandVariables.cpp - operands that come through variables --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/OperandVariables.h"
#include "request/EntryPoints.h"
#include "request/FunctionOperand.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;
using namespace verso;

static bool isRequest(const User *U) {
  auto *Call = dyn_cast<CallBase>(U);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && classifyEntryPoint(*Callee);
}

static bool isOfVariable(Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  return Load &&
         isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand()));
}

/// Functions where a marker goes to something else than a request.
static void findMovedMarkers(Module &M, SmallSetVector<Function *, 4> &Where) {
  for (GlobalVariable &G : M.globals()) {
    if (!classifyMarker(G))
      continue;
    for (User *U : G.users())
      if (auto *I = dyn_cast<Instruction>(U);
          I && !isRequest(I) &&
          !(isa<LoadInst>(I) && all_of(I->users(), isRequest)))
        Where.insert(I->getFunction());
  }
}

void verso::promoteOperandVariables(Module &M, FunctionAnalysisManager &FAM) {
  SmallSetVector<Function *, 4> Moved, Where;
  findMovedMarkers(M, Moved);
  for (Function &Entry : M) {
    if (!classifyEntryPoint(Entry))
      continue;
    for (User *U : Entry.users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || none_of(Call->args(), isOfVariable))
        continue;
      Function &F = *Call->getFunction();
      auto *First = find_if_not(
          Call->args(), [](Value *V) { return markerVariable(V) != nullptr; });
      bool Unknown = First != Call->arg_end() && isOfVariable(*First) &&
                     !findFunction(*First);
      if (Unknown || Moved.contains(&F))
        Where.insert(&F);
    }
  }
  for (Function *F : Where) {
    FAM.invalidate(*F, SROAPass(SROAOptions::PreserveCFG).run(*F, FAM));
    // The ABI hands small structs over as integers.
    FAM.invalidate(*F, InstCombinePass().run(*F, FAM));
  }
}
