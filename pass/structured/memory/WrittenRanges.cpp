//===- WrittenRanges.cpp - what is written from a nest on -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/WrittenRanges.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

WrittenRanges::WrittenRanges(LoopInfo &LI, DominatorTree &DT,
                             ScalarEvolution &SE, BatchAAResults &AA,
                             const TargetLibraryInfo *TLI)
    : LI(LI), DT(DT), SE(SE), AA(AA), TLI(TLI) {
  for (Instruction &I : instructions(*DT.getRoot()->getParent()))
    if (I.mayWriteToMemory())
      add(I);
}

void WrittenRanges::add(Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  auto *Assumes = dyn_cast<IntrinsicInst>(&I);
  if (Assumes && Assumes->isAssumeLikeIntrinsic())
    return;
  // errno, which no pointer of the request leads to.
  if (Call && modelCall(*Call, TLI).K == CallModel::Operation &&
      none_of(Call->args(),
              [](const Use &U) { return U->getType()->isPointerTy(); }))
    return;
  Write W{&I};
  auto *Store = dyn_cast<StoreInst>(&I);
  auto *Bulk = dyn_cast<AnyMemIntrinsic>(&I);
  if (Store || Bulk) {
    Value *P = Store ? Store->getPointerOperand() : Bulk->getRawDest();
    const SCEV *Address = SE.getSCEV(P);
    TypeSize Size = Store ? I.getDataLayout().getTypeStoreSize(
                                Store->getValueOperand()->getType())
                          : TypeSize::getFixed(0);
    if (auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
        Base && !Size.isScalable()) {
      W.Base = Base->getValue();
      W.Offset = SE.removePointerBase(Address);
      W.Bytes = Store ? SE.getConstant(Type::getInt64Ty(I.getContext()), Size)
                      : SE.getSCEV(Bulk->getLength());
    }
  }
  Writes.push_back(W);
}

bool WrittenRanges::mayMeet(const Write &W, const Value *Base) {
  if (!compat::isSoundAcrossIterations(Base))
    return true;
  MemoryLocation Read = MemoryLocation::getBeforeOrAfter(Base);
  if (!W.Base)
    return isModSet(AA.getModRefInfo(W.I, Read));
  return !compat::isSoundAcrossIterations(W.Base) ||
         AA.alias(Read, MemoryLocation::getBeforeOrAfter(W.Base)) !=
             AliasResult::NoAlias;
}

SmallVector<const WrittenRanges::Write *, 8>
WrittenRanges::writesFrom(const Loop &L, const Value *Base) {
  SmallVector<const Write *, 8> Result;
  for (const Write &W : Writes)
    if (isPotentiallyReachable(L.getHeader(), W.I->getParent(), nullptr, &DT,
                               &LI) &&
        mayMeet(W, Base))
      Result.push_back(&W);
  return Result;
}

bool WrittenRanges::mayBeApart(const Value *Base, const Loop &L) {
  constexpr size_t MaxWrites = 16;
  const BasicBlock *Begin = L.getOutermostLoop()->getLoopPreheader();
  // Not in a circle that is no loop, where what is known there changes.
  if (!Begin || isPotentiallyReachable(L.getHeader(), Begin, nullptr, &DT, &LI))
    return false;
  SmallVector<const Write *, 8> Found = writesFrom(L, Base);
  return !Found.empty() && Found.size() <= MaxWrites &&
         all_of(Found, [&](const Write *W) {
           auto *I = dyn_cast_or_null<Instruction>(W->Base);
           return W->Base && W->Base != Base &&
                  (!I || DT.dominates(I, Begin->getTerminator()));
         });
}

std::optional<SmallVector<Interval, 4>> WrittenRanges::emit(const Value *Base,
                                                            const Loop &L) {
  const Loop *Outermost = L.getOutermostLoop();
  std::unique_ptr<AddressRanges> &Known = Bounds[Outermost];
  if (!Known)
    Known = std::make_unique<AddressRanges>(
        SE, Outermost->getLoopPreheader()->getTerminator());
  SmallMapVector<Value *, Interval, 4> ByBase;
  for (const Write *W : writesFrom(L, Base)) {
    auto From = Known->interval(W->Offset), Bytes = Known->interval(W->Bytes);
    if (!From || !Bytes || Known->isGuess())
      return std::nullopt;
    Interval I = Known->addresses(W->Base, Known->bytes(*From, *Bytes));
    auto [It, IsFirst] = ByBase.insert({W->Base, I});
    if (!IsFirst)
      It->second = Known->together(It->second, I);
  }
  // In 64 bits; what does not fit is everywhere.
  IRBuilder<> &B = Known->builder();
  SmallVector<Interval, 4> Result;
  for (auto &[Of, I] : ByBase) {
    Value *Fits = Known->areAddresses(I);
    auto In64Bits = [&](Value *V, int64_t Otherwise) {
      return B.CreateSelect(Fits, B.CreateTrunc(V, B.getInt64Ty()),
                            B.getInt64(Otherwise));
    };
    Result.push_back({In64Bits(I.Low, std::numeric_limits<int64_t>::min()),
                      In64Bits(I.High, std::numeric_limits<int64_t>::max())});
  }
  return Result;
}
