//===- LoopSums.cpp - sums whose tangents can wait for a loop's end -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/LoopSums.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

AllocaInst *verso::objectBehindSteps(Value *P) {
  while (auto *Step = dyn_cast<GetElementPtrInst>(P))
    P = Step->getPointerOperand();
  return dyn_cast<AllocaInst>(P);
}

/// The tangent of the sum is needed by the next step, and behind the loop.
static bool isOnlyAddedUp(const Instruction &Root, const PHINode &Phi,
                          const Loop &L, const Cones &C, const Activity &A) {
  auto NeedsNone = [&](const User *U) {
    return isa<CmpInst>(U) && !A.isActive(U);
  };
  return all_of(Phi.users(),
                [&](const User *U) {
                  return U == &Root || C.isInside(U, &Root) || NeedsNone(U);
                }) &&
         all_of(Root.users(), [&](const User *U) {
           return U == &Phi || NeedsNone(U) ||
                  !L.contains(cast<Instruction>(U));
         });
}

/// Objects with few cells for what an iteration reads of them, which the loop
/// does not write.
static void findWeighted(LoopSum &S, const Instruction &Root, const Loop &L,
                         const Cones &C, const Activity &A,
                         const SideBySide &Sides) {
  const DataLayout &DL = Root.getDataLayout();
  // An outermost loop is taken to run for long; others may be short.
  const uint64_t MaxCellsARead = L.getParentLoop() ? 1 : 64;
  DenseMap<const AllocaInst *, uint64_t> Reads;
  for (const Instruction *I : S.Inside) {
    auto *Load = dyn_cast<LoadInst>(I);
    if (!Load || !A.isActive(Load) ||
        !Sides.cellType(Load->getPointerOperand()))
      continue;
    AllocaInst *Object =
        objectBehindSteps(const_cast<Value *>(Load->getPointerOperand()));
    if (Object && !S.Inside.contains(Object) && Object->isStaticAlloca() &&
        all_of(Load->users(), [&](const User *U) {
          return U == &Root || C.isInside(U, &Root);
        }))
      ++Reads[Object];
  }
  for (auto [Object, N] : Reads) {
    std::optional<TypeSize> Size = Object->getAllocationSize(DL);
    uint64_t Cell = DL.getTypeStoreSize(Sides.cellType(Object));
    if (Size && *Size / Cell <= MaxCellsARead * N)
      S.Weighted.insert(Object);
  }
  for (const Instruction *I : S.Inside) {
    Value *Written = nullptr;
    if (auto *Store = dyn_cast<StoreInst>(I))
      Written = const_cast<Value *>(Store->getPointerOperand());
    else if (auto *Range = dyn_cast<MemIntrinsic>(I))
      Written = Range->getRawDest();
    if (!Written || !Sides.cellType(Written))
      continue;
    if (AllocaInst *Object = objectBehindSteps(Written))
      S.Weighted.erase(Object);
    else
      return S.Weighted.clear();
  }
}

std::optional<LoopSum> verso::matchLoopSum(Instruction &Root, const Cones &C,
                                           const Activity &A,
                                           const SideBySide &Sides,
                                           const LoopInfo &Loops) {
  const Loop *L = Loops.getLoopFor(Root.getParent());
  if (!L || C.members(&Root).size() < 2 || !L->getLoopPreheader() ||
      !L->getLoopLatch() || L->getExitingBlock() != L->getLoopLatch())
    return std::nullopt;
  BasicBlock *Latch = L->getLoopLatch(), *Exit = L->getExitBlock();
  if (!Exit || Exit->getSinglePredecessor() != Latch || Exit->isEHPad())
    return std::nullopt;
  LoopSum S;
  S.Phi = nullptr;
  for (PHINode &Phi : L->getHeader()->phis())
    if (Phi.getIncomingValueForBlock(Latch) == &Root)
      S.Phi = &Phi;
  if (!S.Phi || !A.isActive(S.Phi) || !isOnlyAddedUp(Root, *S.Phi, *L, C, A))
    return std::nullopt;
  S.Before = L->getLoopPreheader()->getTerminator();
  S.Behind = &*Exit->getFirstInsertionPt();
  for (PHINode &Phi : Exit->phis())
    if (Phi.getIncomingValue(0) == &Root)
      S.Results.push_back(&Phi);
  for (BasicBlock *Block : L->blocks())
    for (Instruction &I : *Block)
      S.Inside.insert(&I);
  findWeighted(S, Root, *L, C, A, Sides);
  return S;
}
