//===- FilledArrays.cpp - what loops overwrite before it is read ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/FilledArrays.h"
#include "LLVMCompat.h"
#include "structured/memory/OffsetClass.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <optional>
#include <set>

using namespace llvm;
using namespace verso;

namespace {

/// What is done with a local variable.
class Uses {
public:
  explicit Uses(AllocaInst &A) : DL(A.getDataLayout()) { visit(A, {}); }

  struct Access {
    Instruction *I;
    OffsetClass At;
    uint64_t Size;
  };
  SmallVector<Access, 8> Stores;
  /// What may read: all but stores, and what is written in bulk.
  SmallVector<Access, 8> Reads;

private:
  void visit(Value &Address, OffsetClass At) {
    if (isa<PHINode, SelectInst>(Address))
      At = {0, 1};
    if (!Seen.insert({&Address, At}).second)
      return;
    for (Use &U : Address.uses())
      visitUse(U, *cast<Instruction>(U.getUser()), At);
  }

  void visitUse(Use &U, Instruction &By, OffsetClass At) {
    if (auto *GEP = dyn_cast<GEPOperator>(&By)) {
      compat::VariableOffsets Variable;
      unsigned Bits = DL.getIndexTypeSizeInBits(GEP->getType());
      APInt Constant(Bits, 0);
      if (!GEP->collectOffset(DL, Bits, Variable, Constant))
        return visit(By, {0, 1});
      At = At.plus(Constant.getSExtValue(), 0);
      for (auto &[Index, Scale] : Variable)
        At = At.plus(0, Scale.abs().getZExtValue());
      return visit(By, At);
    }
    if (isa<PHINode, SelectInst>(By))
      return visit(By, At);
    if (isa<ICmpInst>(By) || By.isLifetimeStartOrEnd())
      return;
    auto *Store = dyn_cast<StoreInst>(&By);
    if (Store && U.getOperandNo() == StoreInst::getPointerOperandIndex()) {
      uint64_t Size = DL.getTypeStoreSize(Store->getValueOperand()->getType());
      return Stores.push_back({&By, At, Size});
    }
    if (isa<MemIntrinsic>(By) && U.getOperandNo() == 0)
      return;
    if (auto *Load = dyn_cast<LoadInst>(&By))
      return Reads.push_back({&By, At, DL.getTypeStoreSize(Load->getType())});
    Reads.push_back({&By, {0, 1}, 1}); // From here on, anybody.
  }

  const DataLayout &DL;
  std::set<std::pair<Value *, OffsetClass>> Seen;
};

/// A store that writes these elements of a local variable, one an iteration.
struct Fill {
  const StoreInst *Store;
  const SCEV *Address;
  int64_t First;
  uint64_t Stride, Count, Size;
  /// Taken once all are written.
  BasicBlockEdge Behind;

  OffsetClass elements() const { return OffsetClass{First}.plus(0, Stride); }
  /// The store of this size writes an element as a whole.
  bool covers(int64_t Offset, uint64_t Bytes) const {
    return Offset >= First && (Offset - First) % Stride == 0 &&
           uint64_t(Offset - First) / Stride < Count && Bytes <= Size;
  }
};

class FilledArray {
public:
  FilledArray(AllocaInst &A, Function &F, FunctionAnalysisManager &FAM)
      : A(A), All(A), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)) {}

  bool dropStores() {
    SmallVector<Instruction *, 8> Dead;
    for (const Uses::Access &S : All.Stores)
      if (std::optional<Fill> By = matchFill(S); By && isReadBehind(*By))
        for (const Uses::Access &Old : All.Stores)
          if (Old.I->getParent() == A.getParent() && !Old.At.Step &&
              cast<StoreInst>(Old.I)->isSimple() &&
              By->covers(Old.At.Offset, Old.Size) && !is_contained(Dead, Old.I))
            Dead.push_back(Old.I);
    for (Instruction *I : Dead)
      I->eraseFromParent();
    return !Dead.empty();
  }

private:
  /// By the loop's first exit that is counted.
  std::optional<Fill> matchFill(const Uses::Access &S) const {
    auto *Store = cast<StoreInst>(S.I);
    const Loop *L = LI.getLoopFor(Store->getParent());
    const BasicBlock *Latch = L ? L->getLoopLatch() : nullptr;
    if (!Latch || !Store->isSimple() ||
        !DT.dominates(Store->getParent(), Latch))
      return std::nullopt;
    const SCEV *Address = SE.getSCEV(Store->getPointerOperand());
    auto *Run = dyn_cast<SCEVAddRecExpr>(Address);
    if (!Run || Run->getLoop() != L || !Run->isAffine())
      return std::nullopt;
    auto *Stride = dyn_cast<SCEVConstant>(Run->getStepRecurrence(SE));
    auto *First = dyn_cast<SCEVConstant>(
        SE.getMinusSCEV(Run->getStart(), SE.getSCEV(&A)));
    if (!Stride || !First || !Stride->getAPInt().isStrictlyPositive())
      return std::nullopt;
    SmallVector<Loop::Edge, 4> Exits;
    L->getExitEdges(Exits);
    for (auto [From, To] : Exits) {
      auto *Back = dyn_cast<SCEVConstant>(SE.getExitCount(L, From));
      if (!Back || Back->getAPInt().getActiveBits() > 32)
        continue;
      uint64_t Count = Back->getAPInt().getZExtValue() +
                       DT.dominates(Store->getParent(), From);
      return Fill{Store,
                  Address,
                  First->getAPInt().getSExtValue(),
                  Stride->getAPInt().getZExtValue(),
                  Count,
                  S.Size,
                  BasicBlockEdge(From, To)};
    }
    return std::nullopt;
  }

  /// Whether elements are read only once all are written, or one that was
  /// written just before.
  bool isReadBehind(const Fill &By) const {
    return all_of(All.Reads, [&](const Uses::Access &R) {
      if (!By.elements().overlaps(By.Size, R.At, R.Size) ||
          DT.dominates(By.Behind, R.I->getParent()))
        return true;
      auto *Load = dyn_cast<LoadInst>(R.I);
      return Load && R.Size <= By.Size && DT.dominates(By.Store, Load) &&
             SE.getSCEV(Load->getPointerOperand()) == By.Address;
    });
  }

  AllocaInst &A;
  const Uses All;
  const LoopInfo &LI;
  const DominatorTree &DT;
  ScalarEvolution &SE;
};

} // namespace

bool verso::dropFilledStores(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<AllocaInst *, 8> Arrays;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I);
        A && A->isStaticAlloca() && A->getAllocatedType()->isAggregateType())
      Arrays.push_back(A);
  bool Changed = false;
  for (AllocaInst *A : Arrays)
    Changed |= FilledArray(*A, F, FAM).dropStores();
  return Changed;
}
