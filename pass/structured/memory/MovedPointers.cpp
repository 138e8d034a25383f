//===- MovedPointers.cpp - words in which pointers are moved --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/MovedPointers.h"
#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"
#include "structured/memory/Objects.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

/// Whether \p I accesses a word that nobody says the type of.
static bool isOfWord(const Instruction &I) {
  Type *T = compat::loadStoreType(I);
  return T == I.getDataLayout().getIntPtrType(I.getContext()) &&
         !I.isVolatile() && !I.isAtomic() && !isInert(I) && mayBeOfAnyType(I);
}

/// Whether \p Load is there for stores of what it reads alone.
static bool isMove(const LoadInst &Load) {
  return isOfWord(Load) && !Load.use_empty() &&
         all_of(Load.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->getValueOperand() == &Load &&
                  isOfWord(*Store);
         });
}

/// The address that \p Store, of a word, stores by its name; null if none.
static Constant *storedAddress(const StoreInst &Store) {
  auto *Cast = dyn_cast<ConstantExpr>(Store.getValueOperand());
  return Cast && Cast->getOpcode() == Instruction::PtrToInt && isOfWord(Store)
             ? Cast->getOperand(0)
             : nullptr;
}

namespace {
/// The words of a function that are moved, and who is in their way.
class Words {
public:
  Words(Function &F, const TargetLibraryInfo *TLI);
  bool retype();

private:
  bool isOther(const Instruction &I) const;

  Function &F;
  const TargetLibraryInfo *TLI;
  SmallSetVector<LoadInst *, 8> Moves;
  SmallSetVector<StoreInst *, 8> Addresses;
};
} // namespace

Words::Words(Function &F, const TargetLibraryInfo *TLI) : F(F), TLI(TLI) {
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Load && isMove(*Load))
      Moves.insert(Load);
    else if (Store && storedAddress(*Store))
      Addresses.insert(Store);
  }
}

/// Whether \p I accesses what is no pointer, or may be none: numbers, integers
/// that are stored, and words that are used as such.
bool Words::isOther(const Instruction &I) const {
  auto *Store = dyn_cast<StoreInst>(const_cast<Instruction *>(&I));
  auto *Load = dyn_cast<LoadInst>(const_cast<Instruction *>(&I));
  if ((!Store && !Load) || (Load && Moves.contains(Load)) ||
      (Store && Addresses.contains(Store)))
    return false;
  Type *T = compat::loadStoreType(I);
  if (Load || T->isPtrOrPtrVectorTy())
    return !T->isPtrOrPtrVectorTy();
  Value *V = Store->getValueOperand();
  auto *C = dyn_cast<Constant>(V);
  auto *From = dyn_cast<LoadInst>(V);
  return C ? !C->isNullValue() : !From || !Moves.contains(From);
}

bool Words::retype() {
  if (Moves.empty() && Addresses.empty())
    return false;
  const DataLayout &DL = F.getDataLayout();
  const Objects O(F, {}, TLI);
  if (!O.isComplete())
    return false;
  // Whoever is left as an integer is in the others' way.
  for (bool Changed = true; Changed;) {
    SmallVector<const Instruction *, 32> Others;
    for (const Instruction &I : instructions(F))
      if (isOther(I))
        Others.push_back(&I);
    auto IsMixed = [&](const Instruction *Access) {
      return any_of(Others, [&](const Instruction *I) {
        return O.mayOverlap(getLoadStorePointerOperand(I),
                            DL.getTypeStoreSize(compat::loadStoreType(*I)),
                            getLoadStorePointerOperand(Access),
                            DL.getPointerSize());
      });
    };
    const size_t Before = Moves.size() + Addresses.size();
    constexpr size_t MaxComparisons = size_t(1) << 22;
    if (Before * Others.size() > MaxComparisons)
      return false;
    Moves.remove_if([&](const LoadInst *Load) {
      const Places All = O.placesOf(Load);
      return All.empty() || IsMixed(Load) || any_of(All, [&](const Place &P) {
               return O[P.Object].K == Object::Unknown;
             });
    });
    Addresses.remove_if(IsMixed);
    Changed = Moves.size() + Addresses.size() != Before;
  }
  auto Store = [](StoreInst *By, Value *Pointer) {
    By->setOperand(0, Pointer);
    By->setMetadata(LLVMContext::MD_tbaa, nullptr);
  };
  for (StoreInst *By : Addresses)
    Store(By, storedAddress(*By));
  for (LoadInst *Load : Moves) {
    IRBuilder<> B(Load);
    LoadInst *Pointer = B.CreateAlignedLoad(
        B.getPtrTy(), Load->getPointerOperand(), Load->getAlign());
    Pointer->copyMetadata(*Load,
                          {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
                           LLVMContext::MD_dbg});
    for (User *U : make_early_inc_range(Load->users()))
      Store(cast<StoreInst>(U), Pointer);
    Load->eraseFromParent();
  }
  return !Moves.empty() || !Addresses.empty();
}

bool verso::moveWordsAsPointers(Function &F, const TargetLibraryInfo *TLI) {
  return Words(F, TLI).retype();
}
