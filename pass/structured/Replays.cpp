//===- Replays.cpp - iterations that are run again in the verso -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Replays.h"
#include "analysis/CallModel.h"
#include "emit/Runtime.h"
#include "structured/loops/TravellingSums.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

const Loop *Replays::around(const Loop *L) const {
  while (L && !Replayed.contains(L))
    L = L->getParentLoop();
  return L;
}

bool Replays::choose(const Values &Recorded, const Values &Needed) {
  for (Loop *L : LI.getLoopsInPreorder()) {
    Values Slice;
    if (!R.isReversed(L) || around(L) ||
        none_of(Recorded, [&](auto *I) { return L->contains(I); }))
      continue;
    if (isDead(*L, Needed, {}) && findSlice(*L, Needed, Slice)) {
      emit(*L, Slice);
    } else if (findForwards(*L, Needed, Slice)) {
      emit(*L, Slice);
      runForwards(*L, Slice);
    }
  }
  return !Replayed.empty();
}

//===----------------------------------------------------------------------===//
// Whether the recto is dead
//===----------------------------------------------------------------------===//

static constexpr uint64_t AnySize = uint64_t(1) << 40;

static const Value *targetOf(const Instruction &Write) {
  if (auto *Bulk = dyn_cast<MemIntrinsic>(&Write))
    return Bulk->getRawDest();
  return cast<StoreInst>(Write).getPointerOperand();
}

/// Allocation and release do not read.
static bool readsThroughArguments(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  std::optional<KnownCall> K =
      Callee ? classifyCall(*Callee) : std::optional<KnownCall>();
  bool IsOfHeap =
      K && (K->K == KnownCall::Allocate || K->K == KnownCall::AllocateZeroed ||
            K->K == KnownCall::Free);
  return !IsOfHeap && !isInert(Call) && any_of(Call.args(), [](const Use &A) {
    return !A->getType()->isIntegerTy() && !A->getType()->isFPOrFPVectorTy();
  });
}

/// What may run after \p L, and is not in it.
static SmallSetVector<BasicBlock *, 16> blocksAfter(const Loop &L) {
  SmallSetVector<BasicBlock *, 16> Result;
  Result.insert(L.getUniqueExitBlock());
  for (unsigned K = 0; K != Result.size(); ++K)
    for (BasicBlock *Next : successors(Result[K]))
      if (!L.contains(Next))
        Result.insert(Next);
  return Result;
}

/// Whether something in these blocks may read what \p Write writes.
bool Replays::isReadIn(ArrayRef<BasicBlock *> Later, Instruction &Write) const {
  const Value *Target = targetOf(Write);
  auto MayRead = [&](Instruction &I) {
    if (!I.mayReadFromMemory() || S.owns(I) || Memory.isFunctionOfValues(I))
      return false;
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return !Shadows.isOurs(Load) && Memory.mayMeet(Write, *Load);
    if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
      return O.mayOverlap(Copy->getRawSource(), AnySize, Target, AnySize);
    auto *Call = dyn_cast<CallBase>(&I);
    return !Call || readsThroughArguments(*Call);
  };
  return any_of(Later, [&](BasicBlock *B) { return any_of(*B, MayRead); });
}

/// Whether nothing but the verso, by what it needs of single iterations, needs
/// that the loop is run. Of \p Counts nobody takes note.
bool Replays::isDead(const Loop &L, const Values &Needed,
                     const Values &Counts) const {
  if (!L.getUniqueExitBlock())
    return false;
  SmallPtrSet<const BasicBlock *, 32> Verso(R.blocks().begin(),
                                            R.blocks().end());
  SmallSetVector<BasicBlock *, 16> Later = blocksAfter(L);
  SmallSetVector<Instruction *, 16> Users;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      bool IsWrite = isa<StoreInst>(I) || isa<MemIntrinsic>(I);
      if (IsWrite ? I.isVolatile() || I.isAtomic() || S.owns(I) ||
                        Shadows.isOurs(&I) || !O.isPrivate(targetOf(I)) ||
                        isReadIn(Later.getArrayRef(), I)
                  : I.mayHaveSideEffects() && !Memory.isFunctionOfValues(I) &&
                        !isa<NoAliasScopeDeclInst, AssumeInst>(I))
        return false;
      for (User *U : I.users())
        if (auto *Other = cast<Instruction>(U);
            !L.contains(Other) && !Verso.contains(Other->getParent()))
          Users.insert(Other);
    }
  for (unsigned K = 0; K != Users.size(); ++K) {
    Instruction *I = Users[K];
    if (isa<ReturnInst>(I) || Counts.contains(I))
      continue;
    if (Needed.contains(I) || I->isTerminator() || I->mayHaveSideEffects() ||
        L.contains(I))
      return false;
    for (User *U : I->users())
      Users.insert(cast<Instruction>(U));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Whether the order of iterations is ours
//===----------------------------------------------------------------------===//

/// Whether the number goes from iteration to iteration as what is added up and
/// nobody looks at, so that the adjoint of each sum is that of the last.
static bool isRunningSum(PHINode &Phi, const Loop &L) {
  Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
  for (Value *V = &Phi; V != Next;) {
    auto *U = V->hasOneUse() ? cast<Instruction>(*V->user_begin()) : nullptr;
    auto *II = dyn_cast_or_null<IntrinsicInst>(U);
    bool Adds =
        U && L.contains(U) &&
        (U->getOpcode() == Instruction::FAdd ||
         (U->getOpcode() == Instruction::FSub && U->getOperand(0) == V) ||
         (II &&
          is_contained({Intrinsic::fmuladd, Intrinsic::fma},
                       II->getIntrinsicID()) &&
          II->getArgOperand(2) == V));
    if (!Adds)
      return false;
    V = U;
  }
  return all_of(Next->users(), [&](User *U) {
    return U == &Phi || !L.contains(cast<Instruction>(U));
  });
}

static bool mayBeNumber(const Type *T) { return !T->isIntOrPtrTy(); }

/// Whether the reverses of iterations may be run in any order: each adds to
/// cells that none of them reads, and the adjoints that go round are those of
/// running sums.
bool Replays::mayRunForwards(Loop &L) const {
  BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getUniqueExitBlock();
  if (!L.isInnermost() || !Latch || L.getExitingBlock() != Latch || !Exit ||
      Exit->getUniquePredecessor() != Latch ||
      LI.getLoopFor(Exit) != L.getParentLoop() ||
      !isa<BranchInst>(Latch->getTerminator()))
    return false;
  SmallPtrSet<const Value *, 4> Sums;
  for (PHINode &Phi : L.getHeader()->phis())
    if (mayBeNumber(Phi.getType())) {
      if (!Phi.getType()->isFloatingPointTy() || !isRunningSum(Phi, L))
        return false;
      Sums.insert(Phi.getIncomingValueForBlock(Latch));
    }
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (mayBeNumber(I.getType()) && !Sums.contains(&I) &&
          any_of(I.users(), [&](User *U) {
            auto *Phi = dyn_cast<PHINode>(U);
            return Phi && Phi->getParent() == Exit;
          }))
        return false;
  SmallVector<Instruction *, 16> Accesses;
  SmallPtrSet<const Instruction *, 8> Added;
  for (BasicBlock *B : R.blocks())
    for (Instruction &I : *B) {
      if (R.loopOf(B) != &L || S.owns(I) || Memory.isFunctionOfValues(I) ||
          !(I.mayReadOrWriteMemory() || I.mayThrow()))
        continue;
      auto *Store = dyn_cast<StoreInst>(&I);
      LoadInst *Load = Store ? loadAddedTo(*Store) : dyn_cast<LoadInst>(&I);
      if (!Load || !Load->isSimple() || (Store && !Store->isSimple()))
        return false;
      if (Store)
        Added.insert(Load);
      else
        Accesses.push_back(Load);
    }
  return all_of(Accesses, [&](Instruction *I) { return Added.contains(I); });
}

/// Where the verso sets how often \p L was run, and where that is carried over.
/// Counts that are for nothing else are taken out of \p Needed.
SmallVector<StoreInst *, 2> Replays::countsBefore(Loop &L, Values &Needed,
                                                  Values &Counts) const {
  SmallVector<StoreInst *, 2> Result;
  for (User *U : R.iteration(&L)->users())
    if (auto *Store = dyn_cast<StoreInst>(U);
        Store && R.loopOf(Store->getParent()) != &L)
      Result.push_back(Store);
  for (StoreInst *Store : SmallVector<StoreInst *, 2>(Result)) {
    auto *Count = dyn_cast<PHINode>(Store->getValueOperand());
    SmallVector<StoreInst *, 2> Others;
    bool IsCount = Count && all_of(Count->users(), [&](User *U) {
                     auto *Other = dyn_cast<StoreInst>(U);
                     if (Other && !is_contained(Result, Other))
                       Others.push_back(Other);
                     return Other && S.owns(*Other);
                   });
    if (IsCount && Counts.insert(Count)) {
      Needed.remove(Count);
      append_range(Result, Others);
    }
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// What is run again
//===----------------------------------------------------------------------===//

/// Whether the branch goes this way whenever \p At is come to in the same
/// iteration.
bool Replays::holdsAt(const BranchInst &Branch, bool IsTrue,
                      const BasicBlock &At) const {
  if (Branch.isUnconditional())
    return true;
  const DominatorTree &DT = R.dominatorTree();
  auto *Condition = dyn_cast<Instruction>(Branch.getCondition());
  const Loop *Of = Condition ? LI.getLoopFor(Condition->getParent()) : nullptr;
  for (auto *N = DT.getNode(&At)->getIDom(); N; N = N->getIDom()) {
    auto *Other = dyn_cast<BranchInst>(N->getBlock()->getTerminator());
    if (Other && Other->isConditional() &&
        Other->getCondition() == Branch.getCondition() &&
        (!Of || Of->contains(Other)) &&
        Other->getSuccessor(0) != Other->getSuccessor(1) &&
        DT.dominates(
            BasicBlockEdge(N->getBlock(), Other->getSuccessor(!IsTrue)), &At))
      return true;
  }
  auto *Compared = dyn_cast_or_null<ICmpInst>(Condition);
  ScalarEvolution &SE = R.scalarEvolution();
  if (!Compared || !SE.isSCEVable(Compared->getOperand(0)->getType()))
    return false;
  // Of loops around both, so the same there.
  auto IsOfIteration = [&](const SCEV *X) {
    return !SCEVExprContains(X, [&](const SCEV *Part) {
      auto *Evolution = dyn_cast<SCEVAddRecExpr>(Part);
      return Evolution && !Evolution->getLoop()->contains(&Branch);
    });
  };
  const SCEV *X = SE.getSCEV(Compared->getOperand(0)),
             *Y = SE.getSCEV(Compared->getOperand(1));
  return IsOfIteration(X) && IsOfIteration(Y) &&
         SE.isBasicBlockEntryGuardedByCond(
             &At,
             IsTrue ? Compared->getPredicate()
                    : Compared->getInversePredicate(),
             X, Y);
}

/// Whether nothing overwrites what \p Load reads, if the branch, whose
/// condition is the same throughout, goes the other way.
bool Replays::isElseUnchanged(const BranchInst &Branch, bool IsTrue,
                              const LoadInst &Load) const {
  auto *Condition = dyn_cast<Instruction>(Branch.getCondition());
  if (Condition && LI.getLoopFor(Condition->getParent()))
    return false;
  SmallVector<StoreInst *, 4> Writes = Memory.overwritingStores(Load);
  return !Writes.empty() && all_of(Writes, [&](StoreInst *W) {
    return holdsAt(Branch, IsTrue, *W->getParent());
  });
}

/// Whether \p Write, in each iteration of the loops around it alone, is
/// executed before \p Load in the same iteration of the loops around both.
bool Replays::isWrittenBefore(const Instruction &Write,
                              const LoadInst &Load) const {
  const DominatorTree &DT = R.dominatorTree();
  const BasicBlock *Of = Load.getParent(), *From = Write.getParent();
  if (From == Of)
    return Write.comesBefore(&Load);
  const Loop *L = LI.getLoopFor(From);
  for (; L && !L->contains(Of); L = L->getParentLoop()) {
    // Run to its end, and entered.
    if (!L->getLoopLatch() || L->getExitingBlock() != L->getLoopLatch() ||
        !DT.dominates(From, L->getLoopLatch()))
      return false;
    From = L->getLoopPreheader();
    if (!From || From == Of)
      return false;
  }
  while (!DT.properlyDominates(From, Of)) {
    const BasicBlock *Before = From->getSinglePredecessor();
    auto *Branch =
        Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
    bool IsTrue = Branch && Branch->getSuccessor(0) == From;
    if (!Branch || LI.getLoopFor(Before) != L ||
        (L && L->getHeader() == From) ||
        !(holdsAt(*Branch, IsTrue, *Of) ||
          isElseUnchanged(*Branch, IsTrue, Load)))
      return false;
    From = Before;
  }
  return true;
}

/// Adds what may write what \p Load reads, if that is in its iteration of \p L.
bool Replays::addWritesFor(LoadInst &Load, Loop &L, Values &Slice) {
  auto LeadsToReturn = [&](const BasicBlock &B) { return R.isReversed(&B); };
  if (!O.isPrivate(Load.getPointerOperand()) ||
      !Memory.isThereLater(Load, LeadsToReturn) ||
      F.getReturnType()->isPtrOrPtrVectorTy() ||
      F.getReturnType()->isAggregateType())
    return false;
  bool IsWritten = false;
  for (Instruction *W : Memory.writesIn(L, Load)) {
    auto *Store = dyn_cast<StoreInst>(W);
    auto *Set = dyn_cast<MemSetInst>(W);
    if ((Store
             ? !Store->isSimple() || !Memory.isThereLater(*Store, LeadsToReturn)
             : !Set || Set->isVolatile()) ||
        !O.isPrivate(targetOf(*W)))
      return false;
    IsWritten |= Memory.ranges().covers(*W, Load) && isWrittenBefore(*W, Load);
    Slice.insert(W);
  }
  return IsWritten;
}

/// Adds what \p I needs; false if it cannot be run again.
bool Replays::addToSlice(Instruction &I, Loop &L, Values &Slice) {
  if (auto *Phi = dyn_cast<PHINode>(&I);
      Phi && Phi->getParent() == L.getHeader() && !Forwards.contains(&L))
    return R.induction(*Phi).has_value();
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    const LoadInst *Primal = Shadows.primalOf(Load);
    if (S.owns(I) || (Shadows.isOurs(Load) && !Primal) || !Load->isSimple())
      return false;
    // What the recto of the loop writes is not there: it is left out.
    const LoadInst &Of = Primal ? *Primal : *Load;
    bool IsThere = Memory.mayLoadAgain(Of) && Memory.writesIn(L, Of).empty();
    if (!IsThere && (Primal || !addWritesFor(*Load, L, Slice)))
      return false;
  } else if (isa<StoreInst, MemSetInst>(I)) {
    // Added for a load.
  } else if (I.isTerminator()
                 ? !isa<BranchInst, SwitchInst>(I)
                 : !Memory.isFunctionOfValues(I) &&
                       (I.isEHPad() || isa<AllocaInst>(I) ||
                        I.mayReadOrWriteMemory() || I.mayThrow())) {
    return false;
  }
  for (Value *Op : I.operands())
    if (auto *V = dyn_cast<Instruction>(Op); V && L.contains(V))
      Slice.insert(V);
  return true;
}

/// What the verso needs of \p L, and what that is computed from.
bool Replays::findSlice(Loop &L, const Values &Needed, Values &Slice) {
  for (Loop *Inner : L.getLoopsInPreorder())
    if (Inner != &L) {
      if (!R.isReversed(Inner))
        return false;
      PHINode *Counter = R.counter(Inner);
      Slice.insert(Counter);
      Iterations[Inner] = R.backedges(Inner);
      if (auto *V = dyn_cast_or_null<Instruction>(Iterations[Inner]);
          V && L.contains(V))
        Slice.insert(V);
    }
  for (Instruction *I : Needed)
    if (L.contains(I))
      Slice.insert(I);
  for (BasicBlock *B : L.blocks()) {
    bool Decides = any_of(successors(B), [&](BasicBlock *To) {
      return L.contains(To) && To != L.getHeader();
    });
    if (Decides && !addToSlice(*B->getTerminator(), L, Slice))
      return false;
  }
  for (unsigned K = 0; K != Slice.size(); ++K)
    if (!addToSlice(*Slice[K], L, Slice))
      return false;
  return true;
}

/// The same, and what tells the next iteration.
bool Replays::findForwards(Loop &L, Values Needed, Values &Slice) {
  Values Counts;
  countsBefore(L, Needed, Counts);
  if (!mayRunForwards(L) || !isDead(L, Needed, Counts))
    return false;
  Slice.clear();
  if (auto *Leaves = dyn_cast<Instruction>(
          cast<BranchInst>(L.getLoopLatch()->getTerminator())->getCondition());
      Leaves && L.contains(Leaves))
    Slice.insert(Leaves);
  Forwards.insert(&L);
  if (findSlice(L, Needed, Slice))
    return true;
  Forwards.erase(&L);
  return false;
}

/// verso.loop:     br again
/// again:          the slice; for each edge to the header, or out of the loop,
///                 br replayed
/// replayed:       what verso.loop was
void Replays::emit(Loop &L, const Values &Slice) {
  Replayed.insert(&L);
  Rectos.push_back({L.getHeader(), L.getUniqueExitBlock()});
  BasicBlock *Start = R.header(&L);
  BasicBlock *Goes =
      R.newBlock(L.getHeader()->getName() + ".verso.replayed", &L);
  Goes->splice(Goes->end(), Start);
  SmallVector<Instruction *, 64> Added;
  for (BasicBlock *B : L.blocks())
    Blocks[B] = R.newBlock(B->getName() + ".again", LI.getLoopFor(B));
  for (BasicBlock *B : L.blocks()) {
    BasicBlock *Copy = Blocks[B];
    auto Add = [&](Instruction &I) {
      Instruction *New = I.clone();
      New->dropUnknownNonDebugMetadata({LLVMContext::MD_tbaa});
      New->setDebugLoc(DebugLoc());
      New->setName(I.getName());
      New->insertInto(Copy, Copy->end());
      Added.push_back(New);
      return New;
    };
    for (Instruction &I : *B) {
      if (I.isTerminator() || !Slice.contains(&I))
        continue;
      if (isa<PHINode>(I) && B == L.getHeader()) {
        if (Forwards.contains(&L)) {
          AllocaInst *Now = S.create(I.getType(), I.getName() + ".forwards");
          IRBuilder<> At(Copy);
          Copies[&I] = cast<Instruction>(Slots::get(At, Now));
        }
        continue;
      }
      Copies[&I] = Add(I);
      if (isa<LoadInst, StoreInst, MemIntrinsic>(I))
        Accesses.push_back({Copies[&I], &I});
    }
    auto Next = [&](BasicBlock *To) {
      return L.contains(To) && To != L.getHeader() ? Blocks[To] : Goes;
    };
    if (all_of(successors(B), [&](auto *To) { return Next(To) == Goes; })) {
      BranchInst::Create(Goes, Copy);
      continue;
    }
    Instruction *End = Add(*B->getTerminator());
    for (unsigned K = 0; K != End->getNumSuccessors(); ++K)
      End->setSuccessor(K, Next(End->getSuccessor(K)));
  }
  for (Instruction *I : Added) {
    for (Use &U : I->operands())
      if (auto *V = dyn_cast<Instruction>(U))
        U.set(again(V));
    if (auto *Phi = dyn_cast<PHINode>(I))
      for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
        Phi->setIncomingBlock(K, Blocks[Phi->getIncomingBlock(K)]);
  }
  Iterations.erase(&L);
  for (Loop *Inner : L.getLoopsInPreorder())
    if (Value *&Count = Iterations[Inner]) {
      auto *V = dyn_cast<Instruction>(Count);
      IRBuilder<> B(Blocks[Inner->getLoopPreheader()]->getTerminator());
      Count = B.CreateAdd(V ? again(V) : Count, B.getInt64(1));
    }
  BranchInst::Create(Blocks[L.getHeader()], Start);
}

/// before:         set %p, %head
/// again:          %p ...; %next = ...; %leaves = ...
/// replayed:       ...; br %leaves, before the loop, next
/// next:           set %p, %next; br again
void Replays::runForwards(Loop &L, const Values &Slice) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  BasicBlock *Next = nullptr;
  SmallVector<BasicBlock *, 2> Entries;
  for (BasicBlock *P : predecessors(R.header(&L)))
    if (R.loopOf(P) == &L)
      Next = P;
    else
      Entries.push_back(P);
  for (PHINode &Phi : Header->phis()) {
    if (!Slice.contains(&Phi))
      continue;
    auto *Now =
        cast<AllocaInst>(cast<LoadInst>(again(&Phi))->getPointerOperand());
    auto Set = [&](BasicBlock *B, Value *V) {
      IRBuilder<> At(B->getTerminator());
      Slots::set(At, Now, V);
    };
    for (BasicBlock *Entry : Entries)
      Set(Entry, Phi.getIncomingValueForBlock(L.getLoopPreheader()));
    Value *V = Phi.getIncomingValueForBlock(Latch);
    auto *I = dyn_cast<Instruction>(V);
    Set(Next, I ? again(I) : V);
  }
  auto *Branch = cast<BranchInst>(Latch->getTerminator());
  Value *Leaves = Branch->getCondition();
  if (auto *I = dyn_cast<Instruction>(Leaves))
    Leaves = again(I);
  if (L.contains(Branch->getSuccessor(0)))
    Leaves = IRBuilder<>(Blocks[Latch]->getTerminator()).CreateNot(Leaves);
  cast<BranchInst>(Next->getSinglePredecessor()->getTerminator())
      ->setCondition(Leaves);
  // Nobody counts.
  Values Needed, Counts;
  for (StoreInst *Store : countsBefore(L, Needed, Counts))
    Store->eraseFromParent();
}

void Replays::leaveOutRectos() {
  auto IsHarmless = [&](const Instruction &I) {
    return !I.mayHaveSideEffects() || isa<StoreInst>(I) ||
           isa<MemIntrinsic>(I) || Memory.isFunctionOfValues(I) ||
           isa<NoAliasScopeDeclInst, AssumeInst>(I);
  };
  for (auto [Header, Exit] : Rectos) {
    SmallSetVector<BasicBlock *, 16> Recto;
    Recto.insert(Header);
    bool IsDead =
        all_of(Exit->phis(), [](PHINode &Phi) { return Phi.use_empty(); });
    for (unsigned K = 0; K != Recto.size(); ++K) {
      IsDead &= succ_begin(Recto[K]) != succ_end(Recto[K]);
      for (BasicBlock *Next : successors(Recto[K]))
        if (Next != Exit)
          Recto.insert(Next);
    }
    for (BasicBlock *B : Recto)
      for (Instruction &I : *B)
        IsDead &=
            IsHarmless(I) && all_of(I.users(), [&](User *U) {
              BasicBlock *At = cast<Instruction>(U)->getParent();
              return Recto.contains(At) || (At == Exit && isa<PHINode>(U));
            });
    SmallVector<BasicBlock *, 2> Before;
    copy_if(predecessors(Header), std::back_inserter(Before),
            [&](BasicBlock *P) { return !Recto.contains(P); });
    if (!IsDead || Before.size() != 1 || !Before[0]->getSingleSuccessor())
      continue;
    for (PHINode &Phi : make_early_inc_range(Exit->phis()))
      Phi.eraseFromParent();
    Before[0]->getTerminator()->setSuccessor(0, Exit);
  }
}
