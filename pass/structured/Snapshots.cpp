//===- Snapshots.cpp - memory that is copied for the verso ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Snapshots.h"
#include "emit/Runtime.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace verso;

/// What a nest may read in vain, in elements: at the ends of its rows.
static constexpr int64_t Margin = 16;

static bool isSmall(const SCEV *Bytes, int64_t Limit) {
  auto *C = dyn_cast<SCEVConstant>(Bytes);
  return C && C->getAPInt().abs().ule(uint64_t(Limit));
}

/// Whether \p A and \p B are about as large. It is no more than a guess of what
/// a copy costs, so the lower halves are compared: a count `n - 2` and a row's
/// length n were extended from `int` one by one.
static bool areClose(const SCEV *A, const SCEV *B, int64_t Limit,
                     ScalarEvolution &SE) {
  auto Low = [&](const SCEV *S) {
    return SE.getTruncateOrNoop(S, Type::getInt32Ty(SE.getContext()));
  };
  return isSmall(SE.getMinusSCEV(A, B), Limit) ||
         isSmall(SE.getMinusSCEV(Low(A), Low(B)), Limit);
}

static bool mayLeave(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) {
      return !isGuaranteedToTransferExecutionToSuccessor(&I);
    });
  });
}

/// The outermost nest around Load in which nothing writes to what it reads, and
/// which leaves no iteration out.
std::optional<Snapshots::Stream> Snapshots::streamOf(LoadInst &Load) const {
  Stream S{&Load, nullptr, nullptr, {}, {}};
  Type *I64 = Type::getInt64Ty(Load.getContext());
  S.First = SE.getSCEV(Load.getPointerOperand());
  const BasicBlock *Inside = Load.getParent();
  for (Loop *L = LI.getLoopFor(Inside); L; L = L->getParentLoop()) {
    const SCEV *Count = SE.getBackedgeTakenCount(L);
    auto Conditions = S.Conditions;
    if (!R.isReversed(L) || !L->getLoopPreheader() || !L->getLoopLatch() ||
        L->getExitingBlock() != L->getLoopLatch() || mayLeave(*L) ||
        !R.findEntry(*Inside, *L, Conditions) ||
        !R.areSettledBefore(*L, Conditions) ||
        isa<SCEVCouldNotCompute>(Count) || !Count->getType()->isIntegerTy() ||
        SE.getTypeSizeInBits(Count->getType()) > 64 ||
        !Memory.isUnchangedWithin(Load, *L) ||
        any_of(S.Steps, [&](const Step &Each) {
          return !SE.isLoopInvariant(Each.Bytes, L) ||
                 !SE.isLoopInvariant(Each.Count, L);
        }))
      break;
    const SCEV *Bytes = SE.getZero(I64);
    if (auto *E = dyn_cast<SCEVAddRecExpr>(S.First); E && E->getLoop() == L) {
      Bytes = E->getStepRecurrence(SE);
      if (!E->isAffine() || !SE.isLoopInvariant(Bytes, L) ||
          Bytes->getType() != I64)
        break;
      S.First = E->getStart();
    } else if (!SE.isLoopInvariant(S.First, L)) {
      break;
    }
    S.Steps.push_back({L, Bytes, SE.getNoopOrZeroExtend(Count, I64)});
    S.Nest = L;
    S.Conditions = std::move(Conditions);
    Inside = L->getLoopPreheader();
  }
  if (!S.Nest || !SE.isLoopInvariant(S.First, S.Nest))
    return std::nullopt;
  return S;
}

/// Whether the rows that a nest reads, and its rows of rows, lie close to one
/// another, so that it reads most of what is between its first byte and its
/// last.
bool Snapshots::isDense(const Stream &S) const {
  int64_t Size = S.Load->getDataLayout().getTypeStoreSize(S.Load->getType());
  const SCEV *Extent = nullptr; // Of what the loops inside read.
  for (const Step &Each : S.Steps) {
    if (Each.Bytes->isZero())
      continue;
    if (!Extent ? !isSmall(Each.Bytes, Size)
                : !areClose(Each.Bytes, Extent, Margin * Size, SE))
      return false;
    Extent = SE.getMulExpr(
        Each.Bytes,
        SE.getAddExpr(Each.Count, SE.getOne(Each.Count->getType())));
  }
  return Extent;
}

/// Whether A and B are in one loop nest, some elements or a row apart, and both
/// read or neither.
bool Snapshots::isNear(const Stream &A, const Stream &B) const {
  if (A.Nest != B.Nest || A.Load->getType() != B.Load->getType() ||
      A.Steps.size() != B.Steps.size() ||
      A.First->getType() != B.First->getType() ||
      !equal(A.Conditions, B.Conditions))
    return false;
  for (auto [P, Q] : zip(A.Steps, B.Steps))
    if (P.L != Q.L || P.Bytes != Q.Bytes)
      return false;
  const SCEV *Distance = SE.getMinusSCEV(A.First, B.First);
  if (isa<SCEVCouldNotCompute>(Distance))
    return false;
  int64_t Limit =
      Margin * A.Load->getDataLayout().getTypeStoreSize(A.Load->getType());
  return isSmall(Distance, Limit) || any_of(A.Steps, [&](const Step &Each) {
           return isSmall(SE.getMinusSCEV(Distance, Each.Bytes), Limit) ||
                  isSmall(SE.getAddExpr(Distance, Each.Bytes), Limit);
         });
}

/// s = take(behind - lowest); copy(s, lowest, behind - lowest)
bool Snapshots::take(const Group &G) {
  const Stream &S = G[0];
  Instruction *At = S.Nest->getLoopPreheader()->getTerminator();
  Type *I64 = Type::getInt64Ty(At->getContext());
  // From the first byte that S reads first.
  const SCEV *Zero = SE.getZero(I64), *Lowest = Zero, *Highest = Zero;
  for (const Stream &Each : G) {
    const SCEV *Distance = SE.getMinusSCEV(Each.First, S.First);
    Lowest = SE.getSMinExpr(Lowest, Distance);
    Highest = SE.getSMaxExpr(Highest, Distance);
  }
  for (const Step &Each : S.Steps) {
    const SCEV *Way = SE.getMulExpr(Each.Bytes, Each.Count);
    Lowest = SE.getAddExpr(Lowest, SE.getSMinExpr(Way, Zero));
    Highest = SE.getAddExpr(Highest, SE.getSMaxExpr(Way, Zero));
  }
  uint64_t Size = At->getDataLayout().getTypeStoreSize(S.Load->getType());
  const SCEV *Bytes = SE.getAddExpr(SE.getMinusSCEV(Highest, Lowest),
                                    SE.getConstant(I64, Size));
  SmallVector<const SCEV *, 8> All{S.First, Lowest, Bytes};
  for (const Step &Each : S.Steps)
    All.push_back(Each.Bytes);
  for (const Stream &Each : G)
    All.push_back(SE.getMinusSCEV(Each.First, S.First));
  if (any_of(All, [&](const SCEV *E) {
        return !SE.isLoopInvariant(E, S.Nest) || !R.canExpand(E, At);
      }))
    return false;
  auto Emit = [&](const SCEV *E) { return R.expand(E, At); };
  Value *Start = Emit(S.First);
  Value *Low = Emit(Lowest), *N = Emit(Bytes);
  SmallVector<Value *, 2> Steps;
  for (const Step &Each : S.Steps)
    Steps.push_back(Emit(Each.Bytes));
  SmallVector<Value *, 4> Distances;
  for (const Stream &Each : G)
    Distances.push_back(Emit(SE.getMinusSCEV(Each.First, S.First)));

  IRBuilder<> B(At);
  if (Value *IsRead = R.emitEntry(*S.Nest, S.Conditions, B))
    N = B.CreateSelect(IsRead, N, B.getInt64(0));
  CallInst *Room = callRuntime(B, RuntimeFunction::ArenaTake, {N});
  Room->addRetAttr(Attribute::NoAlias);
  CallInst *Copy = B.CreateMemCpy(Room, MaybeAlign(),
                                  B.CreatePtrAdd(Start, Low), MaybeAlign(), N);
  Copies.push_back({Copy, S.Load});
  for (auto [Each, Distance] : zip(G, Distances)) {
    Source &From = Sources[Each.Load];
    // Not through the folding builder: it has to be an instruction.
    From.Start = GetElementPtrInst::Create(B.getInt8Ty(), Room,
                                           B.CreateSub(Distance, Low),
                                           "snapshot", At->getIterator());
    for (auto [Step, Bytes] : zip(S.Steps, Steps))
      From.Steps.push_back({Step.L, Bytes});
  }
  return true;
}

unsigned Snapshots::depthOf(const Group &G) {
  return G[0].Nest->getLoopDepth() - 1 +
         count_if(G[0].Steps, [](const Step &S) { return !S.Bytes->isZero(); });
}

SmallVector<Snapshots::Group, 4>
Snapshots::groupsOf(ArrayRef<LoadInst *> Loads) const {
  SmallVector<Group, 4> Groups;
  for (LoadInst *Load : Loads) {
    std::optional<Stream> S = streamOf(*Load);
    if (!S || !isDense(*S))
      continue;
    // Two that are not near to one another may both be near to a third.
    Group All{*S};
    erase_if(Groups, [&](Group &G) {
      bool IsNear =
          any_of(G, [&](const Stream &Each) { return isNear(*S, Each); });
      if (IsNear)
        append_range(All, G);
      return IsNear;
    });
    Groups.push_back(std::move(All));
  }
  return Groups;
}
