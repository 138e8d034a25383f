//===- RecursionStates.cpp - calls and returns as transitions -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"
#include "emit/Variables.h"
#include "structured/recursion/RecursionMachine.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

unsigned RecursionMachine::addState(BasicBlock *Block,
                                    ArrayRef<AllocaInst *> Needs) {
  State S{Block, {}};
  compat::insertRange(S.Needs, Needs);
  States.push_back(std::move(S));
  return States.size() - 1;
}

/// state = to; goto again
void RecursionMachine::go(IRBuilder<> &B, Value *To, const Variables &Needs) {
  B.CreateStore(To, Next);
  Transitions.push_back({B.CreateBr(Again), Needs});
}

/// Loops with calls. What follows a call until the next iteration is copied, so
/// that iterations without a call still make a loop; where calls are in inner
/// loops as well, each iteration goes by `again`.
void RecursionMachine::connectLoops() {
  DominatorTree DT(*F);
  LoopInfo LI(DT);
  struct Iteration {
    Loop *L;
    SmallVector<Site *, 4> Sites;
  };
  SmallVector<Iteration, 8> Loops;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Iteration I{L, {}};
    for (auto &[G, Each] : Members)
      for (Site &S : Each.Sites)
        if (L->contains(S.Call->getParent()))
          I.Sites.push_back(&S);
    if (!I.Sites.empty())
      Loops.push_back(std::move(I));
  }
  for (Iteration &I : Loops) {
    Loop *L = I.L;
    BasicBlock *Header = L->getHeader();
    if (all_of(I.Sites, [&](Site *S) {
          return LI.getLoopFor(S->Call->getParent()) == L;
        })) {
      copyTails(*L, I.Sites);
      continue;
    }
    SmallVector<BasicBlock *, 2> Latches;
    L->getLoopLatches(Latches);
    SmallVector<AllocaInst *, 16> Needs;
    for (unsigned K : LiveIn[Header].set_bits())
      Needs.push_back(Tracked[K]);
    unsigned K = addState(Header, Needs);
    auto *Leap = BasicBlock::Create(C, "iterate", F);
    IRBuilder<> B(Leap);
    go(B, B.getInt32(K), States[K].Needs);
    for (BasicBlock *Latch : Latches)
      Latch->getTerminator()->replaceSuccessorWith(Header, Leap);
  }
}

/// Values are in variables, so that blocks can be copied as they are.
void RecursionMachine::copyTails(Loop &L, ArrayRef<Site *> Sites) {
  SmallSetVector<BasicBlock *, 8> Tail;
  for (Site *S : Sites)
    if (L.contains(S->After))
      Tail.insert(S->After);
  for (unsigned K = 0; K != Tail.size(); ++K)
    for (BasicBlock *Next : successors(Tail[K]))
      if (L.contains(Next) && Next != L.getHeader())
        Tail.insert(Next);
  ValueToValueMapTy Copies;
  SmallVector<BasicBlock *, 8> New;
  for (BasicBlock *Block : Tail) {
    New.push_back(CloneBasicBlock(Block, Copies, ".after", F));
    Copies[Block] = New.back();
  }
  remapInstructionsInBlocks(New, Copies);
  for (Site *S : Sites) {
    if (Value *Copy = Copies.lookup(S->After))
      S->After = cast<BasicBlock>(Copy);
    if (Value *Copy = Copies.lookup(S->Call))
      S->Others.push_back(cast<CallBase>(Copy));
  }
}

/// Blocks in which an activation may return without a call.
void RecursionMachine::findOuter(Member &Each) {
  constexpr unsigned MaxInstructions = 40;
  if (!Each.Inner)
    return;
  bool Returns = false;
  unsigned Size = 0;
  Each.Outer.insert(Each.Head);
  for (unsigned K = 0; K != Each.Outer.size(); ++K) {
    Size += Each.Outer[K]->size();
    for (BasicBlock *Next : successors(Each.Outer[K])) {
      Returns |= Next == Return;
      if (Next != Return && Next != Each.Inner)
        Each.Outer.insert(Next);
    }
  }
  if (!Returns || Size > MaxInstructions || Each.Outer.contains(Each.Inner)) {
    Each.Outer.clear();
    Each.Inner = nullptr;
  }
}

/// A call goes through a copy of what the callee does outside, with variables
/// of its own. If that returns, the caller goes on; only else is its frame
/// filled.
void RecursionMachine::lowerCall(Member &Each, Site &S, CallBase &Call,
                                 unsigned Next) {
  Member &Callee = *callee(Call);
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Arguments(Call.args());
  BasicBlock *Block = Call.getParent(), *After = Block->getSingleSuccessor();
  Call.eraseFromParent();
  Block->getTerminator()->eraseFromParent();
  auto *Down = BasicBlock::Create(C, "call", F, After);
  DenseMap<AllocaInst *, AllocaInst *> Own;
  auto OwnOf = [&](AllocaInst *V) {
    AllocaInst *&Mine = Own[V];
    if (!Mine)
      Mine = variable(V->getAllocatedType(), V->getName() + ".inner");
    return Mine;
  };
  BasicBlock *To = Down;
  if (Callee.Inner) {
    ValueToValueMapTy Copies;
    SmallVector<BasicBlock *, 8> New;
    for (BasicBlock *Outer : Callee.Outer) {
      New.push_back(CloneBasicBlock(Outer, Copies, ".inner", F));
      Copies[Outer] = New.back();
      for (Instruction &I : *Outer)
        if (auto *V = dyn_cast_or_null<AllocaInst>(
                const_cast<Value *>(getLoadStorePointerOperand(&I))))
          Copies[V] = OwnOf(V);
    }
    Copies[Callee.Inner] = Down;
    Copies[Return] = After;
    remapInstructionsInBlocks(New, Copies);
    SmallVector<std::pair<AllocaInst *, AllocaInst *>, 4> Returned;
    if (S.Result)
      Returned.push_back({OwnOf(Callee.Result), S.Result});
    for (AllocaInst *V : {Throws, Thrown, Selector})
      if (AllocaInst *Mine = Own.lookup(V))
        Returned.push_back({Mine, V});
    for (BasicBlock *Copy : New)
      if (is_contained(successors(Copy), After)) {
        B.SetInsertPoint(Copy->getTerminator());
        for (auto [From, V] : Returned)
          B.CreateStore(B.CreateLoad(V->getAllocatedType(), From), V);
      }
    To = New.front();
  }
  B.SetInsertPoint(Block);
  for (auto [V, A] : zip(Callee.Parameters, Arguments))
    B.CreateStore(B.CreateBitOrPointerCast(A, V->getAllocatedType()),
                  Callee.Inner ? OwnOf(V) : V);
  Value *Frame = B.CreateLoad(B.getPtrTy(), Each.Frame);
  B.CreateStore(Frame, Callee.Inner ? OwnOf(Callee.Caller) : Callee.Caller);
  B.CreateBr(To);
  B.SetInsertPoint(Down);
  for (AllocaInst *V : S.Live)
    if (Each.Fields[V].IsStoredAtCalls)
      access(B, Each, V, /*Stores=*/true);
  B.CreateStore(B.getInt32(Next), B.CreateLoad(B.getPtrTy(), Each.Frame))
      ->setMetadata(LLVMContext::MD_tbaa, tagOf(C, B.getInt32Ty()));
  SmallVector<std::pair<Value *, AllocaInst *>, 8> Moves;
  if (Callee.Inner)
    for (AllocaInst *V : States[Callee.Enter].Needs)
      if (AllocaInst *Mine = Own.lookup(V))
        Moves.push_back({B.CreateLoad(V->getAllocatedType(), Mine), V});
  for (auto [From, V] : Moves)
    B.CreateStore(From, V);
  go(B, B.getInt32(Callee.Enter), States[Callee.Enter].Needs);
}

void RecursionMachine::connectCalls(Member &Each) {
  for (Site &S : Each.Sites) {
    Member &Callee = *callee(*S.Call);
    auto *Resume = BasicBlock::Create(C, "resume", F, S.After);
    SmallVector<AllocaInst *, 8> Needs{Resumed};
    if (Callee.Result)
      Needs.push_back(Callee.Result);
    if (Throws)
      Needs.append({Throws, Thrown, Selector});
    unsigned K = addState(Resume, Needs);
    IRBuilder<> B(Resume);
    B.CreateStore(B.CreateLoad(B.getPtrTy(), Resumed), Each.Frame);
    for (AllocaInst *V : S.Live)
      access(B, Each, V, /*Stores=*/false);
    if (S.Result)
      B.CreateStore(
          B.CreateLoad(Callee.Result->getAllocatedType(), Callee.Result),
          S.Result);
    B.CreateBr(S.After);
    lowerCall(Each, S, *S.Call, K);
    for (CallBase *Other : S.Others)
      lowerCall(Each, S, *Other, K);
  }
}

/// if (!back) return result (or throw); resumed = back; goto back->site
void RecursionMachine::connectReturns() {
  Return->getTerminator()->eraseFromParent();
  auto *End = BasicBlock::Create(C, "end", F);
  auto *Up = BasicBlock::Create(C, "return", F);
  IRBuilder<> B(Return);
  Value *Frame = B.CreateLoad(B.getPtrTy(), Back);
  B.CreateCondBr(B.CreateIsNull(Frame), End, Up);
  B.SetInsertPoint(Up);
  B.CreateStore(Frame, Resumed);
  LoadInst *Site = B.CreateLoad(B.getInt32Ty(), Frame);
  Site->setMetadata(LLVMContext::MD_tbaa, tagOf(C, B.getInt32Ty()));
  Variables Needs;
  Needs.insert(Resumed);
  for (auto &[G, Each] : Members)
    if (Each.Result)
      Needs.insert(Each.Result);
  for (AllocaInst *V : {Throws, Thrown, Selector})
    if (V)
      Needs.insert(V);
  go(B, Site, Needs);
  B.SetInsertPoint(End);
  if (Throws) {
    auto *Outside = BasicBlock::Create(C, "outside", F);
    auto *Normal = BasicBlock::Create(C, "normal", F);
    B.CreateCondBr(B.CreateLoad(B.getInt1Ty(), Throws), Outside, Normal);
    throwOutside(Outside);
    B.SetInsertPoint(Normal);
  }
  if (AllocaInst *Result = Members[&First].Result)
    B.CreateRet(B.CreateLoad(Result->getAllocatedType(), Result));
  else
    B.CreateRetVoid();
}

/// What a state does not need is nothing at `again`, so that no variable is
/// handed through all states.
void RecursionMachine::finish() {
  Variables Any;
  for (State &S : States)
    compat::insertRange(Any, S.Needs);
  for (Transition &T : Transitions) {
    IRBuilder<> B(T.Before);
    for (AllocaInst *V : Any)
      if (!T.Needs.contains(V))
        B.CreateStore(PoisonValue::get(V->getAllocatedType()), V);
  }
  IRBuilder<> B(Again);
  B.CreateBr(Dispatch);
  auto *Never = BasicBlock::Create(C, "never", F);
  new UnreachableInst(C, Never);
  B.SetInsertPoint(Dispatch);
  SwitchInst *Switch =
      B.CreateSwitch(B.CreateLoad(B.getInt32Ty(), Next), Never, States.size());
  for (unsigned K = 0; K != States.size(); ++K)
    Switch->addCase(B.getInt32(K), States[K].Block);
  removeUnreachableBlocks(*F);
  std::vector<AllocaInst *> All;
  for (Instruction &I : *Entry)
    if (auto *A = dyn_cast<AllocaInst>(&I))
      All.push_back(A);
  DominatorTree DT(*F);
  promoteVariables(All, DT);
}

void RecursionMachine::connect() {
  Again = BasicBlock::Create(C, "again", F);
  Dispatch = BasicBlock::Create(C, "dispatch", F);
  for (auto &[G, Each] : Members) {
    SmallVector<AllocaInst *, 8> Needs(Each.Parameters);
    Needs.push_back(Each.Caller);
    Each.Enter = addState(Each.Head, Needs);
    findOuter(Each);
    if (!Each.Inner)
      continue;
    SmallVector<AllocaInst *, 16> Live;
    for (unsigned K : LiveIn[Each.Inner].set_bits())
      Live.push_back(Tracked[K]);
    Each.Enter = addState(Each.Inner, Live);
  }
  connectLoops();
  for (auto &[G, Each] : Members)
    connectCalls(Each);
  connectReturns();
  Entry->getTerminator()->eraseFromParent();
  IRBuilder<> B(Entry);
  Member &Each = Members[&First];
  for (auto [V, A] : zip(Each.Parameters, F->args()))
    B.CreateStore(B.CreateBitOrPointerCast(&A, V->getAllocatedType()), V);
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), Each.Caller);
  unsigned Head =
      find_if(States, [&](State &S) { return S.Block == Each.Head; }) -
      States.begin();
  B.CreateStore(B.getInt32(Head), Next);
  // The loop is entered here, not at `again`.
  Transitions.push_back({B.CreateBr(Dispatch), States[Head].Needs});
  finish();
}
