//===- EdgeIterations.cpp - iterations at the edges -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/loops/EdgeIterations.h"
#include "LLVMCompat.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace verso;

namespace {

/// One loop, whose only block is Body.
class EdgePeeling {
public:
  EdgePeeling(Loop &L, ScalarEvolution &SE)
      : L(L), SE(SE), Body(*L.getHeader()), Exit(*L.getExitBlock()),
        Preheader(*L.getLoopPreheader()),
        Backedges(SE.getBackedgeTakenCount(&L)) {}

  bool peel();

private:
  SmallSetVector<ICmpInst *, 4> choices() const;
  bool isTrueOnce(const ICmpInst &C, bool &IsFirst) const;
  BasicBlock *copyBody(ValueToValueMapTy &Map, const Twine &Suffix);
  void leaveOutLoop(BasicBlock &Before, BasicBlock &Behind);
  void peelFirst(ValueToValueMapTy &Map);
  void peelLast(ValueToValueMapTy &Map);
  void stopEarlier(Value *Iterations);

  Loop &L;
  ScalarEvolution &SE;
  BasicBlock &Body, &Exit, &Preheader;
  const SCEV *Backedges;
  /// Its value.
  Value *Count = nullptr;
};

} // namespace

/// The comparisons that choose addresses that are written to.
SmallSetVector<ICmpInst *, 4> EdgePeeling::choices() const {
  SmallSetVector<ICmpInst *, 4> Result;
  SmallSetVector<Instruction *, 32> Addresses;
  auto Add = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (I && I->getParent() == &Body && !isa<PHINode, LoadInst>(I))
      Addresses.insert(I);
  };
  for (Instruction &I : Body)
    if (auto *Store = dyn_cast<StoreInst>(&I))
      Add(Store->getPointerOperand());
  for (unsigned K = 0; K != Addresses.size(); ++K) {
    if (auto *Select = dyn_cast<SelectInst>(Addresses[K]))
      if (auto *C = dyn_cast<ICmpInst>(Select->getCondition());
          C && C->isEquality() && C->getParent() == &Body)
        Result.insert(C);
    for (Value *Op : Addresses[K]->operands())
      Add(Op);
  }
  return Result;
}

/// Whether the two sides of C are equal in the first iteration and in no other,
/// or in the last.
bool EdgePeeling::isTrueOnce(const ICmpInst &C, bool &IsFirst) const {
  if (!SE.isSCEVable(C.getOperand(0)->getType()))
    return false;
  const SCEV *A = SE.getSCEV(C.getOperand(0)), *B = SE.getSCEV(C.getOperand(1));
  if (!isa<SCEVAddRecExpr>(A))
    std::swap(A, B);
  auto *E = dyn_cast<SCEVAddRecExpr>(A);
  if (!E || E->getLoop() != &L || !E->isAffine() ||
      !E->getType()->isIntegerTy() || !SE.isLoopInvariant(B, &L))
    return false;
  // A step by one comes back after as many iterations as there are numbers.
  const SCEV *Step = E->getStepRecurrence(SE);
  if (!(Step->isOne() || Step->isAllOnesValue()) ||
      SE.getUnsignedRangeMax(Backedges).getActiveBits() >
          SE.getTypeSizeInBits(E->getType()))
    return false;
  auto AreEqual = [&](const SCEV *P) {
    return SE.getMinusSCEV(P, B)->isZero();
  };
  IsFirst = AreEqual(E->getStart());
  return IsFirst || AreEqual(E->evaluateAtIteration(Backedges, SE));
}

/// A copy of Body, without phis and terminator. Map has what the phis are.
BasicBlock *EdgePeeling::copyBody(ValueToValueMapTy &Map, const Twine &Suffix) {
  auto *Copy = BasicBlock::Create(Body.getContext(), Body.getName() + Suffix,
                                  Body.getParent(), &Body);
  for (Instruction &I : Body) {
    if (isa<PHINode>(I) || I.isTerminator())
      continue;
    Instruction *New = I.clone();
    New->insertInto(Copy, Copy->end());
    New->setName(I.getName());
    RemapInstruction(New, Map,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    Map[&I] = New;
  }
  return Copy;
}

/// At the end of Before: if (count == 0) goto Behind; else the loop
void EdgePeeling::leaveOutLoop(BasicBlock &Before, BasicBlock &Behind) {
  auto *Rest = BasicBlock::Create(Body.getContext(), Body.getName() + ".rest",
                                  Body.getParent(), &Body);
  BranchInst::Create(&Body, Rest);
  Body.replacePhiUsesWith(&Preheader, Rest);
  IRBuilder<> B(&Before);
  B.CreateCondBr(B.CreateIsNull(Count), &Behind, Rest);
}

/// preheader: copy, if (count == 0) goto join
/// loop, join: what the loop or the copy computed, exit
void EdgePeeling::peelFirst(ValueToValueMapTy &Map) {
  for (PHINode &Phi : Body.phis())
    Map[&Phi] = Phi.getIncomingValueForBlock(&Preheader);
  BasicBlock *First = copyBody(Map, ".first");
  auto *Join = BasicBlock::Create(Body.getContext(), Body.getName() + ".join",
                                  Body.getParent(), &Exit);
  auto In = [&](Value *V) -> Value * {
    auto It = Map.find(V);
    return It == Map.end() ? V : static_cast<Value *>(It->second);
  };
  for (Instruction &I : Body) {
    SmallVector<Use *, 8> Outside;
    for (Use &U : I.uses())
      if (auto *User = cast<Instruction>(U.getUser());
          User->getParent() != &Body)
        Outside.push_back(&U);
    if (Outside.empty())
      continue;
    PHINode *Either = PHINode::Create(I.getType(), 2, I.getName(), Join);
    Either->addIncoming(In(&I), First);
    Either->addIncoming(&I, &Body);
    for (Use *U : Outside)
      U->set(Either);
  }
  BranchInst::Create(&Exit, Join);
  Exit.replacePhiUsesWith(&Body, Join);
  Body.getTerminator()->replaceSuccessorWith(&Exit, Join);
  for (PHINode &Phi : Body.phis())
    Phi.setIncomingValueForBlock(&Preheader,
                                 In(Phi.getIncomingValueForBlock(&Body)));
  Preheader.getTerminator()->setSuccessor(0, First);
  leaveOutLoop(*First, *Join);
}

/// preheader: if (count == 0) goto last
/// loop, with an iteration less; last: copy, exit
void EdgePeeling::peelLast(ValueToValueMapTy &Map) {
  auto *Merge = BasicBlock::Create(Body.getContext(), Body.getName() + ".merge",
                                   Body.getParent(), &Exit);
  for (PHINode &Phi : Body.phis()) {
    PHINode *Here = PHINode::Create(Phi.getType(), 2, Phi.getName(), Merge);
    Here->addIncoming(Phi.getIncomingValueForBlock(&Preheader), &Preheader);
    Here->addIncoming(Phi.getIncomingValueForBlock(&Body), &Body);
    Map[&Phi] = Here;
  }
  BasicBlock *Last = copyBody(Map, ".last");
  for (Instruction &I : Body) {
    Value *There = I.isTerminator() ? nullptr : Map.lookup(&I);
    if (There)
      I.replaceUsesWithIf(There, [&](Use &U) {
        const BasicBlock *In = cast<Instruction>(U.getUser())->getParent();
        return In != &Body && In != Merge;
      });
  }
  BranchInst::Create(Last, Merge);
  BranchInst::Create(&Exit, Last);
  Last->moveAfter(&Body);
  Exit.replacePhiUsesWith(&Body, Last);
  Body.getTerminator()->replaceSuccessorWith(&Exit, Merge);
  Preheader.getTerminator()->eraseFromParent();
  leaveOutLoop(Preheader, *Merge);
  stopEarlier(Count);
}

/// The loop makes so many iterations, at least one.
void EdgePeeling::stopEarlier(Value *Iterations) {
  auto *Branch = cast<BranchInst>(Body.getTerminator());
  Type *T = Iterations->getType();
  IRBuilder<> B(&Body, Body.begin());
  PHINode *K = B.CreatePHI(T, 2, "rest");
  B.SetInsertPoint(Branch);
  Value *Next = B.CreateAdd(K, ConstantInt::get(T, 1), "", /*HasNUW=*/true);
  for (BasicBlock *P : predecessors(&Body))
    K->addIncoming(P == &Body ? Next : ConstantInt::get(T, 0), P);
  Value *Goes = B.CreateICmpNE(Next, Iterations);
  Branch->setCondition(Branch->getSuccessor(0) == &Body ? Goes
                                                        : B.CreateNot(Goes));
}

bool EdgePeeling::peel() {
  std::optional<bool> First;
  SmallVector<ICmpInst *, 4> Chosen;
  for (ICmpInst *C : choices())
    if (bool IsFirst;
        isTrueOnce(*C, IsFirst) && First.value_or(IsFirst) == IsFirst) {
      First = IsFirst;
      Chosen.push_back(C);
    }
  auto *Branch = dyn_cast<BranchInst>(Body.getTerminator());
  Instruction *Before = Preheader.getTerminator();
  SCEVExpander Expander = compat::scevExpander(SE, "edge");
  if (!First || !Branch || !Branch->isConditional() ||
      !isa<BranchInst>(Before) || Before->getNumSuccessors() != 1 ||
      !Expander.isSafeToExpandAt(Backedges, Before))
    return false;
  Count = Expander.expandCodeFor(Backedges, Backedges->getType(), Before);
  ValueToValueMapTy Map;
  if (*First)
    peelFirst(Map);
  else
    peelLast(Map);
  SmallVector<std::pair<WeakTrackingVH, bool>, 8> Known;
  for (ICmpInst *C : Chosen) {
    bool IsEqual = C->getPredicate() == ICmpInst::ICMP_EQ;
    Known.push_back({static_cast<Value *>(Map.lookup(C)), IsEqual});
    Known.push_back({C, !IsEqual});
  }
  for (auto &[C, IsTrue] : Known)
    if (auto *I = dyn_cast_or_null<Instruction>(static_cast<Value *>(C)))
      replaceAndRecursivelySimplify(I,
                                    ConstantInt::getBool(I->getType(), IsTrue));
  return true;
}

bool verso::peelEdge(Loop &L, ScalarEvolution &SE) {
  return EdgePeeling(L, SE).peel();
}
