//===- LastChoices.cpp - what loops chose last ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/LastChoices.h"
#include "rules/Operation.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

namespace {

/// A value that a loop keeps or replaces.
class Choice {
public:
  Choice(Loop &L, PHINode &Kept, LoopInfo &LI, ScalarEvolution &SE,
         const TargetLibraryInfo *TLI)
      : L(L), Kept(Kept), LI(LI), SE(SE), TLI(TLI) {}

  bool canBeRunAgain();
  /// What the loop left, and what it is when it is computed again.
  std::pair<PHINode *, PHINode *> runAgain(DominatorTree &DT);

private:
  bool findChosen(Value *Next);
  bool isOnlyCompared(const Value &V) const;
  bool onlyReads() const;
  bool isWorthIt() const;
  void findRegion();
  bool canBeLeft(BasicBlock &B) const;
  bool findSlice();
  bool canBeRepeated(Instruction &I) const;
  SmallSetVector<BasicBlock *, 2> waysOn(BasicBlock &B) const;
  Value *noneOf(PHINode &Number);
  PHINode *lastOf(Value &AtIteration, Value &None);
  BasicBlock *emitSlice(BasicBlock *To);

  Loop &L;
  PHINode &Kept;
  LoopInfo &LI;
  ScalarEvolution &SE;
  const TargetLibraryInfo *TLI;
  PHINode *Left = nullptr;       ///< Kept's value behind the loop.
  Instruction *Chosen = nullptr; ///< What replaces it.
  /// Selects and phis between what is kept and what the iteration leaves.
  SmallSetVector<Instruction *, 8> Between;
  /// Blocks of an iteration from which that of Chosen is come to.
  SetVector<BasicBlock *> Region;
  /// What Chosen is computed from.
  SetVector<Instruction *> Slice;
  /// Phis of the header in it.
  SmallVector<PHINode *, 2> Numbers;
  DenseMap<Value *, Value *> Copies;
};

} // namespace

/// Finds what is between \p Next, which the iteration leaves, and what is kept,
/// and the one value that replaces it.
bool Choice::findChosen(Value *Next) {
  constexpr unsigned Most = 32;
  auto Goes = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return I && I != &Kept && LI.getLoopFor(I->getParent()) == &L &&
           (isa<SelectInst>(I) ||
            (isa<PHINode>(I) && I->getParent() != L.getHeader()));
  };
  // Selects, and what they choose from.
  auto Sources = [](Instruction &I) {
    return make_filter_range(I.operands(), [&](const Use &U) {
      return isa<PHINode>(I) || U.getOperandNo() != 0;
    });
  };
  SmallSetVector<Instruction *, 16> Found;
  if (Goes(Next))
    Found.insert(cast<Instruction>(Next));
  for (unsigned K = 0; K != Found.size() && K != Most; ++K)
    for (Value *V : Sources(*Found[K]))
      if (Goes(V))
        Found.insert(cast<Instruction>(V));
  if (Found.size() > Most)
    return false;
  SmallVector<Instruction *, 16> Work{&Kept};
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users())
      if (auto *I = cast<Instruction>(U);
          Found.contains(I) && Between.insert(I))
        Work.push_back(I);
  for (Instruction *I : Between)
    for (Value *V : Sources(*I)) {
      auto *From = dyn_cast<Instruction>(V);
      if (From == &Kept || (From && Between.contains(From)))
        continue;
      if (!From || LI.getLoopFor(From->getParent()) != &L ||
          (Chosen && Chosen != From))
        return false;
      Chosen = From;
    }
  return Chosen != nullptr;
}

bool Choice::isOnlyCompared(const Value &V) const {
  return all_of(V.users(), [&](const User *U) {
    auto *I = cast<Instruction>(U);
    return isa<FCmpInst>(I) || I == &Kept || I == Left ||
           Between.contains(const_cast<Instruction *>(I));
  });
}

bool Choice::onlyReads() const {
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (I.mayHaveSideEffects() && !Operation::match(I, TLI))
        return false;
  return true;
}

/// What a few iterations chose in local arrays LLVM does in registers, if it
/// can tell the elements.
bool Choice::isWorthIt() const {
  constexpr unsigned Few = 4, Unrolled = 16;
  unsigned Trips = SE.getSmallConstantTripCount(&L);
  if (Trips == 0 || Trips > Unrolled)
    return true;
  return Trips >= Few && none_of(Slice, [](const Instruction *I) {
           auto *Load = dyn_cast<LoadInst>(I);
           return Load && isa<AllocaInst>(
                              getUnderlyingObject(Load->getPointerOperand()));
         });
}

/// Where an iteration that comes to Chosen goes on to.
SmallSetVector<BasicBlock *, 2> Choice::waysOn(BasicBlock &B) const {
  SmallSetVector<BasicBlock *, 2> Ways;
  for (BasicBlock *Next : successors(&B))
    if (Next != L.getHeader() && Region.contains(Next))
      Ways.insert(Next);
  return Ways;
}

/// Whether it ends in a branch, with one edge to each block.
bool Choice::canBeLeft(BasicBlock &B) const {
  SmallPtrSet<BasicBlock *, 4> Next(succ_begin(&B), succ_end(&B));
  return isa<BranchInst, SwitchInst>(B.getTerminator()) &&
         Next.size() == B.getTerminator()->getNumSuccessors();
}

void Choice::findRegion() {
  Region.insert(Chosen->getParent());
  for (unsigned K = 0; K != Region.size(); ++K)
    if (Region[K] != L.getHeader())
      Region.insert(pred_begin(Region[K]), pred_end(Region[K]));
}

bool Choice::canBeRepeated(Instruction &I) const {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple();
  if (I.isTerminator())
    return isa<BranchInst, SwitchInst>(I);
  return Operation::match(I, TLI) ||
         !(I.mayReadOrWriteMemory() || I.mayThrow() || I.isEHPad() ||
           isa<AllocaInst>(I) || I.getType()->isTokenTy());
}

bool Choice::findSlice() {
  constexpr unsigned MaxNumbers = 2;
  Slice.insert(Chosen);
  for (BasicBlock *B : Region)
    if (B != Chosen->getParent() && waysOn(*B).size() > 1)
      Slice.insert(B->getTerminator());
  for (unsigned K = 0; K != Slice.size(); ++K) {
    Instruction *I = Slice[K];
    auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && Phi->getParent() == L.getHeader()) {
      Type *T = Phi->getType();
      if (!(T->isIntegerTy() || T->isPointerTy()) ||
          Numbers.size() == MaxNumbers)
        return false;
      Numbers.push_back(Phi);
      continue;
    }
    if (!canBeRepeated(*I))
      return false;
    for (Value *Op : I->operands())
      if (auto *V = dyn_cast<Instruction>(Op); V && L.contains(V))
        Slice.insert(V);
  }
  return !Numbers.empty();
}

bool Choice::canBeRunAgain() {
  BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getUniqueExitBlock();
  if (!Kept.getType()->isFloatingPointTy() || !L.isLoopSimplifyForm() ||
      !Exit || L.getExitingBlock() != Latch)
    return false;
  Value *Next = Kept.getIncomingValueForBlock(Latch);
  if (LI.getLoopFor(Exit) != L.getParentLoop() || !findChosen(Next))
    return false;
  for (PHINode &Phi : Exit->phis())
    if (Phi.getIncomingValue(0) == Next) {
      if (Left)
        return false;
      Left = &Phi;
    }
  if (!Left || !isOnlyCompared(Kept) ||
      !all_of(Between, [&](auto *I) { return isOnlyCompared(*I); }) ||
      !onlyReads())
    return false;
  findRegion();
  return all_of(Region, [&](BasicBlock *B) { return canBeLeft(*B); }) &&
         findSlice() && isWorthIt();
}

/// What \p AtIteration was in the iteration that chose last, behind the loop.
PHINode *Choice::lastOf(Value &AtIteration, Value &None) {
  Type *T = AtIteration.getType();
  PHINode *Last = PHINode::Create(T, 2, "last", L.getHeader()->begin());
  DenseMap<Value *, Value *> LastOf{{&Kept, Last}, {Chosen, &AtIteration}};
  for (Instruction *I : Between) {
    Instruction *New;
    if (auto *Select = dyn_cast<SelectInst>(I))
      New = SelectInst::Create(Select->getCondition(), &AtIteration,
                               &AtIteration, "last", I->getIterator());
    else
      New = PHINode::Create(T, 2, "last", I->getIterator());
    LastOf[I] = New;
  }
  for (Instruction *I : Between) {
    if (auto *Select = dyn_cast<SelectInst>(LastOf[I])) {
      Select->setTrueValue(LastOf[cast<SelectInst>(I)->getTrueValue()]);
      Select->setFalseValue(LastOf[cast<SelectInst>(I)->getFalseValue()]);
      continue;
    }
    auto *Phi = cast<PHINode>(I);
    for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
      cast<PHINode>(LastOf[I])->addIncoming(LastOf[Phi->getIncomingValue(K)],
                                            Phi->getIncomingBlock(K));
  }
  BasicBlock *Latch = L.getLoopLatch(), *Exit = Left->getParent();
  Value *Next = LastOf[Kept.getIncomingValueForBlock(Latch)];
  Last->addIncoming(&None, L.getLoopPreheader());
  Last->addIncoming(Next, Latch);
  PHINode *After = PHINode::Create(T, 1, "last", Exit->begin());
  After->addIncoming(Next, Latch);
  return After;
}

/// The iteration as far as to Chosen, of what that is computed from; leads to
/// \p To.
BasicBlock *Choice::emitSlice(BasicBlock *To) {
  BasicBlock *End = Chosen->getParent();
  DenseMap<BasicBlock *, BasicBlock *> Blocks;
  for (BasicBlock *B : Region)
    Blocks[B] = BasicBlock::Create(B->getContext(), B->getName() + ".chosen",
                                   B->getParent(), To);
  SmallVector<Instruction *, 32> Added;
  for (BasicBlock *B : Region) {
    auto Add = [&](Instruction &I) {
      Instruction *New = I.clone();
      New->setDebugLoc(I.getDebugLoc());
      New->setName(I.getName());
      New->insertInto(Blocks[B], Blocks[B]->end());
      Copies[&I] = New;
      Added.push_back(New);
      return New;
    };
    for (Instruction &I : *B)
      if (!I.isTerminator() && Slice.contains(&I) && !Copies.contains(&I))
        Add(I);
    if (B == End) {
      BranchInst::Create(To, Blocks[B]);
      continue;
    }
    SmallSetVector<BasicBlock *, 2> Ways = waysOn(*B);
    if (Ways.size() == 1) {
      BranchInst::Create(Blocks[Ways[0]], Blocks[B]);
      continue;
    }
    Instruction *Terminator = Add(*B->getTerminator());
    BasicBlock *Never = nullptr;
    for (unsigned K = 0; K != Terminator->getNumSuccessors(); ++K) {
      BasicBlock *Next = Terminator->getSuccessor(K);
      if (!Ways.contains(Next) && !Never) {
        Never = BasicBlock::Create(B->getContext(), "never", B->getParent());
        new UnreachableInst(B->getContext(), Never);
      }
      Terminator->setSuccessor(K, Ways.contains(Next) ? Blocks[Next] : Never);
    }
  }
  for (Instruction *I : Added) {
    for (Use &U : I->operands())
      if (Value *Copy = Copies.lookup(U))
        U.set(Copy);
    if (auto *Phi = dyn_cast<PHINode>(I))
      for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
        Phi->setIncomingBlock(K, Blocks[Phi->getIncomingBlock(K)]);
  }
  return Blocks[L.getHeader()];
}

/// A value, available before the loop, that \p Number has in no iteration: one
/// step before it starts. Null if it may come to that in the end.
Value *Choice::noneOf(PHINode &Number) {
  constexpr uint64_t MaxStep = 1 << 16;
  Type *T = Number.getType();
  auto *Evolution = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Number));
  if (!Evolution || Evolution->getLoop() != &L || !Evolution->isAffine() ||
      SE.getTypeSizeInBits(T) != 64)
    return nullptr;
  auto *Step = dyn_cast<SCEVConstant>(Evolution->getStepRecurrence(SE));
  if (!Step || Step->isZero() || Step->getAPInt().abs().ugt(MaxStep))
    return nullptr;
  BasicBlock *Before = L.getLoopPreheader();
  IRBuilder<> B(Before->getTerminator());
  Value *Start = Number.getIncomingValueForBlock(Before);
  Value *Back = B.getInt(-Step->getAPInt());
  return T->isIntegerTy() ? B.CreateAdd(Start, Back)
                          : B.CreatePtrAdd(Start, Back);
}

std::pair<PHINode *, PHINode *> Choice::runAgain(DominatorTree &DT) {
  BasicBlock *Exit = Left->getParent();
  Value *Start = Kept.getIncomingValueForBlock(L.getLoopPreheader());
  Value *IsAny = nullptr;
  IRBuilder<> B(&*Exit->getFirstInsertionPt());
  for (PHINode *Number : Numbers) {
    Value *None = IsAny ? nullptr : noneOf(*Number);
    Copies[Number] = lastOf(
        *Number, None ? *None : *Constant::getNullValue(Number->getType()));
    if (None)
      IsAny = B.CreateICmpNE(Copies[Number], None);
  }
  if (!IsAny)
    IsAny = lastOf(*B.getTrue(), *B.getFalse());
  BasicBlock *Behind = SplitBlock(Exit, B.GetInsertPoint(), &DT, &LI, nullptr,
                                  Exit->getName() + ".behind");
  PHINode *Again =
      PHINode::Create(Kept.getType(), 2, "chosen", Behind->begin());
  Left->replaceAllUsesWith(Again);
  Again->addIncoming(Start, Exit);
  BasicBlock *Run = emitSlice(Behind);
  for (BasicBlock *P : predecessors(Behind))
    if (P != Exit)
      Again->addIncoming(Copies[Chosen], P);
  Exit->getTerminator()->eraseFromParent();
  BranchInst::Create(Run, Behind, IsAny, Exit);
  return {Left, Again};
}

LastChoices::LastChoices(Function &F, FunctionAnalysisManager &FAM) {
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  SmallPtrSet<PHINode *, 8> Seen;
  auto RunOne = [&] {
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    for (Loop *L : LI.getLoopsInPreorder())
      for (PHINode &Phi : L->getHeader()->phis()) {
        Choice C(*L, Phi, LI, SE, TLI);
        if (Seen.contains(&Phi) || !C.canBeRunAgain())
          continue;
        Seen.insert(&Phi);
        Again.push_back(C.runAgain(FAM.getResult<DominatorTreeAnalysis>(F)));
        return true;
      }
    return false;
  };
  while (RunOne())
    FAM.invalidate(F, PreservedAnalyses::none());
  // What comes next changes the function without telling it.
  auto Left = PreservedAnalyses::all();
  Left.abandon<ScalarEvolutionAnalysis>();
  FAM.invalidate(F, Left);
}

void LastChoices::useResultsOfLoops() {
  for (auto &[Left, Chosen] : Again)
    if (Left && Chosen)
      Chosen->replaceAllUsesWith(Left);
}
