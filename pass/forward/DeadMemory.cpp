//===- DeadMemory.cpp - local memory that nothing needs -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/DeadMemory.h"
#include "emit/Companion.h"
#include "forward/LocalObjects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

namespace {

class Liveness {
public:
  Liveness(Function &F, const TargetLibraryInfo &TLI);
  bool isLive(const Instruction &I) const { return Live.contains(&I); }

private:
  void findObject(Instruction &Object, const TargetLibraryInfo &TLI);
  const Value *localTarget(const Instruction &I) const;
  void markLive(Instruction *I) {
    if (Live.insert(I).second)
      Work.push_back(I);
  }
  void markRead(const Value *P);

  /// The objects that nobody else accesses, and of each pointer those that it
  /// may lead into. What is in no list leads elsewhere.
  DenseMap<const Value *, SmallVector<const Instruction *, 2>> Into;
  /// Pointers that may lead elsewhere as well.
  DenseSet<const Value *> Mixed;
  /// What writes to such objects alone.
  DenseMap<const Instruction *, SmallVector<Instruction *, 4>> WritesTo;
  DenseSet<const Instruction *> Read, Live;
  SmallVector<Instruction *, 32> Work;
};

} // namespace

/// Notes the pointers into \p Object, if all that is done with them is in
/// sight.
void Liveness::findObject(Instruction &Object, const TargetLibraryInfo &TLI) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Pointers{&Object};
  for (size_t K = 0; K != Pointers.size(); ++K) {
    for (const Use &U : Pointers[K]->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      auto *Call = dyn_cast<CallBase>(I);
      if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(I)) {
        if (!I->getType()->isPointerTy())
          return;
        if (Seen.insert(I).second)
          Pointers.push_back(I);
      } else if (!(Call && (isReleaseOf(*Call, Pointers[K], TLI) ||
                            I->isLifetimeStartOrEnd())) &&
                 !isAccessOrSize(U, TLI))
        return;
    }
  }
  for (const Value *P : Pointers)
    Into[P].push_back(&Object);
}

/// The address that \p I writes to, if that is all that it does and it leads to
/// objects of ours only.
const Value *Liveness::localTarget(const Instruction &I) const {
  const Value *P = nullptr;
  if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
    P = Store->getPointerOperand();
  else if (auto *Bulk = dyn_cast<MemIntrinsic>(&I); Bulk && !Bulk->isVolatile())
    P = Bulk->getRawDest();
  return P && Into.contains(P) && !Mixed.contains(P) ? P : nullptr;
}

void Liveness::markRead(const Value *P) {
  for (const Instruction *Object : Into.lookup(P))
    if (Read.insert(Object).second)
      for (Instruction *Write : WritesTo.lookup(Object))
        markLive(Write);
}

/// Whether nobody may access what \p V leads to: it is the start of an empty
/// vector, say, or its end.
static bool leadsNowhere(const Value *V, const Function &F) {
  return isa<UndefValue>(V) ||
         (isa<ConstantPointerNull>(getUnderlyingObject(V)) &&
          !NullPointerIsDefined(&F, V->getType()->getPointerAddressSpace()));
}

Liveness::Liveness(Function &F, const TargetLibraryInfo &TLI) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (isa<AllocaInst>(I) || (Call && takesOfHeap(*Call, TLI)))
      findObject(I, TLI);
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    auto LeadsElsewhere = [&](const Value *V) {
      return Mixed.contains(V) || !(Into.contains(V) || leadsNowhere(V, F));
    };
    for (const auto &[P, Objects] : Into) {
      bool IsMixed = false;
      if (auto *Phi = dyn_cast<PHINode>(P))
        IsMixed = any_of(Phi->incoming_values(), LeadsElsewhere);
      else if (auto *Choice = dyn_cast<SelectInst>(P))
        IsMixed = LeadsElsewhere(Choice->getTrueValue()) ||
                  LeadsElsewhere(Choice->getFalseValue());
      else if (isa<GetElementPtrInst, FreezeInst>(P))
        IsMixed = LeadsElsewhere(cast<Instruction>(P)->getOperand(0));
      Changed |= IsMixed && Mixed.insert(P).second;
    }
  }
  for (Instruction &I : instructions(F))
    if (const Value *P = localTarget(I))
      for (const Instruction *Object : Into.lookup(P))
        WritesTo[Object].push_back(&I);
  for (Instruction &I : instructions(F))
    if (!localTarget(I) && (I.mayHaveSideEffects() || I.isTerminator() ||
                            I.isEHPad() || isa<AllocaInst>(I)))
      markLive(&I); // With the sizes of variable arrays.
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    for (Value *Op : I->operands())
      if (auto *V = dyn_cast<Instruction>(Op))
        markLive(V);
    if (const Value *P = getLoadStorePointerOperand(I); P && isa<LoadInst>(I))
      markRead(P);
    else if (auto *Copy = dyn_cast<MemTransferInst>(I))
      markRead(Copy->getRawSource());
  }
}

/// The elements of the numbers that \p F returns which no caller takes.
static SmallBitVector unusedResults(const Function &F) {
  auto *T = dyn_cast<StructType>(F.getReturnType());
  if (!T || !F.hasLocalLinkage() || !all_of(T->elements(), holdsReal))
    return {};
  SmallBitVector Unused(T->getNumElements(), true);
  for (const Use &U : F.uses()) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U))
      return {};
    for (const User *By : Call->users()) {
      auto *Element = dyn_cast<ExtractValueInst>(By);
      if (!Element)
        return {};
      Unused.reset(Element->getIndices()[0]);
    }
  }
  return Unused;
}

/// Returns zero for \p Unused elements. Whether that is new.
static bool returnZero(Function &F, const SmallBitVector &Unused) {
  bool Changed = false;
  for (BasicBlock &Block : F) {
    auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
    if (!Return)
      continue;
    auto IsZero = [&](unsigned K) {
      auto *C = dyn_cast_or_null<Constant>(
          FindInsertedValue(Return->getReturnValue(), K));
      return C && C->isNullValue();
    };
    if (all_of(Unused.set_bits(), IsZero))
      continue;
    Changed = true;
    IRBuilder<> B(Return);
    Value *Result = Constant::getNullValue(F.getReturnType());
    for (unsigned K = 0; K != Unused.size(); ++K) {
      if (Unused[K])
        continue;
      Value *Element = FindInsertedValue(Return->getReturnValue(), K);
      if (!Element)
        Element = B.CreateExtractValue(Return->getReturnValue(), K);
      Result = B.CreateInsertValue(Result, Element, K);
    }
    Return->setOperand(0, Result);
  }
  return Changed;
}

bool verso::deleteDeadMemory(Function &F, const TargetLibraryInfo &TLI) {
  Liveness L(F, TLI);
  SmallVector<Instruction *, 32> Dead;
  for (Instruction &I : instructions(F))
    if (!L.isLive(I))
      Dead.push_back(&I);
  for (Instruction *I : Dead)
    I->dropAllReferences();
  for (Instruction *I : Dead)
    I->eraseFromParent();
  return !Dead.empty();
}

void verso::dropUnusedResults(ArrayRef<Function *> Functions,
                              FunctionAnalysisManager &FAM) {
  // What a function hands on, its caller may not take.
  for (bool Again = true; Again;) {
    Again = false;
    for (Function *F : Functions) {
      SmallBitVector Unused = unusedResults(*F);
      if (Unused.none() || !returnZero(*F, Unused))
        continue;
      deleteDeadMemory(*F, FAM.getResult<TargetLibraryAnalysis>(*F));
      FAM.invalidate(*F, PreservedAnalyses::none());
      Again = true;
    }
  }
}
