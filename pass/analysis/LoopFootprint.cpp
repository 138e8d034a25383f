//===- LoopFootprint.cpp - the cells that a nest comes to -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/LoopFootprint.h"
#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "prepare/LinearBits.h"

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
        Expander(compat::scevExpander(SE, "footprint")),
        At(L.getLoopPreheader()->getTerminator()) {}

  std::optional<LoopFootprint> find();

private:
  bool countIterations(Loop &Inner);
  bool isKnown(const SCEV *S);
  bool conditionsOf(BasicBlock *Block,
                    SmallVectorImpl<LoopFootprint::Condition> &If);
  bool addAccess(Instruction &I);
  bool addClear(MemSetInst &Clear);
  bool addCells(LoopFootprint::Access A, const SCEV *Address,
                LoopFootprint::Dimension *Inner);
  void typeClears();
  bool areNeighbours(const LoopFootprint::Access &A,
                     const LoopFootprint::Access &B);
  void estimate(ArrayRef<std::pair<BasicBlock *, unsigned>> Operations);
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
    bool Then =
        DT.dominates(BasicBlockEdge(Before, Branch->getSuccessor(0)), Block);
    bool Else =
        DT.dominates(BasicBlockEdge(Before, Branch->getSuccessor(1)), Block);
    Value *Condition = Branch->getCondition();
    if (Then == Else || !isKnown(SE.getSCEV(Condition)))
      return false;
    If.push_back({Condition, Then});
  }
  return true;
}

/// Whether the integer that \p Load loads may be the bits of a number whose
/// derivative is asked for: by its address, or as it becomes one.
static bool mayLoadBits(const LoadInst &Load) {
  constexpr unsigned MaxUsers = 64;
  if (!isIntegerForCertain(Load) || mayBeOfNumber(Load))
    return true;
  SmallPtrSet<const User *, 16> Seen;
  SmallVector<const Value *, 16> Work{&Load};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<BitCastInst>(U) && U->getType()->isFPOrFPVectorTy())
        return true;
      if (!U->getType()->isIntOrIntVectorTy() || isa<ICmpInst, LoadInst>(U) ||
          !Seen.insert(U).second)
        continue;
      if (Seen.size() == MaxUsers)
        return true;
      Work.push_back(U);
    }
  return false;
}

bool FootprintFinder::addAccess(Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (Load ? !Load->isSimple() : !cast<StoreInst>(I).isSimple())
    return false;
  Type *T = getLoadStoreType(&I);
  bool IsNumber = T->isFloatTy() || T->isDoubleTy();
  bool IsInteger = Load && T->isIntegerTy() &&
                   T->getIntegerBitWidth() % 8 == 0 &&
                   T->getIntegerBitWidth() <= 64 && !mayLoadBits(*Load);
  if (!IsNumber && !IsInteger)
    return false;
  if (IsNumber && getLoadStoreAlignment(&I).value() * 8 <
                      T->getPrimitiveSizeInBits().getFixedValue())
    return false;
  return addCells({&I, T, !Load, nullptr, nullptr, {}, {}},
                  SE.getSCEV(getLoadStorePointerOperand(&I)), nullptr);
}

/// What type it is of is known when all other accesses are (typeClears).
bool FootprintFinder::addClear(MemSetInst &Clear) {
  auto *Value = dyn_cast<ConstantInt>(Clear.getValue());
  const SCEV *Bytes = SE.getSCEV(Clear.getLength());
  if (!Value || !Value->isZero() || Clear.isVolatile() || !isKnown(Bytes) ||
      SE.getTypeSizeInBits(Bytes->getType()) > 64)
    return false;
  LoopFootprint::Dimension Inner = {nullptr,
                                    SE.getNoopOrZeroExtend(Bytes, Int64)};
  return addCells({&Clear, nullptr, true, nullptr, nullptr, {}, {}},
                  SE.getSCEV(Clear.getRawDest()), &Inner);
}

/// \p Inner, if there is any, is the innermost dimension.
bool FootprintFinder::addCells(LoopFootprint::Access A, const SCEV *Address,
                               LoopFootprint::Dimension *Inner) {
  const SCEV *S = Address;
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
  if (Inner)
    A.Dimensions.push_back(*Inner);
  BasicBlock *Block = A.I->getParent();
  for (const auto &[Around, Count] : reverse(Counts))
    if (Around->contains(Block) && Steps.contains(Around))
      A.Dimensions.push_back(
          {SE.getNoopOrSignExtend(Steps[Around], Int64), Count});
  if (A.Dimensions.size() != Steps.size() + (Inner ? 1 : 0) ||
      A.Dimensions.size() > MostDimensions || !conditionsOf(Block, A.If))
    return false;
  Found.Accesses.push_back(std::move(A));
  return true;
}

/// Zeros are of the type of the numbers that the nest accesses there: each of
/// them, or an array that begins where they do.
void FootprintFinder::typeClears() {
  for (LoopFootprint::Access &Clear : Found.Accesses) {
    if (Clear.T)
      continue;
    LoopFootprint::Dimension &Inner = Clear.Dimensions.front();
    auto IsAt = [&](const LoopFootprint::Access &A, uint64_t Offset) {
      if (!A.T || !A.T->isFloatingPointTy() || A.Base != Clear.Base)
        return false;
      const SCEV *Distance = SE.getMinusSCEV(A.First, Clear.First);
      auto *Known = dyn_cast<SCEVConstant>(Distance);
      return Known && Known->getAPInt() == Offset;
    };
    auto IsArray = [&](const LoopFootprint::Access &A) {
      if (!IsAt(A, 0) || A.Dimensions.empty())
        return false;
      auto *Step = dyn_cast<SCEVConstant>(A.Dimensions.front().Step);
      return Step && Step->getAPInt() == A.T->getPrimitiveSizeInBits() / 8;
    };
    const LoopFootprint::Access *Like = find_if(Found.Accesses, IsArray);
    if (Like == Found.Accesses.end()) {
      Like = find_if(Found.Accesses, [&](const LoopFootprint::Access &A) {
        return IsAt(A, 0);
      });
      auto *Bytes = dyn_cast<SCEVConstant>(Inner.Count);
      if (Like == Found.Accesses.end() || !Bytes)
        return;
      uint64_t Size = Like->T->getPrimitiveSizeInBits() / 8;
      for (uint64_t At = Size; At < Bytes->getAPInt().getZExtValue();
           At += Size)
        if (none_of(Found.Accesses, [&](const LoopFootprint::Access &A) {
              return A.T == Like->T && IsAt(A, At);
            }))
          return;
    }
    Clear.T = Like->T;
    uint64_t Size = Clear.T->getPrimitiveSizeInBits() / 8;
    if (SE.getMinTrailingZeros(Inner.Count) < Log2_64(Size))
      Found.Multiples.push_back({Inner.Count, Size});
    Inner.Step = SE.getConstant(Int64, Size);
    Inner.Count = SE.getUDivExpr(Inner.Count, Inner.Step);
  }
}

/// Whether the cells of both are mostly the same: they are some steps apart.
bool FootprintFinder::areNeighbours(const LoopFootprint::Access &A,
                                    const LoopFootprint::Access &B) {
  if (A.Base != B.Base)
    return false;
  const SCEV *Distance = SE.getMinusSCEV(A.First, B.First);
  if (isa<SCEVCouldNotCompute>(Distance))
    return false;
  Distance = SE.getNoopOrSignExtend(Distance, Int64);
  auto IsSteps = [&](const SCEV *S) {
    auto *Known = dyn_cast<SCEVConstant>(S);
    if (!Known || Known->isZero() || B.Dimensions.empty())
      return Known && Known->isZero();
    auto *Step = dyn_cast<SCEVConstant>(B.Dimensions.front().Step);
    return Step && Known->getAPInt().srem(Step->getAPInt()).isZero();
  };
  if (IsSteps(Distance))
    return true;
  return any_of(B.Dimensions, [&](const LoopFootprint::Dimension &D) {
    const SCEV *Twice = SE.getAddExpr(D.Step, D.Step);
    return IsSteps(SE.getMinusSCEV(Distance, D.Step)) ||
           IsSteps(SE.getAddExpr(Distance, D.Step)) ||
           IsSteps(SE.getMinusSCEV(Distance, Twice)) ||
           IsSteps(SE.getAddExpr(Distance, Twice));
  });
}

void FootprintFinder::estimate(
    ArrayRef<std::pair<BasicBlock *, unsigned>> Operations) {
  constexpr double Middling = 32;
  auto Assumed = [](const SCEV *Count) {
    auto *Known = dyn_cast<SCEVConstant>(Count);
    return Known ? Known->getAPInt().roundToDouble() : Middling;
  };
  double Work = 0, Cells = 0;
  for (auto [Block, Number] : Operations) {
    double Here = Number;
    for (const auto &[Around, Count] : Counts)
      if (Around->contains(Block))
        Here *= Assumed(Count);
    Work += Here;
  }
  SmallVector<std::pair<const LoopFootprint::Access *, double>, 8> Apart;
  for (const LoopFootprint::Access &A : Found.Accesses) {
    double Here = 1;
    for (const LoopFootprint::Dimension &D : A.Dimensions)
      Here *= Assumed(D.Count);
    auto It = find_if(Apart, [&](const auto &Other) {
      return areNeighbours(A, *Other.first);
    });
    if (It == Apart.end())
      Apart.push_back({&A, Here});
    else
      It->second = std::max(It->second, Here);
  }
  for (const auto &[A, Number] : Apart)
    Cells += Number;
  Found.WorkOfCell = Cells ? Work / Cells : 0;
}

/// Whether \p I may be done again, and has no effect but its value.
bool FootprintFinder::mayStay(Instruction &I) {
  if (isa<LoadInst, StoreInst>(I))
    return addAccess(I);
  if (auto *Clear = dyn_cast<MemSetInst>(&I))
    return addClear(*Clear);
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

static unsigned operationsOf(const Instruction &I) {
  if (!I.getType()->isFloatingPointTy() || isa<LoadInst, PHINode>(I))
    return 0;
  auto *II = dyn_cast<IntrinsicInst>(&I);
  return II && (II->getIntrinsicID() == Intrinsic::fmuladd ||
                II->getIntrinsicID() == Intrinsic::fma)
             ? 2
             : 1;
}

std::optional<LoopFootprint> FootprintFinder::find() {
  if (!countIterations(L))
    return std::nullopt;
  const SCEV *Work = SE.getZero(Int64);
  SmallVector<std::pair<BasicBlock *, unsigned>, 8> Operations;
  for (BasicBlock *Block : L.blocks()) {
    unsigned Here = 0;
    for (Instruction &I : *Block) {
      if (!mayStay(I))
        return std::nullopt;
      Here += operationsOf(I);
    }
    if (!Here)
      continue;
    Operations.push_back({Block, Here});
    const SCEV *Product = SE.getConstant(Int64, Here);
    for (const auto &[Inner, Count] : Counts)
      if (Inner->contains(Block))
        Product = SE.getMulExpr(Product, Count);
    Work = SE.getAddExpr(Work, Product);
  }
  Found.Work = Work;
  typeClears();
  if (any_of(Found.Accesses,
             [](const LoopFootprint::Access &A) { return !A.T; }))
    return std::nullopt;
  estimate(Operations);
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
