//===- RowPairs.cpp - reversed rows, several at a time --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/RowPairs.h"
#include "LLVMCompat.h"
#include "emit/VersionLoop.h"
#include "structured/loops/RunUp.h"
#include "structured/loops/SumOrder.h"
#include "structured/loops/TravellingSums.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace verso;

namespace {

class RowPairs {
public:
  RowPairs(Loop &Inner, Function &F, FunctionAnalysisManager &FAM)
      : Inner(Inner), Rows(*Inner.getParentLoop()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)), F(F), FAM(FAM),
        Expander(compat::scevExpander(SE, "rows")),
        Top(Rows.getLoopPreheader()) {}

  bool pair();

private:
  /// Start + RowStep * row + Step * i, of accesses a constant distance apart. A
  /// row's own accesses have no step.
  struct Range {
    const SCEV *Start, *RowStep;
    int64_t Step;
    struct Access {
      Instruction *I;
      int64_t Offset;
      uint64_t Bytes;
      bool Adds;
    };
    SmallVector<Access, 6> Accesses;
    int64_t Least = 0, Most = 0;
  };

  bool isNest() const;
  bool isFromInner(const Value *V) const;
  bool addToRange(Instruction &I, bool Adds);
  bool meetInAdditions() const;
  bool sumUpTheSame() const;
  bool mayMeet(const Range::Access &A, const Range::Access &B);
  bool findChecks();
  const SCEV *lengthOf(const Range &R);
  Value *areRowsApart(IRBuilderBase &B, const Range &R);
  Value *areApart(IRBuilderBase &B, const Range &R, const Range &S);
  std::pair<Value *, Value *> boundsOf(IRBuilderBase &B, const Range &R);
  void version();

  Loop &Inner, &Rows;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  BatchAAResults AA;
  Function &F;
  FunctionAnalysisManager &FAM;
  SCEVExpander Expander;
  BasicBlock *Top;
  SmallVector<Range, 8> Ranges;
  /// Ranges whose rows, and pairs that, have to be told apart at run time.
  SmallVector<unsigned, 4> OwnChecks;
  SmallVector<std::pair<unsigned, unsigned>, 8> Checks;
};

} // namespace

static bool isSimpleAccess(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple();
  auto *Store = dyn_cast<StoreInst>(&I);
  return Store && Store->isSimple();
}

/// Whether the next row would have to wait for \p V.
bool RowPairs::isFromInner(const Value *V) const {
  SmallVector<const Value *, 8> Todo{V};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Todo.empty()) {
    auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
    if (!I || !Rows.contains(I) || !Seen.insert(I).second)
      continue;
    if (Inner.contains(I))
      return true;
    if (I->getParent() != Rows.getHeader() || !isa<PHINode>(I))
      append_range(Todo, I->operands());
  }
  return false;
}

/// Whether rows do nothing but what Inner does, count, and access cells.
bool RowPairs::isNest() const {
  const SCEV *Count = SE.getBackedgeTakenCount(&Inner);
  if (!Top || Rows.getSubLoops().size() != 1 || !Rows.isLoopSimplifyForm() ||
      !Rows.getExitBlock() || Rows.getExitingBlock() != Rows.getLoopLatch() ||
      isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&Rows)) ||
      isa<SCEVCouldNotCompute>(Count) || !SE.isLoopInvariant(Count, &Rows) ||
      SE.getTypeSizeInBits(Count->getType()) > 64 ||
      SE.getTypeSizeInBits(SE.getBackedgeTakenCount(&Rows)->getType()) > 64 ||
      !DT.dominates(Inner.getHeader(), Rows.getLoopLatch()))
    return false;
  constexpr unsigned MostInstructions = 120;
  if (Inner.getHeader()->size() > MostInstructions)
    return false;
  for (BasicBlock *Block : Rows.blocks()) {
    auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    bool Exits = Block == Inner.getHeader() || Block == Rows.getLoopLatch();
    if (!Branch || Branch->isConditional() != Exits)
      return false;
    for (Instruction &I : *Block) {
      auto *Phi = dyn_cast<PHINode>(&I);
      bool IsSum = Phi && Block == Inner.getHeader() &&
                   Phi->getType()->isFloatingPointTy() &&
                   !additionsOf(*Phi, Inner).empty();
      if (Phi && !IsSum &&
          (Block == Rows.getHeader() || Block == Inner.getHeader())) {
        auto *E = SE.isSCEVable(I.getType())
                      ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&I))
                      : nullptr;
        if (!E || !E->isAffine() ||
            (Block == Rows.getHeader() &&
             isFromInner(Phi->getIncomingValueForBlock(Rows.getLoopLatch()))))
          return false;
      }
      if (any_of(I.users(), [&](User *U) {
            return !Rows.contains(cast<Instruction>(U)->getParent());
          }))
        return false;
      // Scopes that are declared for a row say nothing of two.
      bool IsInner = Block == Inner.getHeader();
      if (isa<NoAliasScopeDeclInst>(I))
        return false;
      if (IsInner || isSimpleAccess(I))
        continue;
      if (I.mayReadOrWriteMemory() ||
          (!I.isTerminator() && !Phi && !isSafeToSpeculativelyExecute(&I)))
        return false;
    }
  }
  return true;
}

bool RowPairs::addToRange(Instruction &I, bool Adds) {
  constexpr int64_t MaxStep = 4096, MaxOffset = 1 << 20;
  TypeSize Bytes = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  if (Bytes.isScalable())
    return false;
  int64_t Step = 0;
  const SCEV *Start = SE.getSCEV(getLoadStorePointerOperand(&I));
  if (I.getParent() == Inner.getHeader()) {
    auto *E = dyn_cast<SCEVAddRecExpr>(Start);
    if (!E || E->getLoop() != &Inner || !E->isAffine())
      return false;
    auto *C = dyn_cast<SCEVConstant>(E->getStepRecurrence(SE));
    if (!C || C->getAPInt().abs().ugt(MaxStep))
      return false;
    Step = C->getAPInt().getSExtValue();
    Start = E->getStart();
  }
  const SCEV *RowStep = SE.getZero(SE.getEffectiveSCEVType(Start->getType()));
  if (auto *Row = dyn_cast<SCEVAddRecExpr>(Start);
      Row && Row->getLoop() == &Rows && Row->isAffine()) {
    RowStep = Row->getStepRecurrence(SE);
    Start = Row->getStart();
  }
  Instruction *At = Top->getTerminator();
  if (!SE.isLoopInvariant(Start, &Rows) ||
      !SE.isLoopInvariant(RowStep, &Rows) ||
      !Expander.isSafeToExpandAt(Start, At) ||
      !Expander.isSafeToExpandAt(RowStep, At))
    return false;
  for (Range &R : Ranges) {
    if (R.Step != Step || R.RowStep != RowStep ||
        R.Start->getType() != Start->getType())
      continue;
    auto *D = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Start, R.Start));
    if (!D || D->getAPInt().abs().ugt(MaxOffset))
      continue;
    int64_t Offset = D->getAPInt().getSExtValue();
    R.Accesses.push_back({&I, Offset, Bytes, Adds});
    R.Least = std::min(R.Least, Offset);
    R.Most = std::max(R.Most, Offset + int64_t(Bytes));
    return true;
  }
  Ranges.push_back(
      {Start, RowStep, Step, {{&I, 0, Bytes, Adds}}, 0, int64_t(Bytes)});
  return true;
}

/// Whether two rows add to the same cells, or to some a few iterations apart.
bool RowPairs::meetInAdditions() const {
  constexpr int64_t MaxTravel = 8;
  auto Meet = [&](const Range &R, const Range &S) {
    if (R.Step != S.Step || R.RowStep != S.RowStep ||
        R.Start->getType() != S.Start->getType())
      return false;
    auto *D = dyn_cast<SCEVConstant>(
        SE.getMinusSCEV(SE.getAddExpr(R.Start, R.RowStep), S.Start));
    if (!D || D->getAPInt().getSignificantBits() > 32)
      return false;
    auto StoresAdded = [](const Range::Access &A) {
      return A.Adds && isa<StoreInst>(A.I);
    };
    int64_t Distance = D->getAPInt().getSExtValue();
    for (const Range::Access &A : R.Accesses)
      for (const Range::Access &B : S.Accesses) {
        int64_t Bytes = Distance + A.Offset - B.Offset;
        if (StoresAdded(A) && StoresAdded(B) &&
            (A.I != B.I || R.RowStep->isZero()) && R.Step &&
            Bytes % R.Step == 0 && std::abs(Bytes / R.Step) <= MaxTravel)
          return true;
      }
    return false;
  };
  return any_of(Ranges, [&](const Range &R) {
    return any_of(Ranges, [&](const Range &S) { return Meet(R, S); });
  });
}

/// Whether rows are sums of what the same cells are factors of. Where nothing
/// is added up, a load that is saved is not worth a check: fft took 1.3 times
/// as long.
bool RowPairs::sumUpTheSame() const {
  return any_of(Inner.getHeader()->phis(),
                [](const PHINode &Phi) {
                  return Phi.getType()->isFloatingPointTy();
                }) &&
         any_of(Ranges, [](const Range &R) {
           return R.RowStep->isZero() && R.Step &&
                  any_of(R.Accesses, [](const Range::Access &A) {
                    return isa<LoadInst>(A.I);
                  });
         });
}

bool RowPairs::mayMeet(const Range::Access &A, const Range::Access &B) {
  auto Location = [](const Range::Access &A) {
    return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(A.I),
                                            A.I->getAAMetadata());
  };
  if ((!isa<StoreInst>(A.I) && !isa<StoreInst>(B.I)) || (A.Adds && B.Adds))
    return false;
  return !compat::isSoundAcrossIterations(Location(A).Ptr) ||
         AA.alias(Location(A), Location(B)) != AliasResult::NoAlias;
}

/// From the first to behind the last byte of a row.
const SCEV *RowPairs::lengthOf(const Range &R) {
  Type *T = R.RowStep->getType();
  return SE.getAddExpr(
      SE.getMulExpr(
          SE.getTruncateOrZeroExtend(SE.getBackedgeTakenCount(&Inner), T),
          SE.getConstant(T, uint64_t(std::abs(R.Step)))),
      SE.getConstant(T, uint64_t(R.Most - R.Least)));
}

bool RowPairs::findChecks() {
  AA.enableCrossIterationMode();
  for (auto [K, R] : enumerate(Ranges)) {
    bool Meets = any_of(R.Accesses, [&](const Range::Access &A) {
      return any_of(R.Accesses,
                    [&](const Range::Access &B) { return mayMeet(A, B); });
    });
    const SCEV *Length = lengthOf(R);
    if (Meets && !SE.isKnownPredicate(ICmpInst::ICMP_SGE, R.RowStep, Length) &&
        !SE.isKnownPredicate(ICmpInst::ICMP_SGE, SE.getNegativeSCEV(R.RowStep),
                             Length)) {
      // Rows that never are.
      if (isa<SCEVConstant>(R.RowStep) &&
          (isa<SCEVConstant>(Length) || R.RowStep->isZero()))
        return false;
      OwnChecks.push_back(K);
    }
    for (unsigned N = 0; N != K; ++N)
      if (any_of(R.Accesses, [&](const Range::Access &A) {
            return any_of(Ranges[N].Accesses, [&](const Range::Access &B) {
              return mayMeet(A, B);
            });
          }))
        Checks.push_back({N, K});
  }
  constexpr unsigned MaxChecks = 16;
  Instruction *At = Top->getTerminator();
  return OwnChecks.size() + Checks.size() <= MaxChecks &&
         Expander.isSafeToExpandAt(SE.getBackedgeTakenCount(&Inner), At) &&
         Expander.isSafeToExpandAt(SE.getBackedgeTakenCount(&Rows), At);
}

/// |RowStep| >= length
Value *RowPairs::areRowsApart(IRBuilderBase &B, const Range &R) {
  Instruction *At = Top->getTerminator();
  Type *T = R.RowStep->getType();
  Value *By = Expander.expandCodeFor(R.RowStep, T, At);
  Value *Length = Expander.expandCodeFor(lengthOf(R), T, At);
  Value *Either = B.CreateOr(B.CreateICmpSGE(By, Length),
                             B.CreateICmpSLE(By, B.CreateNeg(Length)));
  return B.CreateAnd(Either, B.CreateICmpSGE(Length, ConstantInt::get(T, 0)));
}

/// The first byte, and the one behind the last, of all rows. Each of them is
/// come to, so that no address wraps around.
std::pair<Value *, Value *> RowPairs::boundsOf(IRBuilderBase &B,
                                               const Range &R) {
  Instruction *At = Top->getTerminator();
  Type *T = R.RowStep->getType();
  auto Times = [&](const Loop &L, const SCEV *Step) {
    const SCEV *Count =
        SE.getTruncateOrZeroExtend(SE.getBackedgeTakenCount(&L), T);
    return Expander.expandCodeFor(SE.getMulExpr(Count, Step), T, At);
  };
  Value *Start = Expander.expandCodeFor(R.Start, R.Start->getType(), At);
  if (Start->getType()->isPointerTy())
    Start = B.CreatePtrToInt(Start, T);
  Value *Low = Start, *High = Start, *Zero = ConstantInt::get(T, 0);
  for (Value *Way : {Times(Rows, R.RowStep),
                     Times(Inner, SE.getConstant(T, R.Step, true))}) {
    Low = B.CreateAdd(Low, B.CreateBinaryIntrinsic(Intrinsic::smin, Way, Zero));
    High =
        B.CreateAdd(High, B.CreateBinaryIntrinsic(Intrinsic::smax, Way, Zero));
  }
  return {B.CreateAdd(Low, ConstantInt::getSigned(T, R.Least)),
          B.CreateAdd(High, ConstantInt::getSigned(T, R.Most))};
}

Value *RowPairs::areApart(IRBuilderBase &B, const Range &R, const Range &S) {
  auto [LowR, HighR] = boundsOf(B, R);
  auto [LowS, HighS] = boundsOf(B, S);
  return B.CreateOr(B.CreateICmpULE(HighR, LowS), B.CreateICmpULE(HighS, LowR));
}

/// preheader: if (rows are apart) goto Rows, else to a copy of it
void RowPairs::version() {
  IRBuilder<> B(Top->getTerminator());
  Value *Apart = B.getTrue();
  for (unsigned K : OwnChecks)
    Apart = B.CreateAnd(Apart, areRowsApart(B, Ranges[K]));
  for (auto [K, N] : Checks)
    Apart = B.CreateAnd(Apart, areApart(B, Ranges[K], Ranges[N]));
  ValueToValueMapTy Map;
  versionLoop(Rows, Apart, ".single", Map, LI, DT, SE);
}

bool RowPairs::pair() {
  if (!isNest())
    return false;
  DenseSet<const Instruction *> Adds;
  for (Instruction &I : *Inner.getHeader())
    if (auto *Store = dyn_cast<StoreInst>(&I))
      if (LoadInst *Load = loadAddedTo(*Store)) {
        Adds.insert(Load);
        Adds.insert(Store);
      }
  for (BasicBlock *Block : Rows.blocks())
    for (Instruction &I : *Block)
      if (isa<LoadInst, StoreInst>(I) && !addToRange(I, Adds.contains(&I)))
        return false;
  const bool Meet = meetInAdditions();
  if ((!Meet && !sumUpTheSame()) || !findChecks())
    return false;
  if (!OwnChecks.empty() || !Checks.empty())
    version();
  runUp(Rows, SE);
  formLCSSARecursively(Rows, DT, &LI, &SE);
  OptimizationRemarkEmitter ORE(&F);
  constexpr unsigned SmallBody = 40;
  const bool IsSmall = Meet && Inner.getHeader()->size() <= SmallBody;
  UnrollAndJamLoop(&Rows, /*Count=*/IsSmall ? 4 : 2,
                   SE.getSmallConstantTripCount(&Rows),
                   SE.getSmallConstantTripMultiple(&Rows),
                   /*UnrollRemainder=*/false, &LI, &SE, &DT,
                   &FAM.getResult<AssumptionAnalysis>(F),
                   &FAM.getResult<TargetIRAnalysis>(F), &ORE);
  return true;
}

bool verso::pairRows(Loop &Inner, Function &F, FunctionAnalysisManager &FAM) {
  return Inner.getParentLoop() && RowPairs(Inner, F, FAM).pair();
}
