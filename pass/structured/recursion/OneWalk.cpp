//===- OneWalk.cpp - both sweeps of a member at once ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/recursion/OneWalk.h"
#include "LLVMCompat.h"
#include "emit/Companion.h"
#include "structured/recursion/Members.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

void OneWalk::prepare(Function &F) {
  removeUnreachableBlocks(F);
  for (BasicBlock &Block : F)
    if (Block.getSinglePredecessor())
      FoldSingleEntryPHINodes(&Block);
  SplitAllCriticalEdges(F, CriticalEdgeSplittingOptions());
}

OneWalk::OneWalk(Function &F, const VariedMemory &V, ShadowPointers &Shadows,
                 Adjoints &A, const MemberGradients &Gradients, Value *Seed,
                 Refusals &Refused)
    : F(F), V(V), Shadows(Shadows), A(A), Gradients(Gradients), Seed(Seed),
      Refused(Refused), DT(F), PDT(F) {
  for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F))
    Order[Block] = Order.size();
}

bool OneWalk::isActive(const Value *X) const {
  return V.isActive(X) && holdsReal(X->getType());
}

//===----------------------------------------------------------------------===//
// Known adjoints
//===----------------------------------------------------------------------===//

/// The instructions that hand an adjoint on to X.
SmallVector<Instruction *, 4> OneWalk::activeUsers(Value *X) const {
  SmallVector<Instruction *, 4> Result;
  for (User *U : X->users()) {
    auto *I = cast<Instruction>(U);
    if ((isa<ReturnInst>(I) || isActive(I) || V.handsBack(I)) &&
        !is_contained(Result, I))
      Result.push_back(I);
  }
  return Result;
}

/// Whether every run from X on, until X is computed again or the function
/// returns, passes exactly one of these uses.
bool OneWalk::isUsedOnce(const Instruction &X, const Uses &U) const {
  const BasicBlock *Home = X.getParent();
  struct Point {
    const BasicBlock *At;
    unsigned Used;
  };
  SmallVector<Point, 16> Work{{Home, U.In.lookup(Home)}};
  DenseSet<std::pair<const BasicBlock *, unsigned>> Seen;
  while (!Work.empty()) {
    auto [At, Used] = Work.pop_back_val();
    if (Used > 1 || (isa<ReturnInst>(At->getTerminator()) && Used != 1))
      return false;
    for (const BasicBlock *Next : successors(At)) {
      unsigned There = Used + U.On.lookup({At, Next});
      if (Next == Home) {
        if (There != 1)
          return false;
        continue;
      }
      There += U.In.lookup(Next);
      if (Seen.insert({Next, std::min(There, 2u)}).second)
        Work.push_back({Next, std::min(There, 2u)});
    }
  }
  return true;
}

/// Whether X is a running sum, if those are that are taken for some.
bool OneWalk::runs(Instruction &X) const {
  Uses Where;
  for (Instruction *U : activeUsers(&X)) {
    if (auto *Phi = dyn_cast<PHINode>(U)) {
      if (!Running.contains(Phi))
        return false;
      for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
        if (Phi->getIncomingValue(K) == &X)
          ++Where.On[{Phi->getIncomingBlock(K), Phi->getParent()}];
      continue;
    }
    ++Where.In[U->getParent()];
    if (isa<ReturnInst>(U))
      continue;
    const Operation *Op = V.operation(U);
    if (!Op || !Running.contains(U) || U->getType() != X.getType())
      return false;
    unsigned Summands = 0;
    for (unsigned K = 0; K != Op->operands().size(); ++K)
      if (Op->operands()[K] == &X) {
        ++Summands;
        if (Op->shape(K) != Operation::Shape::One)
          return false;
      }
    if (Summands != 1)
      return false;
  }
  return isUsedOnce(X, Where);
}

void OneWalk::findRunningSums() {
  for (Instruction &I : instructions(F))
    if (isActive(&I) && I.getType() == Seed->getType())
      Running.insert(&I);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Instruction &I : instructions(F))
      if (Running.contains(&I) && !runs(I)) {
        Running.erase(&I);
        Changed = true;
      }
  }
}

/// I, or a copy of it and of what it is computed from in front of Before; null
/// if that cannot be computed there.
Instruction *OneWalk::available(Instruction &I, Instruction *Before,
                                unsigned Depth) {
  constexpr unsigned MaxDepth = 8;
  if (DT.dominates(&I, Before))
    return &I;
  // Nothing writes to what it loads; and it is going to be loaded.
  auto *Load = dyn_cast<LoadInst>(&I);
  bool IsSure = Load && Load->isSimple() &&
                PDT.dominates(I.getParent(), Before->getParent());
  if (Depth == MaxDepth || isa<PHINode, CallBase>(I) || I.isTerminator() ||
      !(IsSure || isSafeToSpeculativelyExecute(&I)))
    return nullptr;
  SmallVector<Value *, 4> Operands;
  for (Value *Op : I.operands()) {
    auto *O = dyn_cast<Instruction>(Op);
    if (O && !(O = available(*O, Before, Depth + 1)))
      return nullptr;
    Operands.push_back(O ? O : Op);
  }
  Instruction *Copy = I.clone();
  for (const auto &[K, Op] : enumerate(Operands))
    Copy->setOperand(K, Op);
  Copy->insertBefore(Before->getIterator());
  return Copy;
}

/// What To, whose adjoint is given, contributes to that of X; null if it takes
/// what is not known yet.
Value *OneWalk::contribution(Instruction &To, Value *X, Value *Adjoint,
                             Instruction *Before) {
  Instruction *Last = Before->getPrevNode();
  IRBuilder<> B(Before);
  Value *Result = A.contribution(To, X, Adjoint, B);
  SmallVector<Instruction *, 8> New;
  for (Instruction *I = Before->getPrevNode(); I != Last; I = I->getPrevNode())
    New.push_back(I);
  SmallVector<Instruction *, 8> Kept;
  for (Instruction *I : New)
    if (I != Result && isInstructionTriviallyDead(I))
      I->eraseFromParent();
    else
      Kept.push_back(I);
  for (Instruction *I : Kept)
    for (Use &Op : I->operands())
      if (auto *O = dyn_cast<Instruction>(Op); O && !is_contained(Kept, O)) {
        Instruction *There = available(*O, Kept.back());
        if (!There)
          return nullptr;
        Op.set(There);
      }
  // The operand itself, as of a conversion.
  if (auto *R = dyn_cast_or_null<Instruction>(Result);
      R && !is_contained(Kept, R))
    return available(*R, Before);
  return Result;
}

/// The adjoint of X, emitted in front of Before; null if it is not known.
Value *OneWalk::known(Value *X, Instruction *Before, unsigned Depth) {
  constexpr unsigned MaxDepth = 16;
  if (Running.contains(X))
    return Seed;
  auto *I = dyn_cast<Instruction>(X);
  if (!I || Depth == MaxDepth)
    return nullptr;
  SmallVector<Instruction *, 4> Users = activeUsers(I);
  if (Users.empty())
    return nullptr;
  Uses Where;
  if (auto *Phi = dyn_cast<PHINode>(Users[0])) {
    for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
      if (Phi->getIncomingValue(K) == X)
        ++Where.On[{Phi->getIncomingBlock(K), Phi->getParent()}];
    if (Users.size() != 1 || !isUsedOnce(*I, Where))
      return nullptr;
    return known(Phi, Before, Depth + 1);
  }
  Where.In[Users[0]->getParent()] = 1;
  if (!isUsedOnce(*I, Where))
    return nullptr;
  Value *Sum = nullptr;
  for (Instruction *U : Users) {
    if (isa<PHINode>(U) || U->getParent() != Users[0]->getParent() ||
        (isa<CallBase>(U) && !V.operation(U)))
      return nullptr;
    Value *Part = Seed;
    if (!isa<ReturnInst>(U)) {
      Part = known(U, Before, Depth + 1);
      if (Part)
        Part = contribution(*U, X, Part, Before);
      if (!Part)
        return nullptr;
    }
    IRBuilder<> B(Before);
    Sum = Sum ? Adjoints::sum(B, Sum, Part) : Part;
  }
  return Sum;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

void OneWalk::walkCalls() {
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && callsMember(*Call) && isActive(Call))
      Calls[Call] = nullptr;
  for (auto &[Call, Both] : Calls) {
    Value *Adjoint = known(Call, Call);
    if (!Adjoint)
      return Refused.add("the adjoint of what a recursive call returns is not "
                         "known when the call is made",
                         Call);
    IRBuilder<> B(Call->getNextNode());
    Both = Gradients.emitCall(B, *Call, Shadows, Adjoint);
    if (!Both)
      return Refused.add("a recursive function calls one that keeps records",
                         Call);
  }
}

/// Whether the adjoint of X is known where X is computed, so that nothing needs
/// be handed on to it.
bool OneWalk::isHandled(const Value *X) const {
  auto *I = dyn_cast<Instruction>(X);
  return I && (Running.contains(I) || isa<PHINode>(I) ||
               Calls.count(const_cast<CallBase *>(dyn_cast<CallBase>(I))));
}

/// At the end of a block: what is known there is handed on, as far as it goes.
void OneWalk::reverseBlock(BasicBlock &Block) {
  IRBuilder<> B(Block.getTerminator());
  Pending.clear();
  A.setFilter([&](Value *X) {
    if (isHandled(X))
      return false;
    if (auto *I = dyn_cast<Instruction>(X); I && !is_contained(Pending, I))
      Pending.push_back(I);
    return true;
  });
  auto Start = [&](Value *X, Value *Adjoint) {
    if (isActive(X) && !isHandled(X))
      A.add(B, X, Adjoint);
  };
  SmallVector<Instruction *, 16> RunningHere;
  for (Instruction &I : Block) {
    auto *Call = dyn_cast<CallBase>(&I);
    bool IsOfMember = Call && Calls.count(Call);
    if (Running.contains(&I) && !isa<PHINode>(I) && !IsOfMember)
      RunningHere.push_back(&I);
    if (IsOfMember)
      Gradients.addResults(B, *Call, Calls[Call], A);
  }
  if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
    Start(Return->getReturnValue(), Seed);
  if (BasicBlock *Next = Block.getSingleSuccessor())
    for (PHINode &Phi : Next->phis()) {
      Value *X = Phi.getIncomingValueForBlock(&Block);
      if (!isActive(&Phi) || !isActive(X) || isHandled(X))
        continue;
      Value *Adjoint = known(&Phi, Block.getTerminator());
      if (!Adjoint)
        return Refused.add("an adjoint is not known where control flow meets",
                           &Phi);
      Start(X, Adjoint);
    }
  append_range(Pending, RunningHere);
  while (!Pending.empty()) {
    auto Last = std::max_element(
        Pending.begin(), Pending.end(), [&](Instruction *I, Instruction *J) {
          return I->getParent() == J->getParent()
                     ? I->comesBefore(J)
                     : Order.lookup(I->getParent()) <
                           Order.lookup(J->getParent());
        });
    Instruction *I = *Last;
    Pending.erase(Last);
    if (Running.contains(I))
      A.seed(B, I, Seed);
    A.reverse(*I, B);
  }
}

void OneWalk::emit() {
  findRunningSums();
  walkCalls();
  for (BasicBlock &Block : F)
    if (!Refused)
      reverseBlock(Block);
  A.setFilter(nullptr);
}

void OneWalk::replaceCalls() {
  for (auto &[Call, Both] : Calls) {
    if (!Both)
      continue;
    IRBuilder<> B(Both->getNextNode());
    Call->replaceAllUsesWith(B.CreateExtractValue(Both, 0));
    Call->eraseFromParent();
  }
}
