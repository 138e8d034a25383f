//===- TravellingSums.cpp - sums that go from iteration to iteration ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums start from -0.0, which adds nothing to any number: the first iterations
// need no treatment of their own.
//
//===----------------------------------------------------------------------===//

#include "structured/loops/TravellingSums.h"
#include "LLVMCompat.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <map>

using namespace llvm;
using namespace verso;

LoadInst *verso::loadAddedTo(StoreInst &Store) {
  Value *V = Store.getValueOperand();
  for (unsigned Depth = 0; Depth != 8; ++Depth) {
    auto *Sum = dyn_cast<BinaryOperator>(V);
    if (!Sum || !Sum->hasOneUse() ||
        (Sum->getOpcode() != Instruction::FAdd &&
         Sum->getOpcode() != Instruction::FSub))
      return nullptr;
    for (Value *Op : Sum->operands()) {
      auto *Load = dyn_cast<LoadInst>(Op);
      if (Load && Load->hasOneUse() &&
          Load->getPointerOperand() == Store.getPointerOperand() &&
          Load->getType() == Sum->getType() &&
          Load->getParent() == Store.getParent() &&
          (Sum->getOpcode() == Instruction::FAdd || Op == Sum->getOperand(0)))
        return Load;
    }
    // An earlier addition to the same.
    Value *Next = Sum->getOperand(0);
    if (!isa<BinaryOperator>(Next) && Sum->getOpcode() == Instruction::FAdd)
      Next = Sum->getOperand(1);
    V = Next;
  }
  return nullptr;
}

static const SCEVAddRecExpr *evolution(const CellAddition &A, const Loop &L,
                                       ScalarEvolution &SE) {
  auto *E = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(A.Store->getPointerOperand()));
  return E && E->getLoop() == &L && E->isAffine() ? E : nullptr;
}

std::optional<int64_t> verso::iterationsBetween(const CellAddition &A,
                                                const CellAddition &B,
                                                const Loop &L,
                                                ScalarEvolution &SE) {
  const SCEVAddRecExpr *P = evolution(A, L, SE), *Q = evolution(B, L, SE);
  if (!P || !Q || A.Load->getType() != B.Load->getType())
    return std::nullopt;
  auto *Step = dyn_cast<SCEVConstant>(P->getStepRecurrence(SE));
  if (!Step || P->getStepRecurrence(SE) != Q->getStepRecurrence(SE) ||
      P->getStart()->getType() != Q->getStart()->getType())
    return std::nullopt;
  auto *Distance =
      dyn_cast<SCEVConstant>(SE.getMinusSCEV(P->getStart(), Q->getStart()));
  if (!Distance || Distance->getAPInt().getSignificantBits() > 64 ||
      Step->getAPInt().getSignificantBits() > 64)
    return std::nullopt;
  int64_t Bytes = Distance->getAPInt().getSExtValue();
  int64_t Each = Step->getAPInt().getSExtValue();
  if (!Each || Bytes % Each)
    return std::nullopt;
  return Bytes / Each;
}

bool verso::addsInvariant(const CellAddition &A, const Loop &L) {
  const Value *V = A.Store->getValueOperand();
  while (auto *Sum = dyn_cast<BinaryOperator>(V)) {
    if (L.isLoopInvariant(Sum))
      break;
    const Value *Chain = nullptr;
    for (const Value *Op : Sum->operands())
      if (!L.isLoopInvariant(Op)) {
        if (Chain)
          return false;
        Chain = Op;
      }
    if (!Chain)
      return false;
    V = Chain;
  }
  return V == A.Load;
}

Value *verso::takeContribution(const CellAddition &A) {
  // This erases the load, too.
  replaceAndRecursivelySimplify(A.Load,
                                ConstantFP::getNegativeZero(A.Load->getType()));
  Value *Contribution = A.Store->getValueOperand();
  A.Store->eraseFromParent();
  return Contribution;
}

void verso::letSumsTravel(Loop &L, ArrayRef<CellAddition> Additions,
                          ScalarEvolution &SE) {
  BasicBlock *Body = L.getHeader(), *Exit = L.getExitBlock();
  Instruction *Before = L.getLoopPreheader()->getTerminator();
  // By how many iterations a cell is ahead of the one that is finished.
  std::map<int64_t, SmallVector<CellAddition, 2>> Ahead;
  for (const CellAddition &A : Additions) {
    std::optional<int64_t> D = iterationsBetween(A, Additions[0], L, SE);
    if (!D)
      return;
    Ahead[*D].push_back(A);
  }
  const int64_t Min = Ahead.begin()->first, Max = Ahead.rbegin()->first;
  const CellAddition &Last = Ahead.begin()->second[0];
  const SCEVAddRecExpr *Cells = evolution(Last, L, SE);
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  const SCEV *End = Cells->evaluateAtIteration(Count, SE);
  SCEVExpander Expander = compat::scevExpander(SE, "travel");
  if (!Expander.isSafeToExpandAt(End, Before) ||
      !Expander.isSafeToExpandAt(Count, Before))
    return;
  int64_t Step = cast<SCEVConstant>(Cells->getStepRecurrence(SE))
                     ->getAPInt()
                     .getSExtValue();
  Type *T = Last.Load->getType();
  Value *EndCell = Expander.expandCodeFor(
      End, Last.Store->getPointerOperand()->getType(), Before);
  Value *Latest = Expander.expandCodeFor(Count, Count->getType(), Before);

  Instruction *At = Last.Store;
  FastMathFlags Flags;
  Flags.set();
  AAMDNodes Tags = Last.Store->getAAMetadata();
  Align Alignment = Last.Store->getAlign();
  for (const CellAddition &A : Additions) {
    if (At->comesBefore(A.Store))
      At = A.Store;
    Tags = Tags.merge(A.Store->getAAMetadata());
    Alignment = std::min(Alignment, A.Store->getAlign());
    Flags &= cast<Instruction>(A.Store->getValueOperand())->getFastMathFlags();
  }
  Value *Cell = Last.Store->getPointerOperand();
  IRBuilder<> B(At->getNextNode());
  B.setFastMathFlags(Flags);
  // Contributions are computed above, in whatever order.
  std::map<int64_t, Value *> Sum;
  Value *FromBefore = nullptr;
  for (int64_t D = Max; D >= Min; --D) {
    Value *S = FromBefore;
    if (auto It = Ahead.find(D); It != Ahead.end())
      for (const CellAddition &A : It->second) {
        Value *X = takeContribution(A);
        S = S ? B.CreateFAdd(S, X) : X;
      }
    Sum[D] = S;
    if (D == Min)
      break;
    IRBuilder<> Top(Body, Body->begin());
    PHINode *Phi = Top.CreatePHI(T, 2, "travelling");
    Phi->addIncoming(ConstantFP::getNegativeZero(T), L.getLoopPreheader());
    Phi->addIncoming(S, Body);
    FromBefore = Phi;
  }
  auto AddTo = [&](IRBuilderBase &B, Value *Cell, Value *X) {
    LoadInst *Old = B.CreateAlignedLoad(T, Cell, Alignment);
    StoreInst *New =
        B.CreateAlignedStore(B.CreateFAdd(Old, X), Cell, Alignment);
    Old->setAAMetadata(Tags);
    New->setAAMetadata(Tags);
  };
  AddTo(B, Cell, Sum[Min]);

  IRBuilder<> Behind(Exit, Exit->getFirstInsertionPt());
  for (int64_t D = Min + 1; D <= Max; ++D) {
    PHINode *X = PHINode::Create(T, 1, "travelled", Exit->begin());
    X->addIncoming(Sum[D], Body);
    Value *Target = Behind.CreateConstGEP1_64(Behind.getInt8Ty(), EndCell,
                                              uint64_t((D - Min) * Step));
    // A cell that so few iterations have not come to is left alone.
    if (int64_t Next = Ahead.lower_bound(D)->first; Next != D) {
      Value *IsReached = Behind.CreateICmpUGE(
          Latest, ConstantInt::get(Latest->getType(), uint64_t(Next - D)));
      Target = Behind.CreateSelect(IsReached, Target, EndCell);
    }
    AddTo(Behind, Target, X);
  }
  SE.forgetLoop(&L);
}
