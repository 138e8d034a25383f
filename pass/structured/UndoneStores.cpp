//===- UndoneStores.cpp - stores that the verso takes back ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/UndoneStores.h"
#include "emit/Runtime.h"
#include "verso/Layout.h"

#include "llvm/IR/InstIterator.h"
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

/// Whether it writes local variables alone.
bool UndoneStores::endsWithRequest(const StoreInst &Store) const {
  auto Of = O.placesOf(Store.getPointerOperand());
  return !Of.empty() && all_of(Of, [&](const verso::Place &P) {
    return O[P.Object].K == Object::Alloca;
  });
}

/// Whether an address is made an integer, of which is known who sees it: it is
/// compared, or its distance from another one in the same object is taken.
static bool staysInSight(const Instruction &Cast, const Objects &O) {
  auto Of = O.placesOf(Cast.getOperand(0));
  return all_of(Cast.users(), [&](const User *U) {
    if (isa<ICmpInst>(U))
      return true;
    auto *Distance = dyn_cast<BinaryOperator>(U);
    if (!Distance || Distance->getOpcode() != Instruction::Sub)
      return false;
    return all_of(Distance->operands(), [&](const Value *End) {
      auto *Other = dyn_cast<CastInst>(End);
      auto At = Other ? O.placesOf(Other->getOperand(0)) : Places();
      return Other && Of.size() == 1 && At.size() == 1 &&
             At[0].Object == Of[0].Object;
    });
  });
}

/// The objects of which addresses, or parts of them, are computed with: who
/// keeps a distance, or a half, finds the memory again.
const BitVector &UndoneStores::foundByIntegers() {
  if (ByIntegers)
    return *ByIntegers;
  ByIntegers.emplace(O.size());
  const DataLayout &DL = F.getDataLayout();
  for (const Instruction &I : instructions(F)) {
    if (isa<CastInst>(I) && I.getOperand(0)->getType()->isPtrOrPtrVectorTy() &&
        !I.getType()->isPtrOrPtrVectorTy()) {
      if (!staysInSight(I, O))
        for (const verso::Place &P : O.placesOf(I.getOperand(0)))
          ByIntegers->set(P.Object);
    } else if (auto *Load = dyn_cast<LoadInst>(&I);
               Load && !Load->getType()->isPtrOrPtrVectorTy()) {
      for (const verso::Place &P : O.placesOf(Load->getPointerOperand()))
        for (const Object::Content &C : O[P.Object].Contents)
          if (C.Cell.overlaps(DL.getPointerSize(), P.At,
                              DL.getTypeStoreSize(Load->getType())))
            ByIntegers->set(C.Target.Object);
    }
  }
  return *ByIntegers;
}

/// Whether anybody may look at it after the request.
bool UndoneStores::isLogged(const StoreInst &Store) {
  const Value *P = Store.getPointerOperand();
  Type *Returned = F.getReturnType();
  return !endsWithRequest(Store) &&
         (!O.isPrivate(P) || Returned->isAggregateType() ||
          Returned->isPtrOrPtrVectorTy() ||
          any_of(O.placesOf(P), [&](const verso::Place &At) {
            return foundByIntegers().test(At.Object);
          }));
}

/// Whether iterations of its loop read what the store writes in others, for all
/// that is known: put back there, it keeps the reverse of the loop in order.
bool UndoneStores::ordersItsLoop(const StoreInst &Store) const {
  const Loop *L = LI.getLoopFor(Store.getParent());
  ScalarEvolution &SE = R.scalarEvolution();
  auto CellOf = [&](const Value *P) {
    return SE.getSCEV(const_cast<Value *>(P));
  };
  return L && any_of(Overwriting, [&](const auto &Each) {
           return L->contains(Each.first) &&
                  is_contained(Each.second, &Store) &&
                  CellOf(Each.first->getPointerOperand()) !=
                      CellOf(Store.getPointerOperand());
         });
}

unsigned UndoneStores::cost(const StoreInst &Store) {
  unsigned Bytes =
      F.getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType());
  if (endsWithRequest(Store))
    return Bytes;
  if (isLogged(Store))
    return LogsByLoop && stepInLoop(Store) ? Bytes + 8 : Bytes + 24;
  return ordersItsLoop(Store) ? Bytes + 24 : Bytes;
}

/// By how many bytes the cell moves from iteration to iteration of the loop
/// around the store, each of which stores, in a cell of its own.
std::optional<int64_t> UndoneStores::stepInLoop(const StoreInst &Store) const {
  const BasicBlock *At = Store.getParent();
  Loop *L = LI.getLoopFor(At);
  ScalarEvolution &SE = R.scalarEvolution();
  if (!L || !R.isReversed(L) || !L->getLoopPreheader() || !L->getLoopLatch() ||
      L->getExitingBlock() != L->getLoopLatch() ||
      !R.dominatorTree().dominates(At, L->getLoopLatch()))
    return std::nullopt;
  auto *Cell = dyn_cast<SCEVAddRecExpr>(
      SE.getSCEV(const_cast<Value *>(Store.getPointerOperand())));
  auto *Step = Cell && Cell->isAffine() && Cell->getLoop() == L
                   ? dyn_cast<SCEVConstant>(Cell->getStepRecurrence(SE))
                   : nullptr;
  if (!Step || Step->getAPInt().getSignificantBits() > 32)
    return std::nullopt;
  int64_t Bytes = Step->getAPInt().getSExtValue();
  uint64_t Size =
      F.getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType());
  if (uint64_t(std::abs(Bytes)) < Size)
    return std::nullopt;
  return Bytes;
}

/// Runs are put back one after the other, so stores of one run may not
/// overwrite each other.
bool UndoneStores::mayLogByLoop(ArrayRef<StoreInst *> Stores) {
  return all_of(Stores, [&](StoreInst *A) {
    const Loop *L = LI.getLoopFor(A->getParent());
    return !isLogged(*A) ||
           (stepInLoop(*A) && none_of(Stores, [&](StoreInst *B) {
              return A != B && isLogged(*B) && L->contains(B) &&
                     Memory.mayMeet(*B, *A) &&
                     !Memory.ranges().areApartWithin(*A, *B, *L);
            }));
  });
}

bool UndoneStores::mayUndoAll(ArrayRef<StoreInst *> Stores) {
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

uint64_t UndoneStores::entrySize() const {
  return LogsByLoop ? sizeof(verso_left_by_loop) : sizeof(verso_left);
}

/// %log = take(%count * size), at the start of the verso
void UndoneStores::startLog() {
  IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Count = S.create(Entry.getInt64Ty(), "undone");
  Slots::set(Entry, Count, Entry.getInt64(0));
  IRBuilder<> B(R.start(), R.start()->begin());
  Length = Slots::get(B, Count);
  Log = callRuntime(B, RuntimeFunction::ArenaTake,
                    {B.CreateMul(Length, B.getInt64(entrySize()))});
  Log->addRetAttr(Attribute::NoAlias);
  markWrittenFirst(*Log);
}

/// &log[--count]
Value *UndoneStores::nextEntry(IRBuilderBase &B) {
  Value *Index = B.CreateSub(Slots::get(B, Count), B.getInt64(1));
  Slots::set(B, Count, Index);
  return B.CreateInBoundsPtrAdd(Log,
                                B.CreateMul(Index, B.getInt64(entrySize()), "",
                                            /*HasNUW=*/true, /*HasNSW=*/true));
}

/// log[--count] = {p, *p}
void UndoneStores::writeLog(IRBuilderBase &B, StoreInst &Store) {
  Value *P = Store.getPointerOperand();
  LoadInst *Left = B.CreateAlignedLoad(Logged, P, Store.getAlign(), "left");
  Accesses.push_back({Left, &Store});
  Value *At = nextEntry(B);
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
    Loop *L = LI.getLoopFor(Store.getParent());
    if (LogsByLoop)
      B.SetInsertPoint(L->getLoopPreheader()->getTerminator());
    Slots::set(B, Count, B.CreateNUWAdd(Slots::get(B, Count), B.getInt64(1)));
    if (!LogsByLoop)
      writeLog(Verso, Store);
  }
  StoreInst *Back = Verso.CreateAlignedStore(Old, P, Store.getAlign());
  Accesses.push_back({Back, &Store});
  if (isLogged(Store) && LogsByLoop) {
    Loop *L = LI.getLoopFor(Store.getParent());
    BasicBlock *After = R.afterReverseOf(L);
    IRBuilder<> End(After, After->getFirstInsertionPt());
    // It is, and the address of the first iteration is computed from it.
    Slots::set(End, R.iteration(L), End.getInt64(0));
    ByLoop.push_back({&Store, Old, Back, &*End.GetInsertPoint()});
  }
  return Old;
}

/// %left = load %p; store %left, %element      before: store (load %element),
/// %p
StoreInst *UndoneStores::swap(const LoggedByLoop &Each) {
  IRBuilder<> B(Each.Back);
  auto *Element = cast<LoadInst>(Each.Back->getValueOperand());
  LoadInst *Left =
      B.CreateAlignedLoad(Element->getType(), Each.Back->getPointerOperand(),
                          Each.Back->getAlign(), "left");
  Accesses.push_back({Left, Each.Store});
  return B.CreateAlignedStore(Left, Element->getPointerOperand(),
                              Element->getAlign());
}

/// log[--count] = {cell, left, times, step, left step}
void UndoneStores::writeLog(const LoggedByLoop &Each, Value *Cell, Value *Left,
                            Value *Times, uint64_t LeftStep) {
  IRBuilder<> B(Each.LogAt);
  Value *At = nextEntry(B);
  auto Set = [&](uint64_t Offset, Value *V) {
    B.CreateAlignedStore(
        V, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), At, Offset), Align(8));
  };
  Set(offsetof(verso_left_by_loop, cell), Cell);
  Set(offsetof(verso_left_by_loop, left), Left);
  Set(offsetof(verso_left_by_loop, count), Times);
  Set(offsetof(verso_left_by_loop, step), B.getInt64(*stepInLoop(*Each.Store)));
  Set(offsetof(verso_left_by_loop, left_step), B.getInt64(LeftStep));
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
      getSupportFunction(
          *F.getParent(),
          (LogsByLoop ? "__verso_put_back_by_loop_" : "__verso_put_back_") +
              std::to_string(Logged->getIntegerBitWidth())),
      {Log, Length});
}
