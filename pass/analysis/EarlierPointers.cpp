//===- EarlierPointers.cpp - where variables led before -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/EarlierPointers.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "prepare/FourierPlans.h"
#include "request/Request.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

static bool isArraysOfPlan(const Value *V) {
  auto *Call = dyn_cast<CallBase>(V);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  std::optional<KnownCall> K = F ? classifyCall(*F) : std::nullopt;
  return K && K->K == KnownCall::ArraysOfPlan;
}

CallBase *verso::arraysOfPlan(const LoadInst &Load) {
  const Value *Row = getUnderlyingObject(Load.getPointerOperand());
  return isArraysOfPlan(Row) ? const_cast<CallBase *>(cast<CallBase>(Row))
                             : nullptr;
}

/// Whether \p P is in a variable, or where such a pointer led. Unoptimised code
/// keeps pointers in local variables.
static bool isInVariable(const Value *P, unsigned MaxLoads = 6) {
  const Value *Object = getUnderlyingObject(P, /*MaxLookup=*/0);
  if (auto *II = dyn_cast<IntrinsicInst>(Object);
      II && II->getIntrinsicID() == Intrinsic::threadlocal_address)
    Object = getUnderlyingObject(II->getArgOperand(0));
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return !G->isConstant();
  if (isArraysOfPlan(Object))
    return true;
  if (!MaxLoads)
    return false;
  if (auto *Load = dyn_cast<LoadInst>(Object)) {
    const Value *From = Load->getPointerOperand();
    if (!isa<AllocaInst>(From))
      return isInVariable(From, MaxLoads - 1);
    return any_of(From->users(), [&](const User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      auto *Stored =
          Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
      return Stored && Store->getPointerOperand() == From &&
             isInVariable(Stored->getPointerOperand(), MaxLoads - 1);
    });
  }
  return false;
}

/// Whether numbers may be read or written through \p P. A pointer that is only
/// compared, stored, or followed to other pointers and integers is harmless.
static bool leadsToNumbers(const Value *P,
                           SmallPtrSetImpl<const Value *> &Seen) {
  constexpr unsigned MaxValues = 256;
  if (!Seen.insert(P).second)
    return false;
  if (Seen.size() > MaxValues)
    return true;
  return any_of(P->uses(), [&](const Use &U) {
    const User *By = U.getUser();
    if (auto *Load = dyn_cast<LoadInst>(By))
      return holdsReal(Load->getType());
    if (auto *Store = dyn_cast<StoreInst>(By)) {
      if (Store->getPointerOperand() == P)
        return holdsReal(Store->getValueOperand()->getType());
      const Value *To = Store->getPointerOperand();
      return isa<AllocaInst>(To) && any_of(To->users(), [&](const User *V) {
               return isa<LoadInst>(V) && V->getType()->isPointerTy() &&
                      leadsToNumbers(V, Seen);
             });
    }
    if (isa<AtomicRMWInst>(By))
      return holdsReal(By->getType());
    if (isa<GEPOperator, PHINode, SelectInst, FreezeInst, BitCastOperator>(By))
      return leadsToNumbers(By, Seen);
    if (isa<ReturnInst>(By))
      return true;
    auto *Call = dyn_cast<CallBase>(By);
    if (!Call || !Call->isArgOperand(&U) || isInert(*Call))
      return false;
    const Function *Callee = Call->getCalledFunction();
    if (!Callee)
      return !Call->isInlineAsm();
    if (isMarkedInactive(*Callee))
      return false;
    if (std::optional<KnownCall> K = classifyCall(*Callee))
      return K->K == KnownCall::Copy || K->K == KnownCall::Sort ||
             K->K == KnownCall::Set;
    // A twin that is not built yet: what it does with it nobody knows.
    if (Callee->isDeclaration() && isGenerated(*Callee))
      return true;
    unsigned N = Call->getArgOperandNo(&U);
    return !Callee->isDeclaration() &&
           (N >= Callee->arg_size() || leadsToNumbers(Callee->getArg(N), Seen));
  });
}

SmallVector<LoadInst *, 4> verso::earlierPointers(Function &F) {
  SmallVector<LoadInst *, 4> Result;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Load->getType()->isPointerTy() && !isInert(I) &&
        isInVariable(Load->getPointerOperand())) {
      SmallPtrSet<const Value *, 16> Seen;
      if (leadsToNumbers(Load, Seen))
        Result.push_back(Load);
    }
  return Result;
}

bool verso::mayUseEarlierPointers(Function &F) {
  SmallPtrSet<Function *, 16> Seen{&F};
  SmallVector<Function *, 16> Work{&F};
  while (!Work.empty()) {
    Function *G = Work.pop_back_val();
    if (!earlierPointers(*G).empty())
      return true;
    for (Instruction &I : instructions(*G)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && Call->isIndirectCall() && !isInert(I))
        return any_of(*G->getParent(), [](Function &Other) {
          return !Other.isDeclaration() && Other.hasAddressTaken() &&
                 !isGenerated(Other) && !earlierPointers(Other).empty();
        });
      for (Value *Op : I.operands())
        if (auto *Named = dyn_cast<Function>(Op)) {
          if (executesPlan(*Named))
            return true;
          if (!Named->isDeclaration() && Seen.insert(Named).second)
            Work.push_back(Named);
        }
    }
  }
  return false;
}

uint64_t verso::leastExtent(const RequestArgument &A, const DataLayout &DL,
                            const TargetLibraryInfo *TLI) {
  if (Value *Extent = A.Extent)
    if (auto *C = dyn_cast<ConstantInt>(Extent))
      return C->getZExtValue();
  uint64_t Bytes = 0;
  if (getObjectSize(A.Primal, Bytes, DL, TLI))
    return Bytes;
  return sizeof(float);
}
