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
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

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
      // What that leads to may be in another file.
      if (Call && Call->isIndirectCall() && !isInert(I))
        return true;
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

/// Of the variable that \p P is in, from there.
static std::optional<uint64_t> extentOf(const Value *P, const DataLayout &DL,
                                        const TargetLibraryInfo *TLI) {
  uint64_t Bytes = 0;
  if (P->getType()->isPointerTy() && getObjectSize(P, Bytes, DL, TLI))
    return Bytes;
  return std::nullopt;
}

uint64_t verso::leastExtent(const RequestArgument &A, const DataLayout &DL,
                            const TargetLibraryInfo *TLI) {
  if (Value *Extent = A.Extent)
    if (auto *C = dyn_cast<ConstantInt>(Extent))
      return C->getZExtValue();
  return extentOf(A.Primal, DL, TLI).value_or(sizeof(float));
}

uint64_t verso::mostExtent(const RequestArgument &A, const DataLayout &DL,
                           const TargetLibraryInfo *TLI) {
  uint64_t Most = UINT64_MAX;
  for (Value *P :
       {static_cast<Value *>(A.Primal), static_cast<Value *>(A.Shadow)})
    if (P)
      Most = std::min(Most, extentOf(P, DL, TLI).value_or(Most));
  return Most;
}

/// Unoptimised code has the types of structures in its steps, and keeps the
/// parameters of what it calls in local variables.
static uint64_t placedExtent(const Argument &Parameter) {
  constexpr unsigned MaxPointers = 256;
  const DataLayout &DL = Parameter.getParent()->getDataLayout();
  SmallPtrSet<const Value *, 16> Seen{&Parameter};
  SmallVector<std::pair<const Value *, uint64_t>, 16> Work{{&Parameter, 0}};
  uint64_t Most = 0;
  auto Reach = [&](const Value *P, uint64_t At) {
    if (Seen.size() < MaxPointers && Seen.insert(P).second)
      Work.push_back({P, At});
  };
  auto Access = [&](uint64_t At, TypeSize Bytes) {
    if (!Bytes.isScalable())
      Most = std::max(Most, At + Bytes.getFixedValue());
  };
  while (!Work.empty()) {
    auto [P, At] = Work.pop_back_val();
    if (auto *A = dyn_cast<Argument>(P))
      Most = std::max(Most, At + A->getDereferenceableBytes());
    for (const Use &U : P->uses()) {
      const User *By = U.getUser();
      if (auto *Load = dyn_cast<LoadInst>(By)) {
        Access(At, DL.getTypeStoreSize(Load->getType()));
      } else if (auto *Store = dyn_cast<StoreInst>(By)) {
        if (U.getOperandNo() == Store->getPointerOperandIndex())
          Access(At, DL.getTypeStoreSize(Store->getValueOperand()->getType()));
        else if (isa<AllocaInst>(Store->getPointerOperand()))
          for (const User *Again : Store->getPointerOperand()->users())
            if (isa<LoadInst>(Again) && Again->getType()->isPointerTy())
              Reach(Again, At);
      } else if (auto *Step = dyn_cast<GEPOperator>(By)) {
        APInt Distance(DL.getIndexTypeSizeInBits(Step->getType()), 0);
        if (!Step->accumulateConstantOffset(DL, Distance) ||
            Distance.isNegative())
          continue;
        if (isa<StructType>(Step->getSourceElementType()))
          Access(At, DL.getTypeAllocSize(Step->getSourceElementType()));
        Reach(Step, At + Distance.getZExtValue());
      } else if (auto *Call = dyn_cast<CallBase>(By)) {
        const Function *Callee = Call->getCalledFunction();
        if (!Call->isArgOperand(&U))
          continue;
        const unsigned K = Call->getArgOperandNo(&U);
        Most = std::max(Most, At + Call->getParamDereferenceableBytes(K));
        if (Callee && K < Callee->arg_size())
          Reach(Callee->getArg(K), At);
      }
    }
  }
  return Most;
}

SmallVector<uint64_t, 8> verso::placedExtents(Function &F,
                                              FunctionAnalysisManager &FAM) {
  // Parameters go through local variables, and references to these.
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  SROAPass(SROAOptions::PreserveCFG).run(*Copy, FAM);
  SmallVector<uint64_t, 8> Ends;
  for (const Argument &A : Copy->args())
    Ends.push_back(A.getType()->isPointerTy() ? placedExtent(A) : 0);
  FAM.clear(*Copy, Copy->getName());
  Copy->eraseFromParent();
  return Ends;
}
