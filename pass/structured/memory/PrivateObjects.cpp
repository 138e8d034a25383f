//===- PrivateObjects.cpp - memory that nobody outside leads to -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"
#include "structured/memory/Objects.h"
#include "structured/parts/Parts.h"
#include "structured/recursion/Members.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// The objects that code may lead to which is not in sight: what was stored
/// where it looks, or handed to it. Functions of the libraries do not keep what
/// they are given.
const BitVector &Objects::knownOutside() const {
  if (KnownOutside)
    return *KnownOutside;
  KnownOutside.emplace(size());
  SmallVector<unsigned, 8> Work;
  auto Add = [&](const Place &P) {
    if (!KnownOutside->test(P.Object)) {
      KnownOutside->set(P.Object);
      Work.push_back(P.Object);
    }
  };
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(I) || isInert(I) || callsMember(*Call) ||
        isPartCall(*Call) || isRelease(*Call))
      continue;
    CallModel M = modelCall(*Call, TLI);
    if (M.Known || M.K == CallModel::Operation || M.K == CallModel::Indirect)
      continue;
    for (const Use &A : Call->args())
      if (A->getType()->isPointerTy() &&
          !Call->doesNotCapture(Call->getArgOperandNo(&A)))
        for_each(placesOf(A), Add);
  }
  for (unsigned K = 0; K != size(); ++K)
    if (All[K].isExternal())
      Work.push_back(K);
  while (!Work.empty())
    for (const Object::Content &C : All[Work.pop_back_val()].Contents)
      Add(C.Target);
  return *KnownOutside;
}

bool Objects::isPrivate(const Value *Pointer) const {
  Places Ps = placesOf(Pointer);
  return !Ps.empty() && all_of(Ps, [&](const Place &P) {
    return All[P.Object].isLocal() && !knownOutside().test(P.Object);
  });
}

bool Objects::readsNothing(const LoadInst &Load) const {
  const Value *From = Load.getPointerOperand();
  if (!Load.getType()->isPointerTy() || !placesOf(&Load).empty() ||
      !isPrivate(From))
    return false;
  // One of another type, say.
  for (const Place &P : placesOf(From))
    for (const Object::Content &C : All[P.Object].Contents)
      if (C.Cell.overlaps(DL.getPointerSize(), P.At, DL.getPointerSize()))
        return false;
  auto Overlaps = [&](const Value *To, Type *T) {
    return mayOverlap(From, DL.getPointerSize(), To, DL.getTypeStoreSize(T));
  };
  auto IsHanded = [&](const CallBase &Call) {
    return any_of(Call.args(), [&](const Use &A) {
      return A->getType()->isPointerTy() &&
             !Call.onlyReadsMemory(Call.getArgOperandNo(&A)) &&
             any_of(placesOf(A), [&](const Place &To) {
               return any_of(placesOf(From), [&](const Place &P) {
                 return P.Object == To.Object;
               });
             });
    });
  };
  // A number may be the bits of a pointer.
  for (const Instruction &I : instructions(F)) {
    // A constructor of a library's class stores a table.
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && !isa<IntrinsicInst>(I) && !isRelease(*Call) && IsHanded(*Call))
      return false;
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      const Value *V = Store->getValueOperand();
      Type *T = V->getType();
      bool IsKnown = T->isPointerTy() || isIntegerForCertain(I) ||
                     (isa<Constant>(V) && T->isIntegerTy());
      if (!IsKnown && Overlaps(Store->getPointerOperand(), T))
        return false;
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I) &&
               Overlaps(I.getOperand(0), I.getOperand(1)->getType())) {
      return false;
    }
  }
  return true;
}

/// A load through a pointer that leads nowhere is never made, so what it gives
/// leads nowhere either, also where a loop makes the pointer of what it loaded
/// before: the first of these loads would have been through one that does not.
bool Objects::leadsNowhere(const Value *Pointer) const {
  SmallSetVector<const Value *, 8> Pointers;
  Pointers.insert(Pointer);
  for (unsigned K = 0; K != Pointers.size(); ++K) {
    if (!placesOf(Pointers[K]).empty())
      return false;
    SmallVector<const Value *, 4> Roots;
    getUnderlyingObjects(Pointers[K], Roots, nullptr, /*MaxLookup=*/0);
    for (const Value *Root : Roots) {
      auto *Load = dyn_cast<LoadInst>(Root);
      if (isNowhere(Root) || (Load && readsNothing(*Load)))
        continue;
      if (!Load || !placesOf(Load->getPointerOperand()).empty())
        return false;
      Pointers.insert(Load->getPointerOperand());
    }
  }
  return true;
}
