//===- AdjacentCells.cpp - cells that are added to at once ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/AdjacentCells.h"
#include "emit/Runtime.h"
#include "structured/loops/SumOrder.h"
#include "structured/loops/TravellingSums.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"

#include <map>

using namespace llvm;
using namespace verso;

namespace {

/// The additions of one block.
class AdjacentCells {
public:
  AdjacentCells(BasicBlock &Block, const Loop &L, FunctionAnalysisManager &FAM,
                Function &F)
      : Block(Block), L(L), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)), DL(F.getDataLayout()),
        RegisterBytes(
            FAM.getResult<TargetIRAnalysis>(F)
                .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
                .getFixedValue() /
            8) {}

  /// Whether there are neighbours.
  bool find();
  bool join();

private:
  /// By their distance from the first, in bytes.
  using Group = std::map<int64_t, CellAddition>;

  /// In the order of their addresses.
  using Run = SmallVector<CellAddition, 8>;

  void findGroups();
  std::vector<Run> runsOf(const Group &G) const;
  bool wait(ArrayRef<Run> Of) const;
  MemoryLocation locationOf(ArrayRef<CellAddition> Cells) const;
  Instruction *behindWhichToJoin(SetVector<unsigned> &Together);
  void joinCells(ArrayRef<CellAddition> Cells, Instruction &Before);
  Value *vectorOf(IRBuilderBase &B, ArrayRef<Value *> Values);
  Value *contributions(IRBuilderBase &B, ArrayRef<Value *> Values,
                       FastMathFlags Flags);

  BasicBlock &Block;
  const Loop &L; ///< The innermost around it.
  ScalarEvolution &SE;
  AAResults &AA;
  const DataLayout &DL;
  const uint64_t RegisterBytes;
  std::vector<Group> Groups;
  std::vector<Run> Runs;
  std::map<std::vector<Value *>, Value *> Vectors;
};

} // namespace

/// A cell that is added to twice begins a group of its own.
void AdjacentCells::findGroups() {
  constexpr size_t MostGroups = 32;
  for (Instruction &I : Block) {
    auto *Store = dyn_cast<StoreInst>(&I);
    LoadInst *Load = Store ? loadAddedTo(*Store) : nullptr;
    if (!Load || !Store->isSimple() || !Load->isSimple() ||
        !(Load->getType()->isDoubleTy() || Load->getType()->isFloatTy()))
      continue;
    const SCEV *At = SE.getSCEV(Store->getPointerOperand());
    bool IsKnown = false;
    for (Group &G : reverse(Groups)) {
      LoadInst *First = G.begin()->second.Load;
      const SCEV *Start = SE.getSCEV(First->getPointerOperand());
      if (First->getType() != Load->getType() ||
          At->getType() != Start->getType())
        continue;
      auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(At, Start));
      if (!Distance || Distance->getAPInt().getSignificantBits() > 32)
        continue;
      int64_t D = G.begin()->first + Distance->getAPInt().getSExtValue();
      IsKnown = G.try_emplace(D, CellAddition{Load, Store}).second;
      break;
    }
    if (!IsKnown && Groups.size() < MostGroups)
      Groups.push_back({{0, {Load, Store}}});
  }
}

MemoryLocation AdjacentCells::locationOf(ArrayRef<CellAddition> Cells) const {
  LoadInst &Lowest = *Cells[0].Load;
  AAMDNodes Tags = Lowest.getAAMetadata();
  for (const CellAddition &C : Cells)
    Tags = Tags.merge(C.Load->getAAMetadata()).merge(C.Store->getAAMetadata());
  return MemoryLocation(
      Lowest.getPointerOperand(),
      LocationSize::precise(DL.getTypeStoreSize(Lowest.getType()) *
                            Cells.size()),
      Tags);
}

/// The last of the stores of runs that may all be joined there; null if they
/// may not. Additions to adjoints commute, so runs between these that may be to
/// the same cells (what forward mode adds to tangents, say) can go along.
Instruction *AdjacentCells::behindWhichToJoin(SetVector<unsigned> &Together) {
  constexpr unsigned MostSteps = 512;
  DenseMap<const Instruction *, unsigned> RunOf;
  for (auto [K, Cells] : enumerate(Runs))
    for (const CellAddition &C : Cells)
      RunOf[C.Load] = RunOf[C.Store] = K;
  auto Commutes = [&](unsigned K) {
    return all_of(Runs[K], [](const CellAddition &C) {
      return cast<Instruction>(C.Store->getValueOperand())->hasNoSignedZeros();
    });
  };
  Instruction *First = nullptr, *Last = nullptr;
  auto Take = [&](unsigned K) {
    Together.insert(K);
    for (const CellAddition &C : Runs[K]) {
      if (!First || C.Load->comesBefore(First))
        First = C.Load;
      if (!Last || Last->comesBefore(C.Store))
        Last = C.Store;
    }
  };
  Take(Together[0]);
  bool Grew = false;
  do {
    Grew = false;
    unsigned Steps = 0;
    for (Instruction *I = First; I != Last && !Grew; I = I->getNextNode()) {
      if (++Steps == MostSteps ||
          !isGuaranteedToTransferExecutionToSuccessor(I))
        return nullptr;
      auto Of = RunOf.find(I);
      if ((Of != RunOf.end() && Together.contains(Of->second)) ||
          !I->mayReadOrWriteMemory())
        continue;
      for (unsigned K : Together) {
        if (!isModOrRefSet(AA.getModRefInfo(I, locationOf(Runs[K]))))
          continue;
        if (Of == RunOf.end() || !Commutes(K) || !Commutes(Of->second))
          return nullptr;
        Take(Of->second);
        Grew = true;
        break;
      }
    }
  } while (Grew);
  return Last;
}

Value *AdjacentCells::vectorOf(IRBuilderBase &B, ArrayRef<Value *> Values) {
  if (all_equal(Values))
    return B.CreateVectorSplat(Values.size(), Values[0]);
  Value *&Known = Vectors[std::vector<Value *>(Values)];
  if (Known)
    return Known;
  // Where the last of them is known, for others that want the same.
  Instruction *Behind = nullptr;
  for (Value *V : Values)
    if (auto *I = dyn_cast<Instruction>(V);
        I && I->getParent() == &Block && (!Behind || Behind->comesBefore(I)))
      Behind = I;
  IRBuilderBase::InsertPointGuard Guard(B);
  if (Behind && !isa<PHINode>(Behind))
    B.SetInsertPoint(Behind->getNextNode());
  else
    B.SetInsertPoint(&Block, Block.getFirstInsertionPt());
  Value *Vector = PoisonValue::get(
      FixedVectorType::get(Values[0]->getType(), Values.size()));
  for (auto [K, V] : enumerate(Values))
    Vector = B.CreateInsertElement(Vector, V, K);
  return Known = Vector;
}

/// { a * t, b * t, t } as { a, b, 1 } * t: others have the same a and b.
Value *AdjacentCells::contributions(IRBuilderBase &B, ArrayRef<Value *> Values,
                                    FastMathFlags Flags) {
  auto ProductOf = [](Value *V) {
    auto *Product = dyn_cast<BinaryOperator>(V);
    return Product && Product->getOpcode() == Instruction::FMul ? Product
                                                                : nullptr;
  };
  auto FactorsBeside = [&](Value *T) {
    SmallVector<Value *, 8> Factors;
    for (Value *V : Values) {
      BinaryOperator *Product = ProductOf(V);
      if (Product && is_contained(Product->operands(), T))
        Factors.push_back(Product->getOperand(Product->getOperand(0) == T));
      else if (V == T)
        Factors.push_back(ConstantFP::get(T->getType(), 1));
      else
        break;
    }
    return Factors;
  };
  for (Value *V : Values)
    if (BinaryOperator *Product = ProductOf(V))
      Flags &= Product->getFastMathFlags();
  for (Value *V : Values)
    if (BinaryOperator *Product = ProductOf(V)) {
      for (Value *T : Product->operands())
        if (auto Factors = FactorsBeside(T); Factors.size() == Values.size()) {
          B.setFastMathFlags(Flags);
          return B.CreateFMul(vectorOf(B, Factors),
                              B.CreateVectorSplat(Values.size(), T));
        }
      break;
    }
  return vectorOf(B, Values);
}

void AdjacentCells::joinCells(ArrayRef<CellAddition> Cells,
                              Instruction &Before) {
  SmallVector<Value *, 8> Accesses[2];
  FastMathFlags Flags;
  Flags.set();
  for (const CellAddition &C : Cells) {
    Accesses[0].push_back(C.Load);
    Accesses[1].push_back(C.Store);
    Flags &= cast<Instruction>(C.Store->getValueOperand())->getFastMathFlags();
  }
  IRBuilder<> B(&Before);
  Value *Pointer = Cells[0].Load->getPointerOperand();
  auto *T = FixedVectorType::get(Cells[0].Load->getType(), Cells.size());
  LoadInst *Old = B.CreateAlignedLoad(T, Pointer, Cells[0].Load->getAlign());
  StoreInst *New =
      B.CreateAlignedStore(Old, Pointer, Cells[0].Store->getAlign());
  propagateMetadata(Old, Accesses[0]);
  propagateMetadata(New, Accesses[1]);
  SmallVector<Value *, 8> Values;
  for (const CellAddition &C : Cells)
    Values.push_back(takeContribution(C));
  B.SetInsertPoint(New);
  Value *Sum = contributions(B, Values, Flags);
  B.setFastMathFlags(Flags);
  New->setOperand(0, B.CreateFAdd(Old, Sum));
}

/// Neighbours, parted from the lowest on.
std::vector<AdjacentCells::Run> AdjacentCells::runsOf(const Group &G) const {
  constexpr uint64_t MostBytes = 32;
  std::vector<Run> Result;
  int64_t Size = DL.getTypeStoreSize(G.begin()->second.Load->getType());
  size_t Most = bit_floor(std::min(RegisterBytes, MostBytes) / Size);
  for (auto It = G.begin(); It != G.end();) {
    Run Neighbours{It->second};
    for (int64_t At = It->first; ++It != G.end() && It->first == At + Size;
         At += Size)
      Neighbours.push_back(It->second);
    for (ArrayRef<CellAddition> Left = Neighbours; Left.size() > 1;) {
      size_t N = std::min(Most, bit_floor(Left.size()));
      if (N < 2)
        break;
      Result.emplace_back(Left.take_front(N));
      Left = Left.drop_front(N);
    }
  }
  return Result;
}

/// Whether one of these runs, which are of one group, is in a later iteration
/// part of what two stores wrote: a processor hands on what one store wrote,
/// and waits for two to reach memory. Cells that are added to one by one do
/// not.
bool AdjacentCells::wait(ArrayRef<Run> Of) const {
  constexpr unsigned MostIterations = 16;
  auto SpanOf = [&](const Run &R) {
    return int64_t(R.size() * DL.getTypeStoreSize(R[0].Load->getType()));
  };
  auto AddressOf = [&](const Run &R) {
    return SE.getSCEV(R[0].Load->getPointerOperand());
  };
  for (const Run &R : Of) {
    auto *Moving = dyn_cast<SCEVAddRecExpr>(AddressOf(R));
    auto *Step = Moving && Moving->getLoop() == &L && Moving->isAffine()
                     ? dyn_cast<SCEVConstant>(Moving->getStepRecurrence(SE))
                     : nullptr;
    if (!Step || Step->isZero() || Step->getAPInt().getSignificantBits() > 32)
      continue;
    int64_t Moves = Step->getAPInt().getSExtValue();
    for (const Run &Earlier : Of) {
      auto *Distance = dyn_cast<SCEVConstant>(
          SE.getMinusSCEV(AddressOf(R), AddressOf(Earlier)));
      if (!Distance || Distance->getAPInt().getSignificantBits() > 32)
        continue;
      // From where the earlier one was; what is older has reached memory.
      int64_t At = Distance->getAPInt().getSExtValue();
      for (unsigned K = 0; K != MostIterations; ++K) {
        At += Moves;
        if (At < SpanOf(Earlier) && At + SpanOf(R) > 0 &&
            (At < 0 || At + SpanOf(R) > SpanOf(Earlier)))
          return true;
      }
    }
  }
  return false;
}

bool AdjacentCells::find() {
  findGroups();
  for (const Group &G : Groups)
    if (std::vector<Run> Found = runsOf(G); !wait(Found))
      Runs.insert(Runs.end(), Found.begin(), Found.end());
  return !Runs.empty();
}

bool AdjacentCells::join() {
  BitVector Done(Runs.size());
  for (unsigned K = 0; K != Runs.size(); ++K) {
    SetVector<unsigned> Together;
    Together.insert(K);
    Instruction *Last = Done[K] ? nullptr : behindWhichToJoin(Together);
    if (!Last)
      continue;
    Instruction &Before = *Last->getNextNode();
    for (unsigned N : Together) {
      joinCells(Runs[N], Before);
      Done.set(N);
      Runs[N].clear();
    }
  }
  return Done.any();
}

PreservedAnalyses AdjacentCellsPass::run(Function &F,
                                         FunctionAnalysisManager &FAM) {
  // Forward mode keeps the marks of loops.
  if (!isGenerated(F) || F.hasFnAttribute(Attribute::NoImplicitFloat))
    return PreservedAnalyses::all();
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    bool IsReversed = false;
    for (Loop *Around = L; Around; Around = Around->getParentLoop())
      IsReversed |= Around->getLoopLatch() && isReversed(*Around);
    if (!IsReversed)
      continue;
    for (BasicBlock *B : L->blocks()) {
      if (LI.getLoopFor(B) != L)
        continue;
      AdjacentCells Cells(*B, *L, FAM, F);
      if (!Cells.find())
        continue;
      if (L->isInnermost() &&
          FAM.getResult<LoopAccessAnalysis>(F).getInfo(*L).canVectorizeMemory())
        break;
      Changed |= Cells.join();
    }
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept = PreservedAnalyses::none();
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
