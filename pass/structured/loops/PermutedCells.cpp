//===- PermutedCells.cpp - cells that a permutation stored ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/PermutedCells.h"
#include "LLVMCompat.h"
#include "emit/Runtime.h"
#include "emit/VersionLoop.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

namespace {

class PermutedCells {
public:
  PermutedCells(Loop &L, Function &F, FunctionAnalysisManager &FAM)
      : L(L), Body(*L.getHeader()), Top(L.getLoopPreheader()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)),
        Expander(compat::scevExpander(SE, "permuted")),
        Count(SE.getBackedgeTakenCount(&L)) {}

  bool change();

private:
  /// t = base[p[i]]; base[p[i]] = 0
  struct Take {
    LoadInst *Load;
    StoreInst *Clear;
    Value *Base;
    uint64_t Bytes;
  };
  /// What is accessed by all iterations: start + step * i, a number of bytes.
  struct Range {
    const SCEV *Start;
    int64_t Step;
    uint64_t Bytes;
  };

  bool addTake(StoreInst &Clear);
  bool mayMeet(const Instruction &A, const Instruction &B);
  bool findRanges();
  Value *count(IRBuilderBase &B, Type *T);
  std::pair<Value *, Value *> boundsOf(IRBuilderBase &B, const Range &R);
  std::pair<Value *, Value *> boundsOf(IRBuilderBase &B, const Take &T,
                                       Value *Least);
  Value *arePermuted(Value *&Least);

  Loop &L;
  BasicBlock &Body, *Top;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  BatchAAResults AA;
  SCEVExpander Expander;
  const SCEV *Count;

  SmallVector<Take, 4> Takes;
  /// p[i], of all of them, and how many bits they have: 31 with a sign.
  LoadInst *Index = nullptr;
  unsigned Bits = 0;
  const SCEVAddRecExpr *Indices = nullptr;
  SmallVector<Range, 8> Ranges;
  /// Takes, and ranges or other takes behind those, that are to be compared.
  SmallVector<std::pair<unsigned, unsigned>, 8> Checks;
};

} // namespace

/// base[p[i]] = 0, behind a load of it.
bool PermutedCells::addTake(StoreInst &Clear) {
  const DataLayout &Layout = Clear.getDataLayout();
  auto *Zero = dyn_cast<Constant>(Clear.getValueOperand());
  auto *Cell = dyn_cast<GetElementPtrInst>(Clear.getPointerOperand());
  if (!Zero || !Zero->isNullValue() || !Zero->getType()->isFloatingPointTy() ||
      !Cell || !L.contains(Cell) || Cell->getNumIndices() != 1 ||
      !L.isLoopInvariant(Cell->getPointerOperand()))
    return false;
  uint64_t Bytes = Layout.getTypeStoreSize(Zero->getType());
  if (Layout.getTypeAllocSize(Cell->getSourceElementType()) != Bytes)
    return false;
  Value *I = Cell->getOperand(1);
  unsigned IndexBits = 64;
  if (isa<ZExtInst, SExtInst>(I)) {
    IndexBits = isa<SExtInst>(I) ? 31 : 32;
    I = cast<CastInst>(I)->getOperand(0);
  }
  auto *Read = dyn_cast<LoadInst>(I);
  if (!Read || !L.contains(Read) || (Index && Index != Read) ||
      (Bits && Bits != IndexBits) ||
      !Read->getType()->isIntegerTy(IndexBits == 64 ? 64 : 32))
    return false;
  for (User *U : Cell->users()) {
    auto *Load = dyn_cast<LoadInst>(U);
    if (!Load || Load->getParent() != &Body || !Load->comesBefore(&Clear) ||
        Load->getType() != Zero->getType())
      continue;
    Index = Read;
    Bits = IndexBits;
    Takes.push_back({Load, &Clear, Cell->getPointerOperand(), Bytes});
    return true;
  }
  return false;
}

bool PermutedCells::mayMeet(const Instruction &A, const Instruction &B) {
  auto Location = [](const Instruction &I) {
    return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(&I),
                                            I.getAAMetadata());
  };
  return !compat::isSoundAcrossIterations(Location(A).Ptr) ||
         !compat::isSoundAcrossIterations(Location(B).Ptr) ||
         AA.alias(Location(A), Location(B)) != AliasResult::NoAlias;
}

/// What else there is, and what of that is to be told from the cells.
bool PermutedCells::findRanges() {
  constexpr unsigned MaxChecks = 16;
  constexpr int64_t MaxStep = 4096;
  Instruction *At = Top->getTerminator();
  SmallPtrSet<const Instruction *, 8> OfTakes;
  for (const Take &T : Takes) {
    OfTakes.insert(T.Load);
    OfTakes.insert(T.Clear);
  }
  AA.enableCrossIterationMode();
  for (unsigned K = 0; K != Takes.size(); ++K)
    for (unsigned N = 0; N != K; ++N)
      if (mayMeet(*Takes[K].Load, *Takes[N].Load))
        Checks.push_back({N, K});
  for (Instruction &I : Body) {
    if (!isa<LoadInst, StoreInst>(I) || OfTakes.contains(&I))
      continue;
    // The indices are read before all else.
    if (isa<StoreInst>(I) && mayMeet(I, *Index))
      return false;
    auto Meets = [&](const Take &T) { return mayMeet(I, *T.Load); };
    if (none_of(Takes, Meets))
      continue;
    auto *E =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(getLoadStorePointerOperand(&I)));
    auto *Step = E && E->getLoop() == &L && E->isAffine()
                     ? dyn_cast<SCEVConstant>(E->getStepRecurrence(SE))
                     : nullptr;
    TypeSize Bytes = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
    if (&I == Index || !Step || Step->getAPInt().abs().ugt(MaxStep) ||
        Bytes.isScalable() || !Expander.isSafeToExpandAt(E->getStart(), At))
      return false;
    Range R{E->getStart(), Step->getAPInt().getSExtValue(), Bytes};
    auto *Same = find_if(Ranges, [&](const Range &S) {
      return S.Start == R.Start && S.Step == R.Step && S.Bytes == R.Bytes;
    });
    if (Same != Ranges.end())
      continue;
    for (unsigned K = 0; K != Takes.size(); ++K)
      Checks.push_back({K, unsigned(Takes.size() + Ranges.size())});
    Ranges.push_back(R);
  }
  return Checks.size() <= MaxChecks;
}

Value *PermutedCells::count(IRBuilderBase &B, Type *T) {
  return Expander.expandCodeFor(SE.getTruncateOrZeroExtend(Count, T), T,
                                &*B.GetInsertPoint());
}

/// The first byte, and the one behind the last. Every iteration comes to its
/// bytes, so that with steps of less than a page no address wraps around.
std::pair<Value *, Value *> PermutedCells::boundsOf(IRBuilderBase &B,
                                                    const Range &R) {
  Instruction *At = &*B.GetInsertPoint();
  Type *T = B.getInt64Ty();
  Value *First = Expander.expandCodeFor(R.Start, R.Start->getType(), At);
  if (First->getType()->isPointerTy())
    First = B.CreatePtrToInt(First, T);
  Value *Last = B.CreateAdd(
      First, B.CreateMul(count(B, T), ConstantInt::getSigned(T, R.Step)));
  if (R.Step < 0)
    std::swap(First, Last);
  return {First, B.CreateAdd(Last, ConstantInt::get(T, R.Bytes))};
}

std::pair<Value *, Value *>
PermutedCells::boundsOf(IRBuilderBase &B, const Take &T, Value *Least) {
  Type *Int = B.getInt64Ty();
  Value *Bytes = ConstantInt::get(Int, T.Bytes);
  Value *First =
      B.CreateAdd(B.CreatePtrToInt(T.Base, Int), B.CreateMul(Least, Bytes));
  Value *N = B.CreateAdd(count(B, Int), ConstantInt::get(Int, 1));
  return {First, B.CreateAdd(First, B.CreateMul(N, Bytes))};
}

/// preheader: if (many) { least = permutation(indices); if (there is one) ... }
Value *PermutedCells::arePermuted(Value *&Least) {
  // Where a first-level cache holds the cells there is nothing to gain.
  constexpr uint64_t Cached = 32 << 10;
  IRBuilder<> B(Top->getTerminator());
  Type *Int = B.getInt64Ty();
  Value *N = B.CreateAdd(count(B, Int), ConstantInt::get(Int, 1));
  uint64_t Bytes = 0;
  for (const Take &T : Takes)
    Bytes += T.Bytes;
  // More than 2^48 are none, and do not wrap around.
  Value *Many = B.CreateICmpULT(
      B.CreateSub(N, ConstantInt::get(Int, divideCeil(Cached, Bytes))),
      ConstantInt::get(Int, uint64_t(1) << 48));
  BasicBlock *Before = Top;
  DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
  Instruction *Then = SplitBlockAndInsertIfThen(
      B.CreateFreeze(Many), Top->getTerminator()->getIterator(),
      /*Unreachable=*/false, nullptr, &Updater, &LI);
  BasicBlock *Behind = Then->getSuccessor(0);
  B.SetInsertPoint(Then);
  Value *First =
      Expander.expandCodeFor(Indices->getStart(), B.getPtrTy(), Then);
  Value *Found = callRuntime(
      B, RuntimeFunction::LeastOfPermutation,
      {First, Expander.expandCodeFor(Indices->getStepRecurrence(SE), Int, Then),
       N, B.getInt32(Bits)});
  Value *Permuted = B.CreateICmpNE(
      Found, ConstantInt::getSigned(Int, std::numeric_limits<int64_t>::min()));
  for (auto [K, O] : Checks) {
    auto [Low, High] = boundsOf(B, Takes[K], Found);
    auto [OtherLow, OtherHigh] = O < Takes.size()
                                     ? boundsOf(B, Takes[O], Found)
                                     : boundsOf(B, Ranges[O - Takes.size()]);
    Permuted =
        B.CreateAnd(Permuted, B.CreateOr(B.CreateICmpULE(High, OtherLow),
                                         B.CreateICmpULE(OtherHigh, Low)));
  }
  B.SetInsertPoint(Behind, Behind->getFirstInsertionPt());
  auto Choose = [&](Value *V, Value *Else) {
    PHINode *Phi = B.CreatePHI(V->getType(), 2);
    Phi->addIncoming(V, Then->getParent());
    Phi->addIncoming(Else, Before);
    return Phi;
  };
  Value *Holds = Choose(Permuted, B.getFalse());
  Least = Choose(Found, ConstantInt::get(Int, 0));
  return Holds;
}

bool PermutedCells::change() {
  for (Instruction &I : Body)
    if (auto *Store = dyn_cast<StoreInst>(&I))
      addTake(*Store);
  if (Takes.empty() || SE.getTypeSizeInBits(Count->getType()) > 64 ||
      Body.getDataLayout().getPointerSizeInBits() != 64)
    return false;
  Instruction *At = Top->getTerminator();
  Indices = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Index->getPointerOperand()));
  if (!Indices || Indices->getLoop() != &L || !Indices->isAffine() ||
      !SE.isLoopInvariant(Indices->getStepRecurrence(SE), &L) ||
      !Expander.isSafeToExpandAt(Indices->getStart(), At) ||
      !Expander.isSafeToExpandAt(Indices->getStepRecurrence(SE), At) ||
      !Expander.isSafeToExpandAt(Count, At) || !findRanges())
    return false;
  // Clears that were not taken for such, and loads beside the first, are among
  // the ranges, which fails.
  Value *Least = nullptr;
  formLCSSA(L, DT, &LI, &SE);
  Value *Permuted = arePermuted(Least);
  ValueToValueMapTy Map;
  versionLoop(L, Permuted, ".scattered", Map, LI, DT, SE);
  BasicBlock *Exit = L.getExitBlock();
  IRBuilder<> B(Exit, Exit->getFirstInsertionPt());
  Type *Int = B.getInt64Ty();
  for (const Take &T : Takes) {
    T.Clear->eraseFromParent();
    Value *N = B.CreateAdd(count(B, Int), ConstantInt::get(Int, 1));
    Value *Bytes = ConstantInt::get(Int, T.Bytes);
    B.CreateMemSet(B.CreatePtrAdd(T.Base, B.CreateMul(Least, Bytes)),
                   B.getInt8(0), B.CreateMul(N, Bytes), MaybeAlign());
  }
  return true;
}

bool verso::takePermutedCells(Loop &L, Function &F,
                              FunctionAnalysisManager &FAM) {
  return PermutedCells(L, F, FAM).change();
}
