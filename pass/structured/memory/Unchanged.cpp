//===- Unchanged.cpp - what may be loaded again in the verso --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/Unchanged.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"
#include "structured/memory/SwappedPointers.h"
#include "structured/memory/WrittenRanges.h"
#include "structured/recursion/Recursion.h"

#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// The program's arrays of variable length come from there.
static bool isArrayOfArena(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && calls(*Call, RuntimeFunction::ArenaTake);
}

/// Whether I writes nothing but the library's own variables (errno, signgam): a
/// mathematical function.
static bool computesValue(const Instruction &I, const TargetLibraryInfo *TLI) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && modelCall(*Call, TLI).K == CallModel::Operation &&
         none_of(Call->args(),
                 [](const Use &U) { return U->getType()->isPointerTy(); });
}

Unchanged::Unchanged(Function &F, AAResults &AliasAnalysis, const LoopInfo &LI,
                     ScalarEvolution &SE, const Objects &O,
                     const TargetLibraryInfo *TLI,
                     std::function<bool(const Instruction &)> IsOurs)
    : AA(AliasAnalysis), LI(LI),
      Later(LI, SE,
            [this](const MDNode &Scope) { return Declared.lookup(&Scope); }),
      O(O), TLI(TLI) {
  // Two executions of a load and a write are compared, not one.
  AA.enableCrossIterationMode();
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (I.mayWriteToMemory() && computesValue(I, TLI))
      FunctionsOfValues.insert(&I);
    if (I.mayWriteToMemory() && !IsOurs(I) && !isa<NoAliasScopeDeclInst>(I) &&
        !isArrayOfArena(I) && !(Call && isFrame(*Call)))
      Writes.push_back(&I);
    if (auto *Scope = dyn_cast<NoAliasScopeDeclInst>(&I))
      for (const MDOperand &Op : Scope->getScopeList()->operands()) {
        auto [It, IsNew] = Declared.insert({cast<MDNode>(Op), I.getParent()});
        if (!IsNew)
          It->second = nullptr;
      }
  }
  findReachable(F);
}

void Unchanged::findReachable(Function &F) {
  constexpr size_t MaxBlocks = 3000;
  if (F.size() > MaxBlocks)
    return;
  std::vector<BasicBlock *> Blocks;
  for (BasicBlock &B : F) {
    Number[&B] = Blocks.size();
    Blocks.push_back(&B);
  }
  After.assign(Blocks.size(), BitVector(Blocks.size()));
  for (unsigned K = 0; K != Blocks.size(); ++K) {
    SmallVector<BasicBlock *, 16> Work(successors(Blocks[K]));
    while (!Work.empty()) {
      BasicBlock *B = Work.pop_back_val();
      unsigned N = Number[B];
      if (After[K].test(N))
        continue;
      After[K].set(N);
      append_range(Work, successors(B));
    }
  }
}

bool Unchanged::mayFollow(const Instruction &Write,
                          const Instruction &Access) const {
  if (After.empty())
    return true;
  if (Write.getParent() == Access.getParent() && Access.comesBefore(&Write))
    return true;
  return After[Number.lookup(Access.getParent())].test(
      Number.lookup(Write.getParent()));
}

/// What types say is left out: it is true of a moment, and memory of a pool
/// holds numbers now and something else before the verso reads it again. So is
/// a scope that is declared in a loop; it says nothing across the iterations,
/// only while a loop Within that one is run (ApartNests.h). LLVM drops
/// declarations of scopes that tell nothing. To be apart from fewer scopes is
/// always true, to be in fewer is not.
AAMDNodes Unchanged::tagsOf(const Instruction &I, const Loop *Within) const {
  AAMDNodes Tags = I.getAAMetadata();
  Tags.TBAA = Tags.TBAAStruct = nullptr;
  auto IsKnown = [&](const MDOperand &Op) {
    const BasicBlock *At = Declared.lookup(cast<MDNode>(Op));
    const Loop *Around = At ? LI.getLoopFor(At) : nullptr;
    return At &&
           (!Around || (Within && Around != Within &&
                        Around->contains(Within) && !Within->contains(At)));
  };
  if (Tags.Scope && !all_of(Tags.Scope->operands(), IsKnown))
    Tags.Scope = nullptr;
  if (Tags.NoAlias && !all_of(Tags.NoAlias->operands(), IsKnown)) {
    SmallVector<Metadata *, 8> Known;
    for (const MDOperand &Op : Tags.NoAlias->operands())
      if (IsKnown(Op))
        Known.push_back(Op);
    Tags.NoAlias = MDNode::get(I.getContext(), Known);
  }
  return Tags;
}

/// Whether \p Access may be one of a variable of the library, an int. The
/// caller is not expected to hand over the address of one.
bool Unchanged::mayBeOfLibrary(const Instruction &Access) const {
  Type *T = compat::loadStoreType(Access);
  return T->isIntegerTy() && T->getIntegerBitWidth() <= 32 &&
         any_of(O.placesOf(getLoadStorePointerOperand(&Access)),
                [&](const Place &P) {
                  const Object &Of = O[P.Object];
                  auto *G = dyn_cast_or_null<GlobalVariable>(Of.Base);
                  return Of.K == Object::Unknown || (G && G->isDeclaration());
                });
}

/// As far as alias analysis knows.
bool Unchanged::mayMeet(Instruction &Write, const Instruction &Access,
                        const Loop *Within) {
  if (FunctionsOfValues.contains(&Write) && !mayBeOfLibrary(Access))
    return false;
  const Value *Pointer = getLoadStorePointerOperand(&Access);
  const DataLayout &DL = Access.getDataLayout();
  const uint64_t Size = DL.getTypeStoreSize(compat::loadStoreType(Access));
  MemoryLocation Loaded =
      MemoryLocation::getBeforeOrAfter(Pointer, tagsOf(Access, Within));
  const bool Sound = compat::isSoundAcrossIterations(Loaded.Ptr);
  auto MayMeet = [&](const Value *Target) {
    return !Sound || AA.alias(Loaded, MemoryLocation::getBeforeOrAfter(
                                          Target, tagsOf(Write, Within))) !=
                         AliasResult::NoAlias;
  };
  if (auto *Store = dyn_cast<StoreInst>(&Write)) {
    if (!O.mayOverlap(Pointer, Size, Store->getPointerOperand(),
                      DL.getTypeStoreSize(Store->getValueOperand()->getType())))
      return false;
    return MayMeet(Store->getPointerOperand());
  }
  if (auto *Bulk = dyn_cast<AnyMemIntrinsic>(&Write)) {
    auto *Bytes = dyn_cast<ConstantInt>(Bulk->getLength());
    if (!O.mayOverlap(Pointer, Size, Bulk->getRawDest(),
                      Bytes ? Bytes->getZExtValue() : uint64_t(1) << 40))
      return false;
    return MayMeet(Bulk->getRawDest());
  }
  // Other threads that a count makes wait do not know memory of the request.
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(Write) && O.isPrivate(Pointer))
    return O.mayOverlap(Pointer, Size, MemoryLocation::get(&Write).Ptr,
                        DL.getTypeStoreSize(Write.getOperand(1)->getType()));
  if (auto *Call = dyn_cast<CallBase>(&Write)) {
    if (isRelease(*Call))
      return O.mayLeadTo(*Call, Pointer);
    CallModel M = modelCall(*Call, TLI);
    if (M.K == CallModel::Library && M.Known->K == KnownCall::Free &&
        !O.mayOverlap(Pointer, Size, Call->getArgOperand(M.Known->Source),
                      uint64_t(1) << 40))
      return false;
  }
  return !Sound || isModSet(AA.getModRefInfo(&Write, Loaded));
}

bool Unchanged::mayOverwrite(Instruction &Write, const Instruction &Access) {
  auto *Store = dyn_cast<StoreInst>(&Write);
  return mayFollow(Write, Access) && mayMeet(Write, Access) &&
         !(Store && Later.isNeverOverwritten(Access, *Store));
}

SmallVector<StoreInst *, 4> Unchanged::overwritingStores(const LoadInst &Load) {
  SmallVector<StoreInst *, 4> Stores;
  if (!Load.isSimple())
    return {};
  for (Instruction *W : Writes)
    if (mayOverwrite(*W, Load)) {
      Stores.push_back(dyn_cast<StoreInst>(W));
      if (!Stores.back())
        return {};
    }
  return Stores;
}

bool Unchanged::isThereLater(
    const Instruction &Access,
    function_ref<bool(const BasicBlock &)> LeadsToReturn) {
  return none_of(Writes, [&](Instruction *W) {
    return !isa<StoreInst, AnyMemIntrinsic>(W) &&
           LeadsToReturn(*W->getParent()) && mayFollow(*W, Access) &&
           mayMeet(*W, Access);
  });
}

bool Unchanged::mayChangeWhatItReads(const CallBase &Call,
                                     bool FollowsPointers) {
  auto MayMeet = [&](const Value *Target, Instruction &Write) {
    for (const Use &A : Call.args()) {
      if (!A->getType()->isPointerTy())
        continue;
      bool IsOutside = any_of(O.placesOf(A), [&](const Place &P) {
        return O[P.Object].isExternal();
      });
      for (const Place &Q : O.placesOf(Target)) {
        if (O[Q.Object].isExternal() && IsOutside && FollowsPointers)
          return true;
        if (O.placesOf(A).empty() ||
            none_of(O.placesOf(A), [&](const Place &P) {
              return P.Object == Q.Object ||
                     (O[P.Object].isExternal() && O[Q.Object].isExternal());
            }))
          continue;
        if (!compat::isSoundAcrossIterations(A) ||
            AA.alias(MemoryLocation::getBeforeOrAfter(A),
                     MemoryLocation::getBeforeOrAfter(Target, tagsOf(Write))) !=
                AliasResult::NoAlias)
          return true;
      }
      if (O.placesOf(Target).empty())
        return true;
    }
    return false;
  };
  return any_of(Writes, [&](Instruction *Write) {
    if (!mayFollow(*Write, Call) || FunctionsOfValues.contains(Write))
      return false;
    if (auto *Store = dyn_cast<StoreInst>(Write))
      return MayMeet(Store->getPointerOperand(), *Write);
    if (auto *Bulk = dyn_cast<AnyMemIntrinsic>(Write))
      return MayMeet(Bulk->getRawDest(), *Write);
    auto *Other = dyn_cast<CallBase>(Write);
    CallModel M = Other ? modelCall(*Other, TLI) : CallModel{};
    if (Other && M.K == CallModel::Library && M.Known) {
      if (M.Known->K == KnownCall::Allocate ||
          M.Known->K == KnownCall::AllocateZeroed)
        return false;
      if (M.Known->K == KnownCall::Free)
        return MayMeet(Other->getArgOperand(M.Known->Source), *Write);
    }
    return any_of(Call.args(),
                  [](const Use &A) { return A->getType()->isPointerTy(); });
  });
}

bool Unchanged::isUnchangedWithin(const LoadInst &Load, const Loop &L) {
  return Load.isSimple() && none_of(Writes, [&](Instruction *W) {
           auto *Store = dyn_cast<StoreInst>(W);
           return L.contains(W->getParent()) && mayMeet(*W, Load, &L) &&
                  !(Store &&
                    (Later.areApartWithin(Load, *Store, L) ||
                     areSwapped(Load.getPointerOperand(),
                                Store->getPointerOperand(), L, LI, O)));
         });
}

SmallVector<Instruction *, 4> Unchanged::writesIn(const Loop &L,
                                                  const LoadInst &Load) {
  SmallVector<Instruction *, 4> Result;
  for (Instruction *W : Writes)
    if (L.contains(W->getParent()) && mayMeet(*W, Load, &L))
      Result.push_back(W);
  return Result;
}

const Instruction *Unchanged::overwriter(const Instruction &Access) {
  auto *Load = dyn_cast<LoadInst>(&Access);
  if (Load ? !Load->isSimple() : !cast<StoreInst>(Access).isSimple())
    return &Access;
  if (Load && (isUnchangedField(*Load) || Load->hasMetadata(UnwrittenMark)))
    return nullptr;
  auto [It, New] = Known.insert({&Access, nullptr});
  if (New) {
    auto W = find_if(Writes,
                     [&](Instruction *W) { return mayOverwrite(*W, Access); });
    It->second = W == Writes.end() ? nullptr : *W;
  }
  return It->second;
}
