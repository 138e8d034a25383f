//===- UndoneStores.cpp - stores that the verso takes back ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/UndoneStores.h"
#include "emit/Runtime.h"
#include "verso/Layout.h"

#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Where stores are undone
//===----------------------------------------------------------------------===//

void UndoneStores::addPlace(StoreInst &Store, IRBuilderBase &B) {
  if (Store.isSimple() && !S.owns(Store))
    Places[&Store].Mark = B.CreateIntrinsic(
        Intrinsic::donothing, ArrayRef<Type *>(), ArrayRef<Value *>());
}

void UndoneStores::forEachUse(function_ref<void(Value *, Position)> Found) {
  DenseMap<const Instruction *, Place *> ByMark;
  for (auto &[Store, P] : Places)
    ByMark[P.Mark] = &P;
  for (auto [N, B] : enumerate(R.blocks())) {
    Position At{unsigned(N), 0};
    for (Instruction &I : *B) {
      if (Place *P = ByMark.lookup(&I)) {
        P->At = At;
        ++At.second;
        continue;
      }
      for (Value *Op : I.operands())
        Found(Op, At);
    }
  }
}

/// Of a block's reverse, what is made first is executed first.
bool UndoneStores::isUndoneAt(const StoreInst &Store, Position P) const {
  return R.edgeTo(R.blocks()[P.first]) || positionOf(Store) < P;
}

bool UndoneStores::mayLieBetween(const LoadInst &Load, const StoreInst &Store,
                                 Position P) {
  const BasicBlock *Mine = Load.getParent(), *Its = Store.getParent();
  const BasicBlock *Verso = R.blocks()[P.first];
  const BasicBlock *Use = R.edgeTo(Verso);
  if (!Use)
    Use = R.rectoOf(Verso);
  const Loop *L = LI.getLoopFor(Mine);
  // What is reversed is in the same iteration of the load's loop.
  if (!L || !Use || !L->contains(Use))
    return true;
  if (!L->contains(Its) ||
      !(Mine == Its ? Load.comesBefore(&Store) : Paths.lead(Mine, Its, *L)))
    return false;
  if (Its == Use && !isUndoneAt(Store, P))
    return true;
  return Paths.lead(Its, Use, *L);
}

//===----------------------------------------------------------------------===//
// What can be undone
//===----------------------------------------------------------------------===//

bool UndoneStores::mayUndo(StoreInst &Store) {
  auto [It, New] = Undoable.try_emplace(&Store, false);
  if (New) {
    Type *T = Store.getValueOperand()->getType();
    auto MayBeLeftOut = [&](const Reversal::LeftOut &Each) {
      return Each.L->contains(&Store);
    };
    It->second =
        Places.contains(&Store) && none_of(R.leftOut(), MayBeLeftOut) &&
        (T->isFloatTy() || T->isDoubleTy() || T->isIntegerTy(8) ||
         T->isIntegerTy(16) || T->isIntegerTy(32) || T->isIntegerTy(64)) &&
        Memory.isThereLater(
            Store, [&](const BasicBlock &B) { return R.isReversed(&B); });
  }
  return It->second;
}

ArrayRef<StoreInst *> UndoneStores::overwriting(const LoadInst &Load) {
  auto [It, New] = Overwriting.try_emplace(&Load);
  if (New) {
    SmallVector<StoreInst *, 4> Stores = Memory.overwritingStores(Load);
    if (all_of(Stores, [&](StoreInst *Each) { return mayUndo(*Each); }))
      It->second = std::move(Stores);
  }
  return It->second;
}

/// Whether the caller may look at it.
bool UndoneStores::isLogged(const StoreInst &Store) const {
  auto Of = O.placesOf(Store.getPointerOperand());
  return Of.empty() || any_of(Of, [&](const verso::Place &P) {
           return O[P.Object].K != Object::Alloca;
         });
}

unsigned UndoneStores::cost(const StoreInst &Store) const {
  unsigned Bytes =
      F.getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType());
  return isLogged(Store) ? Bytes + 24 : Bytes;
}

bool UndoneStores::mayUndoAll(ArrayRef<StoreInst *> Stores) const {
  SmallDenseSet<uint64_t, 2> Sizes;
  for (const StoreInst *Each : Stores)
    if (isLogged(*Each))
      Sizes.insert(F.getDataLayout().getTypeStoreSize(
          Each->getValueOperand()->getType()));
  return Sizes.size() <= 1;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// %log = take(%count * sizeof(verso_left)), at the start of the verso
void UndoneStores::startLog() {
  IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Count = S.create(Entry.getInt64Ty(), "undone");
  Slots::set(Entry, Count, Entry.getInt64(0));
  IRBuilder<> B(R.start(), R.start()->begin());
  Length = Slots::get(B, Count);
  Log = callRuntime(B, RuntimeFunction::ArenaTake,
                    {B.CreateMul(Length, B.getInt64(sizeof(verso_left)))});
  Log->addRetAttr(Attribute::NoAlias);
  markWrittenFirst(*Log);
}

/// log[--count] = {p, *p}
void UndoneStores::writeLog(IRBuilderBase &B, StoreInst &Store) {
  Value *P = Store.getPointerOperand();
  LoadInst *Left = B.CreateAlignedLoad(Logged, P, Store.getAlign(), "left");
  Accesses.push_back({Left, &Store});
  Value *Index = B.CreateSub(Slots::get(B, Count), B.getInt64(1));
  Slots::set(B, Count, Index);
  Value *At = B.CreateInBoundsPtrAdd(
      Log,
      B.CreateMul(Index, B.getInt64(sizeof(verso_left)), "", /*HasNUW=*/true,
                  /*HasNSW=*/true));
  B.CreateAlignedStore(P, At, Align(8));
  B.CreateAlignedStore(B.CreateZExt(Left, B.getInt64Ty()),
                       B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), At,
                                                    offsetof(verso_left, left)),
                       Align(8));
}

LoadInst *UndoneStores::undo(StoreInst &Store) {
  IRBuilder<> B(&Store);
  Type *T = B.getIntNTy(F.getDataLayout().getTypeStoreSizeInBits(
      Store.getValueOperand()->getType()));
  Value *P = Store.getPointerOperand();
  LoadInst *Old = B.CreateAlignedLoad(T, P, Store.getAlign(), "overwritten");
  Accesses.push_back({Old, &Store});
  IRBuilder<> Verso(Places[&Store].Mark);
  if (isLogged(Store)) {
    Logged = T;
    if (!Log)
      startLog();
    Slots::set(B, Count, B.CreateNUWAdd(Slots::get(B, Count), B.getInt64(1)));
    writeLog(Verso, Store);
  }
  Accesses.push_back(
      {Verso.CreateAlignedStore(Old, P, Store.getAlign()), &Store});
  return Old;
}

/// put_back(%log, %length), at the end of the verso
void UndoneStores::finish() {
  for (auto &[Store, P] : Places)
    P.Mark->eraseFromParent();
  Places.clear();
  if (!Log)
    return;
  IRBuilder<> B(R.end(), R.end()->getFirstInsertionPt());
  B.CreateCall(
      getSupportFunction(*F.getParent(),
                         "__verso_put_back_" +
                             std::to_string(Logged->getIntegerBitWidth())),
      {Log, Length});
}
