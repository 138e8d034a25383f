//===- VariedOrigins.cpp - pointers of which too little is known ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMCompat.h"
#include "structured/memory/OddIndices.h"
#include "structured/memory/Varied.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// Whether two accesses, at any time, may meet.
static bool mayMeet(BatchAAResults &AA, const Value *P, const Instruction &I,
                    const Value *Q, const Instruction &J) {
  auto TypeOf = [](const Instruction &I) {
    AAMDNodes Tags = I.getAAMetadata();
    // What `restrict` says may hold for one iteration only.
    Tags.Scope = Tags.NoAlias = nullptr;
    return isa<CallBase>(I) ? AAMDNodes() : Tags;
  };
  return !compat::isNoAlias(AA, MemoryLocation::getBeforeOrAfter(P, TypeOf(I)),
                            MemoryLocation::getBeforeOrAfter(Q, TypeOf(J)));
}

/// Whether an object of unknown origin may be memory that varies from the
/// start, in disguise: an integer, or what a function made of a pointer.
bool VariedMemory::mayBeVaried(const Object &Unknown) const {
  const Value *Base = Unknown.Base;
  if (auto *Part = dyn_cast_or_null<ExtractValueInst>(Base))
    Base = Part->getAggregateOperand();
  if (auto *Call = dyn_cast_or_null<CallBase>(Base))
    return any_of(Call->args(), [&](const Use &U) {
      return U->getType()->isPointerTy() && anyVaried(U);
    });
  // Behind pointers of globals and of libraries.
  return !isa_and_nonnull<LoadInst, LandingPadInst, Constant>(Base);
}

/// Numbers that are read by pointers of unknown origin are constants, unless
/// numbers that vary may have been stored there.
void VariedMemory::checkUnknown() {
  BatchAAResults AA(FAM.getResult<AAManager>(F));
  AA.enableCrossIterationMode();
  SmallVector<std::pair<const Value *, const Instruction *>, 16> Writes;
  // Nothing that comes from outside leads to memory that nobody outside knows.
  auto AddWrite = [&](const Value *To, const Instruction *I) {
    if (!O.isPrivate(To))
      Writes.push_back({To, I});
  };
  for (const Access &A : Accesses)
    if (auto *Store = dyn_cast<StoreInst>(A.I);
        Store && Varied.contains(Store->getValueOperand()))
      AddWrite(A.Pointer, A.I);
  for (const auto &[Call, B] : Bulk)
    if (B.From && anyVaried(B.From))
      AddWrite(B.To, B.Call);
  for (const Access &A : Accesses)
    if (isa<LoadInst>(A.I) && A.T->isFloatingPointTy() && !Refused &&
        any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
          return O[Q.Object].K == Object::Unknown;
        })) {
      if (any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
            return O[Q.Object].K == Object::Unknown && mayBeVaried(O[Q.Object]);
          }))
        return Refused.add("a number is loaded from where nobody knows", A.I);
      for (auto [P, I] : Writes)
        if (mayMeet(AA, A.Pointer, *A.I, P, *I))
          return Refused.add("a number is loaded from where nobody knows", A.I);
    }
}

/// The shadow of a pointer is found beside it; where there is no shadow, one
/// that the function has stored there itself would be lost.
void VariedMemory::checkKept() {
  const uint64_t Size = DL.getPointerSize();
  auto HasNoShadow = [&](const Place &Q) {
    return O[Q.Object].K == Object::Constant ||
           O[Q.Object].K == Object::Unknown;
  };
  // Arguments that do not vary may lead to the same memory.
  auto MayHold = [&](const Place &Q) {
    for (unsigned K = 0; K != O.size(); ++K)
      if (K == Q.Object || (isBehindConstant(Q) && isBehindConstant({K, {}})))
        for (const Object::Content &C : O[K].Contents)
          if (ObjectShadowed.test(C.Target.Object) &&
              (K != Q.Object || C.Cell.overlaps(Size, Q.At, Size)))
            return true;
    return false;
  };
  for (const Access &A : Accesses)
    if (isa<LoadInst>(A.I) && A.T->isPointerTy() && isShadowed(A.I) &&
        !isMapped(A.I) && any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
          return HasNoShadow(Q) && MayHold(Q);
        }))
      Refused.add("a pointer is kept in memory that does not vary", A.I);
}

/// The rules of functions with two results are of their elements.
void VariedMemory::checkPairs() {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Operation::isTwoResultCall(*Call, TLI) &&
        any_of(Call->users(), [&](const User *U) {
          return !isa<ExtractValueInst>(U) && isActive(U);
        }))
      Refused.add("a function with two results is used as a whole", Call);
  }
}

/// Pointers whose shadow, or whose memory, cannot be told.
void VariedMemory::checkPointers() {
  const OddIndices Odd(F, O);
  for (Instruction &I : instructions(F)) {
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && O.readsInteger(*Load)) {
      if (isShadowed(Load) || any_of(O.placesOf(Load), [&](const Place &Q) {
            return O[Q.Object].K == Object::Unknown;
          }))
        Refused.add("a pointer was stored as an integer", Load);
    } else if (isa<IntToPtrInst>(I) && any_of(I.users(), [](const User *U) {
                 return !isa<ICmpInst>(U);
               })) {
      Refused.add("a pointer is made of an integer", &I);
    } else if (auto *GEP = dyn_cast<GetElementPtrInst>(&I);
               GEP && Odd.isIn(*GEP)) {
      Refused.add("a pointer is made of integers that hold addresses", &I);
    }
  }
  for (const Access &A : Accesses)
    if (O.placesOf(A.Pointer).empty() && !O.leadsNowhere(A.Pointer))
      Refused.add("a pointer is read from where none was stored", A.I);
}

bool VariedMemory::mayBeForeign(const BinaryOperator &Distance) const {
  auto PlacesOf = [&](unsigned K) {
    return O.placesOf(
        cast<PtrToIntOperator>(Distance.getOperand(K))->getPointerOperand());
  };
  // Of one object; what is loaded from one place may be many.
  std::optional<unsigned> Only;
  for (unsigned K : {0, 1})
    for (const Place &Q : PlacesOf(K)) {
      if (O[Q.Object].K == Object::Loaded || (Only && *Only != Q.Object))
        return true;
      Only = Q.Object;
    }
  return false;
}

/// Whether all of the module comes to \p V only by accesses that name it.
static bool isOnlyNamed(const Value &V) {
  return all_of(V.uses(), [&](const Use &U) {
    const User *By = U.getUser();
    if (isa<LoadInst>(By))
      return true;
    if (auto *Store = dyn_cast<StoreInst>(By))
      return Store->getPointerOperand() == &V;
    if (auto *II = dyn_cast<IntrinsicInst>(By)) {
      if (II->getIntrinsicID() == Intrinsic::threadlocal_address)
        return isOnlyNamed(*II);
      return isa<MemIntrinsic>(II) || II->isLifetimeStartOrEnd();
    }
    return isa<GEPOperator>(By) && isOnlyNamed(*By);
  });
}

/// Pairs of a global that is accessed by its name and a pointer of unknown
/// origin that may lead to it, where one of them varies.
void VariedMemory::checkGlobals() {
  BatchAAResults AA(FAM.getResult<AAManager>(F));
  AA.enableCrossIterationMode();
  auto Add = [&](GlobalVariable *G, const Value *P) {
    SmallVector<const Value *, 4> Bases;
    getUnderlyingObjects(P, Bases, nullptr, /*MaxLookup=*/0);
    for (const Value *Base : Bases)
      if (isa<Argument, LoadInst, CallBase>(Base))
        Strangers.insert({G, const_cast<Value *>(Base)});
  };
  for (unsigned K = 0; K != O.size() && !Refused; ++K) {
    if (O[K].K != Object::Global)
      continue;
    auto *G = cast<GlobalVariable>(O[K].Base);
    if (G->hasLocalLinkage() && isOnlyNamed(*G))
      continue;
    const Instruction *Named = nullptr;
    for (const Access &A : Accesses)
      if (A.T && A.T->isFloatingPointTy() &&
          any_of(O.placesOf(A.Pointer),
                 [&](const Place &Q) { return Q.Object == K; }))
        Named = A.I;
    if (!Named && !ObjectVaried.test(K))
      continue;
    for (const Access &A : Accesses) {
      if (!A.T || !A.T->isFloatingPointTy())
        continue;
      auto *Store = dyn_cast<StoreInst>(A.I);
      if (!ObjectVaried.test(K) &&
          !(Store && Varied.contains(Store->getValueOperand())))
        continue;
      bool MayLead = any_of(O.placesOf(A.Pointer), [&](const Place &Q) {
        Object::Kind Kind = O[Q.Object].K;
        return Kind == Object::Dup || Kind == Object::Loaded ||
               Kind == Object::Constant || Kind == Object::Unknown;
      });
      if (MayLead &&
          !compat::isNoAlias(AA, MemoryLocation::getBeforeOrAfter(G),
                             MemoryLocation::getBeforeOrAfter(A.Pointer)))
        Add(G, A.Pointer);
    }
    for (const auto &[Call, B] : Bulk)
      if (ObjectVaried.test(K) || (B.From && anyVaried(B.From)))
        for (Value *P : {B.To, B.From})
          if (P && any_of(O.placesOf(P), [&](const Place &Q) {
                return !O[Q.Object].hasSibling() &&
                       O[Q.Object].K != Object::Table;
              }))
            Add(G, P);
  }
}
