//===- LoopFootprint.cpp - the cells that a nest comes to -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/LoopFootprint.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

namespace {

class FootprintFinder {
public:
  FootprintFinder(Loop &L, unsigned MostDimensions, ScalarEvolution &SE,
                  const DominatorTree &DT, const PostDominatorTree &PDT,
                  const TargetLibraryInfo *TLI)
      : L(L), MostDimensions(MostDimensions), SE(SE), DT(DT), PDT(PDT),
        TLI(TLI), Int64(Type::getInt64Ty(L.getHeader()->getContext())),
        Expander(SE, "footprint"), At(L.getLoopPreheader()->getTerminator()) {}

  std::optional<LoopFootprint> find();

private:
  bool countIterations(Loop &Inner);
  bool isKnown(const SCEV *S);
  bool conditionsOf(BasicBlock *Block,
                    SmallVectorImpl<LoopFootprint::Condition> &If);
  bool addAccess(Instruction &I);
  bool mayStay(Instruction &I);

  Loop &L;
  const unsigned MostDimensions;
  ScalarEvolution &SE;
  const DominatorTree &DT;
  const PostDominatorTree &PDT;
  const TargetLibraryInfo *TLI;
  Type *Int64;
  SCEVExpander Expander;
  Instruction *At;
  /// Outer loops first.
  SmallVector<std::pair<const Loop *, const SCEV *>, 4> Counts;
  LoopFootprint Found;
};

} // namespace

/// Whether \p S does not change in the nest and can be computed before it.
bool FootprintFinder::isKnown(const SCEV *S) {
  return SE.isLoopInvariant(S, &L) && Expander.isSafeToExpandAt(S, At);
}

/// Whether all loops run as often as is known beforehand, from the top of their
/// bodies to the end.
bool FootprintFinder::countIterations(Loop &Inner) {
  if (!Inner.isLoopSimplifyForm() || !Inner.getLoopLatch() ||
      Inner.getExitingBlock() != Inner.getLoopLatch())
    return false;
  const SCEV *Taken = SE.getBackedgeTakenCount(&Inner);
  if (isa<SCEVCouldNotCompute>(Taken) ||
      SE.getTypeSizeInBits(Taken->getType()) > 64 || !isKnown(Taken))
    return false;
  Counts.push_back({&Inner, SE.getAddExpr(SE.getNoopOrZeroExtend(Taken, Int64),
                                          SE.getOne(Int64))});
  return all_of(Inner, [&](Loop *Next) { return countIterations(*Next); });
}

/// What decides, besides the loops, whether \p Block is come to; false if that
/// changes in the nest.
bool FootprintFinder::conditionsOf(
    BasicBlock *Block, SmallVectorImpl<LoopFootprint::Condition> &If) {
  for (; Block != L.getHeader();
       Block = DT.getNode(Block)->getIDom()->getBlock()) {
    BasicBlock *Before = DT.getNode(Block)->getIDom()->getBlock();
    if (PDT.dominates(Block, Before))
      continue;
    auto *Branch = dyn_cast<BranchInst>(Before->getTerminator());
    if (!Branch || !Branch->isConditional())
      return false;
    bool Then = DT.dominates(BasicBlockEdge(Before, Branch->getSuccessor(0)),
                             Block);
    bool Else = DT.dominates(BasicBlockEdge(Before, Branch->getSuccessor(1)),
                             Block);
    Value *Condition = Branch->getCondition();
    if (Then == Else || !isKnown(SE.getSCEV(Condition)))
      return false;
    If.push_back({Condition, Then});
  }
  return true;
}

bool FootprintFinder::addAccess(Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (Load ? !Load->isSimple() : !cast<StoreInst>(I).isSimple())
    return false;
  Type *T = getLoadStoreType(&I);
  bool IsNumber = T->isFloatTy() || T->isDoubleTy();
  // Bits of numbers may be moved as integers.
  bool IsInteger = Load && T->isIntegerTy() && T->getIntegerBitWidth() % 8 == 0 &&
                   T->getIntegerBitWidth() <= 64 && isIntegerForCertain(I);
  if (!IsNumber && !IsInteger)
    return false;
  if (IsNumber && getLoadStoreAlignment(&I).value() * 8 <
                      T->getPrimitiveSizeInBits().getFixedValue())
    return false;
  LoopFootprint::Access A;
  A.I = &I;
  const SCEV *S = SE.getSCEV(getLoadStorePointerOperand(&I));
  SmallDenseMap<const Loop *, const SCEV *, 4> Steps;
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!L.contains(Rec->getLoop()))
      break;
    const SCEV *Step = Rec->isAffine() ? Rec->getStepRecurrence(SE) : nullptr;
    if (!Step || !isKnown(Step))
      return false;
    Steps[Rec->getLoop()] = Step;
    S = Rec->getStart();
  }
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(S));
  if (!isKnown(S) || !Base || !Base->getType()->isPointerTy())
    return false;
  A.First = S;
  A.Base = Base->getValue();
  BasicBlock *Block = I.getParent();
  for (const auto &[Inner, Count] : reverse(Counts))
    if (Inner->contains(Block) && Steps.contains(Inner))
      A.Dimensions.push_back(
          {SE.getNoopOrSignExtend(Steps[Inner], Int64), Count});
  if (A.Dimensions.size() != Steps.size() ||
      A.Dimensions.size() > MostDimensions || !conditionsOf(Block, A.If))
    return false;
  Found.Accesses.push_back(std::move(A));
  return true;
}

/// Whether \p I may be done again, and has no effect but its value.
bool FootprintFinder::mayStay(Instruction &I) {
  if (isa<LoadInst, StoreInst>(I))
    return addAccess(I);
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return !I.mayReadOrWriteMemory() && !I.mayThrow() && !isa<AllocaInst>(I);
  if (isa<DbgInfoIntrinsic>(Call))
    return true;
  // What it may write is errno.
  return isa<CallInst>(Call) && !Call->hasOperandBundles() &&
         modelCall(*Call, TLI).K == CallModel::Operation &&
         none_of(Call->args(),
                 [](const Use &U) { return U->getType()->isPointerTy(); });
}

std::optional<LoopFootprint> FootprintFinder::find() {
  if (!countIterations(L))
    return std::nullopt;
  const SCEV *Work = SE.getZero(Int64);
  for (BasicBlock *Block : L.blocks()) {
    unsigned Here = 0;
    for (Instruction &I : *Block) {
      if (!mayStay(I))
        return std::nullopt;
      Here += I.getType()->isFloatingPointTy() && !isa<LoadInst, PHINode>(I);
    }
    if (!Here)
      continue;
    const SCEV *Product = SE.getConstant(Int64, Here);
    for (const auto &[Inner, Count] : Counts)
      if (Inner->contains(Block))
        Product = SE.getMulExpr(Product, Count);
    Work = SE.getAddExpr(Work, Product);
  }
  Found.Work = Work;
  return std::move(Found);
}

std::optional<LoopFootprint>
verso::footprintOf(Loop &L, unsigned MostDimensions, ScalarEvolution &SE,
                   const DominatorTree &DT, const PostDominatorTree &PDT,
                   const TargetLibraryInfo *TLI) {
  if (!L.isLoopSimplifyForm() || !L.getUniqueExitBlock())
    return std::nullopt;
  return FootprintFinder(L, MostDimensions, SE, DT, PDT, TLI).find();
}
