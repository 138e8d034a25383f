//===- ApartAtRunTime.cpp - rows that a check tells apart -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/ApartAtRunTime.h"
#include "LLVMCompat.h"
#include "emit/VersionLoop.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

bool verso::movesOn(StoreInst &Store, const Loop &L, ScalarEvolution &SE) {
  auto *Evolution =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Store.getPointerOperand()));
  if (!Evolution || Evolution->getLoop() != &L || !Evolution->isAffine())
    return false;
  auto *Step = dyn_cast<SCEVConstant>(Evolution->getStepRecurrence(SE));
  uint64_t Size = Store.getDataLayout().getTypeStoreSize(
      Store.getValueOperand()->getType());
  return Step && Step->getAPInt().abs().uge(Size);
}

//===----------------------------------------------------------------------===//
// What has to be told apart
//===----------------------------------------------------------------------===//

/// Every iteration makes every access, so that with steps of less than a page
/// no address wraps: page zero would be on the way.
bool ApartAtRunTime::addToRange(Instruction &I) {
  constexpr int64_t MaxStep = 4096, MaxOffset = 1 << 20;
  const SCEV *Start = SE.getSCEV(getLoadStorePointerOperand(&I));
  int64_t Step = 0;
  if (auto *E = dyn_cast<SCEVAddRecExpr>(Start)) {
    auto *C = dyn_cast<SCEVConstant>(E->getStepRecurrence(SE));
    if (E->getLoop() != &L || !E->isAffine() || !C ||
        C->getAPInt().abs().ugt(MaxStep))
      return false;
    Step = C->getAPInt().getSExtValue();
    Start = E->getStart();
  }
  TypeSize Bytes = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  if (!SE.isLoopInvariant(Start, &L) || Bytes.isScalable())
    return false;
  for (Range &R : Ranges) {
    if (R.Step != Step || R.Start->getType() != Start->getType())
      continue;
    auto *D = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Start, R.Start));
    if (!D || D->getAPInt().abs().ugt(MaxOffset))
      continue;
    R.Accesses.push_back({&I, D->getAPInt().getSExtValue(), Bytes});
    return true;
  }
  Ranges.push_back({Start, Step, {{&I, 0, Bytes}}});
  return true;
}

/// Whether accesses of a range meet in additions alone, or in one iteration.
bool ApartAtRunTime::onlyAdditionsMeet(
    const Range &R, const DenseMap<const Instruction *, unsigned> &Owner,
    AdditionPairs &Conflicts) const {
  for (const Access &A : R.Accesses)
    for (const Access &B : R.Accesses) {
      if (A.I == B.I || !isa<StoreInst>(A.I))
        continue;
      // What goes through one address is in order already; or is it another?
      if (A.Offset == B.Offset) {
        if (getLoadStoreType(A.I) != getLoadStoreType(B.I) ||
            SE.getSCEV(getLoadStorePointerOperand(A.I)) !=
                SE.getSCEV(getLoadStorePointerOperand(B.I)))
          return false;
        continue;
      }
      // Interleaved, as the parts of complex numbers.
      if (uint64_t Step = std::abs(R.Step)) {
        uint64_t Ahead =
            uint64_t(B.Offset - A.Offset + (int64_t(1) << 40) * int64_t(Step)) %
            Step;
        if (Ahead >= A.Bytes && Step - Ahead >= B.Bytes)
          continue;
      }
      auto OfA = Owner.find(A.I), OfB = Owner.find(B.I);
      if (OfA == Owner.end() || OfB == Owner.end())
        return false;
      Conflicts.insert(std::minmax(OfA->second, OfB->second));
    }
  return true;
}

bool ApartAtRunTime::mayMeet(const Range &R, const Range &S) {
  auto Location = [](const Access &A) {
    return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(A.I),
                                            A.I->getAAMetadata());
  };
  for (const Access &A : R.Accesses)
    for (const Access &B : S.Accesses)
      if ((isa<StoreInst>(A.I) || isa<StoreInst>(B.I)) &&
          (!compat::isSoundAcrossIterations(Location(A).Ptr) ||
           AA.alias(Location(A), Location(B)) != AliasResult::NoAlias))
        return true;
  return false;
}

bool ApartAtRunTime::find(const DenseMap<const Instruction *, unsigned> &Owner,
                          AdditionPairs &Conflicts) {
  constexpr unsigned MaxRanges = 32;
  AA.enableCrossIterationMode();
  for (Instruction &I : *L.getHeader()) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if ((Store && !movesOn(*Store, L, SE)) ||
        (isa<LoadInst, StoreInst>(I) && !addToRange(I)))
      return false;
  }
  // Columns: vectors along the other loop, which is unrolled, are better.
  constexpr uint64_t MaxGap = 4;
  if (any_of(Ranges, [](const Range &R) {
        return any_of(R.Accesses, [&](const Access &A) {
          return isa<StoreInst>(A.I) &&
                 uint64_t(std::abs(R.Step)) > MaxGap * A.Bytes;
        });
      }))
    return false;
  if (Ranges.size() > MaxRanges)
    return false;
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SCEVExpander Expander = compat::scevExpander(SE, "apart");
  for (unsigned K = 0; K != Ranges.size(); ++K) {
    if (!onlyAdditionsMeet(Ranges[K], Owner, Conflicts))
      return false;
    for (unsigned N = 0; N != K; ++N)
      if (mayMeet(Ranges[K], Ranges[N]))
        Checks.push_back({N, K});
  }
  if (!Checks.empty() && (SE.getTypeSizeInBits(Count->getType()) > 64 ||
                          !Expander.isSafeToExpandAt(Count, At)))
    return false;
  return all_of(Checks, [&](auto Pair) {
    return Expander.isSafeToExpandAt(Ranges[Pair.first].Start, At) &&
           Expander.isSafeToExpandAt(Ranges[Pair.second].Start, At);
  });
}

//===----------------------------------------------------------------------===//
// The check
//===----------------------------------------------------------------------===//

/// The first byte, and the one behind the last.
std::pair<const SCEV *, const SCEV *>
ApartAtRunTime::boundsOf(const Range &R) const {
  Type *T = SE.getEffectiveSCEVType(R.Start->getType());
  const SCEV *Count =
      SE.getTruncateOrZeroExtend(SE.getBackedgeTakenCount(&L), T);
  const SCEV *Low = R.Start, *High = R.Start;
  const SCEV *&Moved = R.Step < 0 ? Low : High;
  Moved = SE.getAddExpr(
      R.Start,
      SE.getMulExpr(Count, SE.getConstant(T, R.Step, /*isSigned=*/true)));
  int64_t Least = 0, Most = 0;
  for (const Access &A : R.Accesses) {
    Least = std::min(Least, A.Offset);
    Most = std::max(Most, A.Offset + int64_t(A.Bytes));
  }
  auto Shift = [&](const SCEV *P, int64_t By) {
    return SE.getAddExpr(P, SE.getConstant(T, By, /*isSigned=*/true));
  };
  return {Shift(Low, Least), Shift(High, Most)};
}

/// preheader: if (ranges are apart) goto the loop, else to a copy of it
void ApartAtRunTime::version(LoopInfo &LI, DominatorTree &DT) {
  if (Checks.empty())
    return;
  formLCSSA(L, DT, &LI, &SE);
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SCEVExpander Expander = compat::scevExpander(SE, "apart");
  IRBuilder<> B(At);
  SmallVector<std::pair<Value *, Value *>, 8> Bounds(Ranges.size());
  auto BoundsOf = [&](unsigned K) {
    if (!Bounds[K].first) {
      auto [Low, High] = boundsOf(Ranges[K]);
      Bounds[K] = {Expander.expandCodeFor(Low, B.getPtrTy(), At),
                   Expander.expandCodeFor(High, B.getPtrTy(), At)};
    }
    return Bounds[K];
  };
  Value *Apart = nullptr;
  for (auto [P, Q] : Checks) {
    auto [LowP, HighP] = BoundsOf(P);
    auto [LowQ, HighQ] = BoundsOf(Q);
    Value *This =
        B.CreateOr(B.CreateICmpULE(HighP, LowQ), B.CreateICmpULE(HighQ, LowP));
    Apart = Apart ? B.CreateAnd(Apart, This) : This;
  }
  ValueToValueMapTy Map;
  versionLoop(L, Apart, ".close", Map, LI, DT, SE);
  annotate();
}

void ApartAtRunTime::annotate() const {
  LLVMContext &C = L.getHeader()->getContext();
  MDBuilder MDB(C);
  MDNode *Domain = MDB.createAnonymousAliasScopeDomain("verso.apart");
  SmallVector<Metadata *, 8> Scopes;
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  for (size_t K = 0; K != Ranges.size(); ++K) {
    Scopes.push_back(MDB.createAnonymousAliasScope(Domain));
    B.CreateNoAliasScopeDeclaration(MDNode::get(C, {Scopes.back()}));
  }
  for (auto [K, R] : enumerate(Ranges)) {
    SmallVector<Metadata *, 8> Others;
    for (auto [P, Q] : Checks)
      if (P == K || Q == K)
        Others.push_back(Scopes[P == K ? Q : P]);
    auto Add = [&](Instruction &I, unsigned Kind, ArrayRef<Metadata *> More) {
      I.setMetadata(
          Kind, MDNode::concatenate(I.getMetadata(Kind), MDNode::get(C, More)));
    };
    for (const Access &A : R.Accesses) {
      Add(*A.I, LLVMContext::MD_alias_scope, {Scopes[K]});
      if (!Others.empty())
        Add(*A.I, LLVMContext::MD_noalias, Others);
    }
  }
}
