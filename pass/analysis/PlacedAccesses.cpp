//===- PlacedAccesses.cpp - what is accessed behind a pointer -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/PlacedAccesses.h"
#include "LLVMCompat.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <optional>
#include <tuple>

using namespace llvm;
using namespace verso;

static constexpr int64_t Nowhere = INT64_MIN, Endless = INT64_MAX;

namespace {

/// How far a pointer is from the one in question: an interval.
struct Distance {
  int64_t Least = 0, Most = 0, Fixed = 0;
  bool operator==(const Distance &) const = default;
};

int64_t plus(int64_t A, int64_t B) {
  return A == Nowhere || A == Endless ? A : A + B;
}

class Walk {
public:
  Walk(const DataLayout &DL,
       function_ref<bool(const Instruction &)> IsOfInterest)
      : DL(DL), IsOfInterest(IsOfInterest) {}

  PlacedAccesses follow(const Value *P) {
    reach(P, {});
    while (!Work.empty() && Known.size() <= MaxPointers) {
      const Value *Next = Work.pop_back_val();
      const Distance From = Known.lookup(Next).first;
      for (const Use &U : Next->uses())
        use(U, From);
    }
    if (!Work.empty())
      somewhere();
    llvm::sort(Result.Places, [](const PlacedAccess &A, const PlacedAccess &B) {
      return std::tie(A.Begin, A.End, A.Fixed, A.IsNumber) <
             std::tie(B.Begin, B.End, B.Fixed, B.IsNumber);
    });
    return std::move(Result);
  }

private:
  static constexpr unsigned MaxPointers = 256;

  /// Nobody knows what is done with the pointer. For those of variables, which
  /// are compared where they lead, only some of that counts.
  void somewhere(bool MayBeNumber = true) {
    Result.AreAll = false;
    Result.AnyNumber |= MayBeNumber;
  }

  void access(uint64_t Bytes, Distance At, bool IsNumber) {
    Result.AnyNumber |= IsNumber;
    const PlacedAccess New = {At.Least, plus(At.Most, int64_t(Bytes)), At.Fixed,
                              IsNumber};
    if (none_of(Result.Places, [&](const PlacedAccess &Old) {
          return Old.Begin == New.Begin && Old.End == New.End &&
                 Old.Fixed == New.Fixed && Old.IsNumber == New.IsNumber;
        }))
      Result.Places.push_back(New);
  }

  void access(Type *T, Distance At) {
    access(DL.getTypeStoreSize(T).getKnownMinValue(), At, holdsReal(T));
  }

  /// A pointer that comes from several places is somewhere between these. One
  /// that a loop moves on goes on without an end.
  void reach(const Value *P, Distance At) {
    constexpr unsigned MaxChanges = 4;
    auto [It, IsNew] = Known.try_emplace(P, At, 0);
    if (!IsNew) {
      auto &[Old, Changes] = It->second;
      Distance Both = {std::min(Old.Least, At.Least),
                       std::max(Old.Most, At.Most), Old.Fixed};
      if (Both == Old)
        return;
      if (++Changes > MaxChanges) {
        if (Both.Least != Old.Least)
          Both.Least = Nowhere;
        if (Both.Most != Old.Most)
          Both.Most = Endless;
      }
      Old = Both;
    }
    Work.push_back(P);
  }

  void use(const Use &U, Distance At) {
    const User *By = U.getUser();
    auto *I = dyn_cast<Instruction>(By);
    if (I && !IsOfInterest(*I))
      return;
    if (auto *Step = dyn_cast<GEPOperator>(By))
      return step(*Step, At);
    if (isa<PHINode, SelectInst, FreezeInst, BitCastOperator>(By))
      return reach(By, At);
    if (!I)
      return hold(*By);
    if (auto *Load = dyn_cast<LoadInst>(I))
      return access(Load->getType(), At);
    if (auto *Store = dyn_cast<StoreInst>(I)) {
      if (U.getOperandNo() == Store->getPointerOperandIndex())
        return access(Store->getValueOperand()->getType(), At);
      return keep(*Store->getPointerOperand(), At);
    }
    if (auto *Update = dyn_cast<AtomicRMWInst>(I);
        Update && U.getOperandNo() == AtomicRMWInst::getPointerOperandIndex())
      return access(Update->getType(), At);
    if (auto *Change = dyn_cast<AtomicCmpXchgInst>(I);
        Change &&
        U.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex())
      return access(Change->getCompareOperand()->getType(), At);
    if (isa<ICmpInst>(I))
      return;
    if (auto *Return = dyn_cast<ReturnInst>(I))
      return giveBack(*Return->getFunction(), At);
    if (auto *Call = dyn_cast<CallBase>(I))
      return pass(*Call, U, At);
    somewhere(/*MayBeNumber=*/false);
  }

  /// Constants that hold the address are what the program reads it from. From
  /// variables it is one that they held before (EarlierPointers.h).
  void hold(const User &By) {
    SmallVector<const User *, 8> Holders{&By};
    SmallPtrSet<const User *, 8> Seen;
    while (!Holders.empty()) {
      const User *U = Holders.pop_back_val();
      if (!Seen.insert(U).second)
        continue;
      if (auto *I = dyn_cast<Instruction>(U)) {
        if (IsOfInterest(*I))
          somewhere(/*MayBeNumber=*/false);
      } else if (auto *G = dyn_cast<GlobalVariable>(U); !G || G->isConstant()) {
        append_range(Holders, U->users());
      }
    }
  }

  /// Unoptimised code keeps pointers in local variables.
  void keep(const Value &Slot, Distance At) {
    if (!isa<AllocaInst>(Slot))
      return somewhere(/*MayBeNumber=*/false);
    for (const Use &OfSlot : Slot.uses()) {
      const User *By = OfSlot.getUser();
      if (isa<LoadInst>(By) && By->getType()->isPointerTy()) {
        reach(By, At);
      } else if (auto *Store = dyn_cast<StoreInst>(By);
                 Store &&
                 OfSlot.getOperandNo() == StoreInst::getPointerOperandIndex()) {
      } else if (auto *II = dyn_cast<IntrinsicInst>(By);
                 !II || !isInactiveIntrinsic(II->getIntrinsicID())) {
        somewhere(/*MayBeNumber=*/false);
      }
    }
  }

  void giveBack(const Function &F, Distance At) {
    Result.AnyNumber = true;
    for (const Use &OfF : F.uses()) {
      auto *Call = dyn_cast<CallBase>(OfF.getUser());
      if (!Call || !Call->isCallee(&OfF))
        somewhere();
      else if (IsOfInterest(*Call))
        reach(Call, At);
    }
  }

  void step(const GEPOperator &Step, Distance At) {
    compat::VariableOffsets Indices;
    APInt Fixed(DL.getIndexTypeSizeInBits(Step.getType()), 0);
    if (Step.getType()->isVectorTy() ||
        !Step.collectOffset(DL, Fixed.getBitWidth(), Indices, Fixed))
      return somewhere();
    const int64_t By = Fixed.getSExtValue();
    Distance Next = {plus(At.Least, By), plus(At.Most, By), At.Fixed + By};
    if (!Indices.empty()) {
      if (std::optional<uint64_t> Room = roomOfIndices(Step)) {
        Next.Most = plus(Next.Most, int64_t(*Room));
      } else {
        Next.Most = Endless;
        if (!Step.hasNoUnsignedWrap() && !all_of(Indices, [&](const auto &I) {
              return I.second.isNonNegative() &&
                     isKnownNonNegative(I.first, SimplifyQuery(DL));
            }))
          Next.Least = Nowhere;
      }
    }
    reach(&Step, Next);
  }

  /// How far indices move on if all are of arrays that the step's type has as
  /// members: none goes out of them. Arrays of one element may go on.
  std::optional<uint64_t> roomOfIndices(const GEPOperator &Step) const {
    uint64_t Room = 0;
    Type *T = nullptr;
    for (const Use &Index : Step.indices()) {
      auto *Known = dyn_cast<ConstantInt>(Index);
      auto *Array = dyn_cast_or_null<ArrayType>(T);
      if (!Known) {
        if (!Array || Array->getNumElements() <= 1)
          return std::nullopt;
        Room += (Array->getNumElements() - 1) *
                DL.getTypeAllocSize(Array->getElementType());
      }
      if (!T)
        T = Step.getSourceElementType();
      else if (auto *S = dyn_cast<StructType>(T))
        T = S->getElementType(Known->getZExtValue());
      else
        T = T->getContainedType(0);
    }
    return Room;
  }

  void pass(const CallBase &Call, const Use &U, Distance At) {
    if (isInert(Call))
      return;
    if (auto *II = dyn_cast<IntrinsicInst>(&Call)) {
      if (II->getIntrinsicID() == Intrinsic::threadlocal_address)
        return reach(&Call, At);
      if (isInactiveIntrinsic(II->getIntrinsicID())) // Or it hands it on.
        return Call.getType()->isPointerTy() ? reach(&Call, At) : void();
    }
    const Function *Callee = Call.getCalledFunction();
    if (!Callee || !Call.isArgOperand(&U))
      return somewhere(/*MayBeNumber=*/Call.isArgOperand(&U) &&
                       !Call.isInlineAsm());
    if (isMarkedInactive(*Callee))
      return;
    if (std::optional<KnownCall> K = classifyCall(*Callee)) {
      if (K->K == KnownCall::Inactive)
        return;
      if (K->K != KnownCall::Copy && K->K != KnownCall::Sort &&
          K->K != KnownCall::Set)
        return somewhere(/*MayBeNumber=*/false);
      auto *Size = K->Size == KnownCall::None || K->Count != KnownCall::None
                       ? nullptr
                       : dyn_cast<ConstantInt>(Call.getArgOperand(K->Size));
      if (!Size)
        At.Most = Endless;
      return access(Size ? Size->getZExtValue() : 0, At, /*IsNumber=*/true);
    }
    // A rule's; or a twin that is not built yet: what it does nobody knows.
    if (Callee->isDeclaration())
      return somewhere(/*MayBeNumber=*/isGenerated(*Callee));
    const unsigned N = Call.getArgOperandNo(&U);
    if (N >= Callee->arg_size())
      return somewhere();
    if (Callee->getArg(N)->hasPassPointeeByValueCopyAttr())
      return access(Callee->getArg(N)->getPassPointeeByValueCopySize(DL), At,
                    /*IsNumber=*/true);
    reach(Callee->getArg(N), At);
  }

  const DataLayout &DL;
  function_ref<bool(const Instruction &)> IsOfInterest;
  /// How often that changed, too.
  DenseMap<const Value *, std::pair<Distance, unsigned>> Known;
  SmallVector<const Value *, 16> Work;
  PlacedAccesses Result;
};

} // namespace

PlacedAccesses
verso::accessesBehind(const Value *P, const DataLayout &DL,
                      function_ref<bool(const Instruction &)> IsOfInterest) {
  return Walk(DL, IsOfInterest).follow(P);
}
