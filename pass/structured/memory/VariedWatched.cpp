//===- VariedWatched.cpp - memory whose adjoints are at a distance --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the version for threads that watch memory has to know (WatchedMemory.h).
//
//===----------------------------------------------------------------------===//

#include "analysis/CallModel.h"
#include "rules/Staged.h"
#include "structured/memory/Varied.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

bool VariedMemory::mayBeAtDistance(const Value *P) const {
  return any_of(O.placesOf(P), [&](const Place &Q) {
    return ObjectAtDistance.test(Q.Object);
  });
}

bool VariedMemory::mayShareCells(const Value *P) const {
  return any_of(O.placesOf(P), [&](const Place &Q) {
    return O[Q.Object].isLocal() && ObjectAtDistance.test(Q.Object);
  });
}

/// A block of the function that old memory leads to, or a pointer that may also
/// lead to such, is known by its address alone.
void VariedMemory::findAtDistance() {
  for (unsigned K = 0; K != O.size(); ++K)
    if (O[K].K == Object::Dup || O[K].K == Object::Loaded)
      ObjectAtDistance.set(K);
  bool Changed = true;
  auto Add = [&](unsigned K) {
    auto *Call = O[K].K == Object::Heap ? dyn_cast_or_null<CallBase>(O[K].Base)
                                        : nullptr;
    CallModel M = Call ? modelCall(*Call, TLI) : CallModel{CallModel::Inactive};
    // What is zero from the start would hand on what was left there.
    if (ObjectAtDistance.test(K) || !M.Known ||
        M.Known->K != KnownCall::Allocate)
      return;
    ObjectAtDistance.set(K);
    Changed = true;
  };
  while (Changed) {
    Changed = false;
    for (unsigned K = 0; K != O.size(); ++K)
      if (ObjectAtDistance.test(K))
        for (const Object::Content &C : O[K].Contents)
          Add(C.Target.Object);
    for (const Instruction &I : instructions(F))
      if (I.getType()->isPointerTy() && mayBeAtDistance(&I))
        for (const Place &Q : O.placesOf(&I))
          Add(Q.Object);
  }
}

/// All that numbers are read from is watched, or made by the function; pointers
/// to the latter are not left where others are read.
void VariedMemory::checkWatched() {
  auto IsOther = [&](const Value *P) {
    return O.leadsBehindTable(P) || any_of(O.placesOf(P), [&](const Place &Q) {
             const Object &To = O[Q.Object];
             return To.K == Object::Constant || To.K == Object::Global ||
                    To.K == Object::Unknown;
           });
  };
  for (const Access &A : Accesses)
    if (A.T && A.T->isFloatingPointTy() && IsOther(A.Pointer))
      Refused.add("memory that may be watched is come to in an unknown way",
                  A.I);
  // A direct one has blocks of its own.
  auto IsUnclear = [&](const CallBase &Call, const BulkAccess &B) {
    return isStaged(Call) && !(isDirect(Call) && !mayBeAtDistance(B.To) &&
                               !mayBeAtDistance(B.From));
  };
  for (const auto &[Call, B] : Bulk)
    if (IsUnclear(*Call, B) || B.IsUntyped || IsOther(B.To) ||
        (B.From && IsOther(B.From)))
      Refused.add("memory that may be watched is copied in an unknown way",
                  Call);
  for (unsigned K = 0; K != O.size(); ++K)
    if (ObjectAtDistance.test(K))
      for (const Object::Content &C : O[K].Contents)
        if (ObjectShadowed.test(C.Target.Object) &&
            !ObjectAtDistance.test(C.Target.Object))
          return Refused.add("a pointer to numbers that the function made is "
                             "stored in memory that may be watched");
}
