//===- RecursionFrames.cpp - what lives across recursive calls ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"
#include "structured/recursion/RecursionMachine.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

bool RecursionMachine::isInCycle(BasicBlock *Block) {
  SmallVector<BasicBlock *, 16> Work(successors(Block));
  SmallPtrSet<BasicBlock *, 16> Seen;
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (B == Block)
      return true;
    if (Seen.insert(B).second)
      append_range(Work, successors(B));
  }
  return false;
}

/// The last point that comes before all users in every activation, and at most
/// once.
Instruction *RecursionMachine::commonPoint(const DominatorTree &DT,
                                           ArrayRef<Instruction *> Users) {
  BasicBlock *Block = nullptr;
  for (Instruction *I : Users) {
    if (!DT.isReachableFromEntry(I->getParent()))
      continue;
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      for (BasicBlock *P : Phi->blocks())
        Block = Block ? DT.findNearestCommonDominator(Block, P) : P;
      continue;
    }
    Block = Block ? DT.findNearestCommonDominator(Block, I->getParent())
                  : I->getParent();
  }
  if (!Block)
    return nullptr;
  while (isInCycle(Block) || Block->isEHPad())
    Block = DT.getNode(Block)->getIDom()->getBlock();
  Instruction *Point = Block->getTerminator();
  for (Instruction *I : Users)
    if (I->getParent() == Block && !isa<PHINode>(I) && I->comesBefore(Point))
      Point = I;
  return Point;
}

/// Local variables that are in memory: each activation has its own.
void RecursionMachine::allocateLocals(Member &Each) {
  DominatorTree DT(*F);
  for (Instruction &I : make_early_inc_range(*Each.Head)) {
    auto *A = dyn_cast<AllocaInst>(&I);
    if (!A)
      continue;
    std::optional<TypeSize> Size = A->getAllocationSize(DL);
    if (!Size || Size->isScalable() || A->getAlign() > Align(64))
      return Refused.add("a local array of variable size in a recursive "
                         "function",
                         A);
    SmallVector<Instruction *, 8> Users;
    for (User *U : A->users())
      Users.push_back(cast<Instruction>(U));
    if (Instruction *Point = commonPoint(DT, Users)) {
      IRBuilder<> B(Point);
      CallInst *Memory = callRuntime(B, RuntimeFunction::ArenaTake,
                                     {B.getInt64(Size->getFixedValue())});
      Memory->setName(A->getName());
      A->replaceAllUsesWith(Memory);
    } else {
      A->replaceAllUsesWith(PoisonValue::get(A->getType()));
    }
    A->eraseFromParent();
  }
}

void RecursionMachine::findSites(Function &G, Member &Each) {
  SmallVector<BasicBlock *, 16> Work{Each.Head};
  SmallPtrSet<BasicBlock *, 16> Seen{Each.Head, Return};
  SmallVector<CallBase *, 8> Calls;
  while (!Work.empty()) {
    BasicBlock *Block = Work.pop_back_val();
    for (Instruction &I : *Block) {
      if (auto *A = dyn_cast<AllocaInst>(&I); A && Block != Each.Head)
        return Refused.add("a local array of variable size in a recursive "
                           "function",
                           A);
      auto *Call = dyn_cast<CallBase>(&I);
      Member *Callee = Call ? callee(*Call) : nullptr;
      if (!Callee)
        continue;
      if (Call->arg_size() != Callee->Parameters.size() ||
          Call->getFunctionType() !=
              cast<Function>(
                  Call->getCalledOperand()->stripPointerCastsAndAliases())
                  ->getFunctionType())
        return Refused.add("'" + sourceName(G) + "' calls by another type",
                           Call);
      Calls.push_back(Call);
    }
    for (BasicBlock *Successor : successors(Block))
      if (Seen.insert(Successor).second)
        Work.push_back(Successor);
  }
  for (CallBase *Call : Calls) {
    Each.Sites.push_back({Call});
    SplitBlock(Call->getParent(), Call->getNextNode());
  }
}

void RecursionMachine::placeFrame(Member &Each, const DominatorTree &DT) {
  Each.Frame = variable(PointerType::getUnqual(C), "frame");
  SmallVector<Instruction *, 8> Calls;
  for (Site &S : Each.Sites)
    Calls.push_back(S.Call);
  Instruction *Point = commonPoint(DT, Calls);
  if (!Point)
    return;
  IRBuilder<> B(Point);
  Each.Take = callRuntime(B, RuntimeFunction::ArenaTake, {B.getInt64(0)});
  Each.Take->setName("frame");
  B.CreateStore(Each.Take, Each.Frame);
  // What comes before is for those that may return at once.
  Each.Inner = SplitBlock(Each.Take->getParent(), Each.Take);
}

/// Which variables are live after each call, and at the head of each block.
void RecursionMachine::findLive() {
  DenseMap<const Value *, unsigned> Number;
  for (AllocaInst *V : Tracked)
    Number[V] = Number.size();
  DenseMap<const BasicBlock *, AllocaInst *> FrameAt;
  for (auto &[G, Each] : Members)
    for (Site &S : Each.Sites)
      FrameAt[S.Call->getParent()] = Each.Frame;
  struct Effects {
    BitVector Reads, Writes;
  };
  DenseMap<BasicBlock *, Effects> Of;
  for (BasicBlock &Block : *F) {
    Effects E{BitVector(Tracked.size()), BitVector(Tracked.size())};
    auto Read = [&](const Value *V) {
      if (auto It = Number.find(V);
          It != Number.end() && !E.Writes.test(It->second))
        E.Reads.set(It->second);
    };
    for (Instruction &I : Block) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Read(Load->getPointerOperand());
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        if (auto It = Number.find(Store->getPointerOperand());
            It != Number.end())
          E.Writes.set(It->second);
    }
    if (AllocaInst *Frame = FrameAt.lookup(&Block))
      Read(Frame);
    LiveIn[&Block] = E.Reads;
    Of[&Block] = std::move(E);
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock &Block : reverse(*F)) {
      BitVector Live(Tracked.size());
      for (BasicBlock *S : successors(&Block))
        Live |= LiveIn[S];
      Live.reset(Of[&Block].Writes);
      Live |= Of[&Block].Reads;
      if (Live != LiveIn[&Block]) {
        LiveIn[&Block] = Live;
        Changed = true;
      }
    }
  }
}

/// Which variables have a field, and where their values are stored: once, if
/// they have one definition in an activation.
void RecursionMachine::layOut(Member &Each, const DominatorTree &DT) {
  if (!Each.Take)
    return;
  for (Site &S : Each.Sites)
    for (unsigned K : LiveIn[S.After].set_bits()) {
      AllocaInst *V = Tracked[K];
      if (V == Each.Frame)
        continue;
      S.Live.push_back(V);
      if (Each.Fields.contains(V))
        continue;
      Type *T = V->getAllocatedType();
      FrameEnd = alignTo(FrameEnd, DL.getABITypeAlign(T));
      Each.Fields[V] = {FrameEnd};
      FrameEnd += DL.getTypeAllocSize(T);
    }
  Instruction *Frame = Each.Take->getNextNode();
  for (auto &[V, Each2] : Each.Fields) {
    StoreInst *Definition = nullptr;
    unsigned Definitions = 0;
    for (User *U : V->users())
      if (auto *Store = dyn_cast<StoreInst>(U)) {
        Definition = Store;
        ++Definitions;
      }
    if (Definitions != 1 || isInCycle(Definition->getParent()))
      continue;
    Each2.IsUnchanged = true;
    bool IsEarlier = DT.dominates(Definition, Frame);
    if (!IsEarlier && !DT.dominates(Frame, Definition))
      continue;
    Each2.IsStoredAtCalls = false;
    IRBuilder<> B((IsEarlier ? Frame : Definition)->getNextNode());
    access(B, Each, V, /*Stores=*/true);
  }
}

MDNode *RecursionMachine::tagOf(LLVMContext &C, const Type *T) {
  MDBuilder MDs(C);
  MDNode *Root = MDs.createTBAARoot(FrameTypes);
  MDNode *Scalar =
      MDs.createTBAAScalarTypeNode(T->isPointerTy()   ? "verso pointer"
                                   : T->isIntegerTy() ? "verso integer"
                                                      : NumberInFrame,
                                   Root);
  return MDs.createTBAAStructTagNode(Scalar, Scalar, 0);
}

/// Loads or stores every scalar of a value in its own place.
Value *RecursionMachine::accessLeaves(IRBuilder<> &B, Value *Frame,
                                      uint64_t &Offset, Type *T, Value *Stored,
                                      bool IsUnchanged) {
  if (T->isStructTy() || T->isArrayTy() || isa<FixedVectorType>(T)) {
    bool IsVector = T->isVectorTy();
    unsigned N = T->isStructTy()  ? T->getStructNumElements()
                 : T->isArrayTy() ? T->getArrayNumElements()
                                  : cast<FixedVectorType>(T)->getNumElements();
    uint64_t Start = Offset;
    Value *Loaded = PoisonValue::get(T);
    for (unsigned K = 0; K != N; ++K) {
      Type *Part = T->isStructTy()  ? T->getStructElementType(K)
                   : T->isArrayTy() ? T->getArrayElementType()
                                    : T->getScalarType();
      uint64_t At =
          Start + (T->isStructTy()
                       ? DL.getStructLayout(cast<StructType>(T))
                             ->getElementOffset(K)
                             .getFixedValue()
                       : K * DL.getTypeAllocSize(Part).getFixedValue());
      Value *Element = !Stored    ? nullptr
                       : IsVector ? B.CreateExtractElement(Stored, K)
                                  : B.CreateExtractValue(Stored, K);
      Value *V = accessLeaves(B, Frame, At, Part, Element, IsUnchanged);
      if (!Stored)
        Loaded = IsVector ? B.CreateInsertElement(Loaded, V, K)
                          : B.CreateInsertValue(Loaded, V, K);
    }
    return Loaded;
  }
  Value *P = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Frame, Offset);
  Instruction *I;
  if (Stored)
    I = B.CreateStore(Stored, P);
  else
    I = B.CreateLoad(T, P);
  I->setMetadata(LLVMContext::MD_tbaa, tagOf(C, T));
  if (IsUnchanged && !Stored)
    I->setMetadata(UnchangedMark, MDNode::get(C, {}));
  return I;
}

/// frame.field = variable, or the other way round.
void RecursionMachine::access(IRBuilder<> &B, Member &Each, AllocaInst *V,
                              bool Stores) {
  Field &At = Each.Fields[V];
  Type *T = V->getAllocatedType();
  Value *Frame = B.CreateLoad(B.getPtrTy(), Each.Frame);
  uint64_t Offset = At.Offset;
  Value *Stored = Stores ? B.CreateLoad(T, V) : nullptr;
  Value *Loaded = accessLeaves(B, Frame, Offset, T, Stored, At.IsUnchanged);
  if (!Stores)
    B.CreateStore(Loaded, V);
}
