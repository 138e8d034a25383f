//===- Wave.cpp - a recursion reversed record by record -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/recursion/Wave.h"
#include "emit/Runtime.h"
#include "structured/Adjoints.h"
#include "structured/Residuals.h"
#include "structured/Reversal.h"
#include "structured/ShadowPointers.h"
#include "structured/memory/Unchanged.h"
#include "structured/parts/CutInTwo.h"
#include "structured/recursion/Members.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

bool verso::mayBeWave(Function &Member) {
  DominatorTree DT(Member);
  return LoopInfo(DT).empty() && all_of(instructions(Member), [&](auto &I) {
           auto *Call = dyn_cast<CallBase>(&I);
           return !Call || !callsMember(*Call) ||
                  Call->getCalledFunction() == &Member;
         });
}

namespace {

class WaveMaker {
public:
  WaveMaker(const Wave &Functions, const Objects &O, const VariedMemory &V,
            const DenseMap<Value *, Value *> &ShadowOf,
            FunctionAnalysisManager &FAM, Refusals &Refused)
      : F(*Functions.Recto), Verso(*Functions.Verso),
        IsInner(Functions.IsInner), O(O), V(V), ShadowOf(ShadowOf), FAM(FAM),
        Refused(Refused), M(*F.getParent()), C(M.getContext()),
        Cursor(F.getArg(F.arg_size() - 1)) {}

  void make() {
    emitBoth();
    if (!Refused)
      simplify();
    if (!Refused)
      cut();
    if (!Refused)
      takeRecord();
    for (StringRef Name : {"verso.record", "verso.boundary"})
      if (Function *Mark = M.getFunction(Name); Mark && Mark->use_empty())
        Mark->eraseFromParent();
  }

private:
  struct Site {
    CallBase *Call;
    AllocaInst *Record, *Seed;
    SmallVector<Value *, 4> Shadows = {};
  };
  CallInst *mark(IRBuilderBase &B, StringRef Name, Type *T,
                 ArrayRef<Value *> Uses = {});
  void emitBoth();
  void replaceCalls();
  void simplify();
  void cut();
  void takeRecord();

  Function &F, &Verso;
  const bool IsInner;
  const Objects &O;
  const VariedMemory &V;
  const DenseMap<Value *, Value *> &ShadowOf;
  FunctionAnalysisManager &FAM;
  Refusals &Refused;
  Module &M;
  LLVMContext &C;
  Argument *Cursor;
  CallInst *Record = nullptr;
  SmallVector<Site, 4> Sites;
  uint64_t Size = 0;
};

} // namespace

/// A call that is not there in the end.
CallInst *WaveMaker::mark(IRBuilderBase &B, StringRef Name, Type *T,
                          ArrayRef<Value *> Uses) {
  SmallVector<Type *, 1> Types;
  for (Value *V : Uses)
    Types.push_back(V->getType());
  FunctionCallee Mark =
      M.getOrInsertFunction(Name, FunctionType::get(T, Types, false));
  CallInst *Call = B.CreateCall(Mark, Uses);
  Call->addFnAttr(Attribute::NoUnwind);
  Call->addFnAttr(Attribute::NoDuplicate);
  return Call;
}

/// Recto and verso of an activation, one behind the other.
void WaveMaker::emitBoth() {
  IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Record = mark(Entry, "verso.record", Entry.getPtrTy());
  Record->setDoesNotAccessMemory();
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  Slots S(F);
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && callsMember(*Call) && V.isActive(Call))
      Sites.push_back({Call, S.create(Record->getType(), "at"),
                       S.create(Call->getType(), "seed")});
  Entry.SetInsertPoint(Record->getNextNode());
  for (const Site &Each : Sites) {
    Slots::set(Entry, Each.Record, Record);
    IRBuilder<> B(Each.Call);
    LoadInst *Next = B.CreateLoad(B.getPtrTy(), Cursor);
    Slots::set(B, Each.Record, Next);
  }
  auto Allocate = [&](IRBuilderBase &, Value *) -> Value * {
    llvm_unreachable("a member allocates memory");
  };
  ShadowPointers Shadows(F, V, ShadowOf, Allocate, /*Mapped=*/nullptr, TLI, S,
                         Refused);
  Unchanged Memory(F, FAM.getResult<AAManager>(F), LI, SE, O, TLI,
                   [&](const Instruction &I) { return S.owns(I); });
  for (Site &Each : Sites)
    for (unsigned K = 0; K != Each.Call->arg_size(); ++K)
      if (ShadowOf.contains(F.getArg(K)))
        Each.Shadows.push_back(Shadows.get(Each.Call->getArgOperand(K)));
  Adjoints A(V, Shadows, S, Refused);
  A.setInner(IsInner);
  A.setNowhere(Record);
  A.reverseCallsBy([&](CallBase &Call, IRBuilderBase &B) {
    for (const Site &Each : Sites)
      if (Each.Call == &Call)
        Slots::set(B, Each.Seed, A.take(B, &Call));
  });
  Reversal Reversed(F, LI, DT, SE, S, Refused);
  if (Refused)
    return;
  ReversedCode Code;
  Code.Block = [&](BasicBlock &Block, IRBuilderBase &B) {
    A.reverseBlock(Block, B, /*InOne=*/{}, nullptr);
  };
  Code.TakePhis = [&](BasicBlock &Block, IRBuilderBase &B) {
    A.takePhis(Block, B);
  };
  Code.GiveToPredecessor = [&](BasicBlock &Block, BasicBlock &From,
                               IRBuilderBase &B) {
    A.giveToPredecessor(Block, From, B);
  };
  Reversed.emit(Code);
  if (Refused)
    return;
  ReturnInst *Return = Reversed.returnOfRecto();
  Value *Returned = Return->getReturnValue();
  IRBuilder<> Start(Reversed.start(), Reversed.start()->begin());
  mark(Start, "verso.boundary", Start.getVoidTy(), Returned);
  Value *Seed = Start.CreateLoad(Returned->getType(), Record, "seed");
  A.start(Start, Returned, Seed);
  IRBuilder<> End(Reversed.end());
  for (const Site &Each : Sites) {
    // Of a call that is not made nobody reads the seed.
    Slots::set(Start, Each.Seed, PoisonValue::get(Each.Call->getType()));
    End.CreateStore(Slots::get(End, Each.Seed), Slots::get(End, Each.Record));
  }
  End.CreateRet(PoisonValue::get(Returned->getType()));
  Residuals Kept(F, LI, Reversed, Shadows, Memory, S, Refused);
  Kept.place();
  if (Refused)
    return;
  if (Kept.usesArena())
    return Refused.add("an activation keeps more than a record");
  ReplaceInstWithInst(Return, BranchInst::Create(Reversed.start()));
  for (const ShadowPointers::Loss &L : Shadows.losses())
    return Refused.add(L.Why, L.Condition);
  replaceCalls();
  S.promote();
}

/// Calls of members become calls of what also keeps records.
void WaveMaker::replaceCalls() {
  for (const Site &Each : Sites) {
    SmallVector<Value *, 8> Arguments(Each.Call->args());
    append_range(Arguments, Each.Shadows);
    Arguments.push_back(Cursor);
    IRBuilder<> B(Each.Call);
    CallInst *New = B.CreateCall(&F, Arguments);
    Each.Call->replaceAllUsesWith(New);
    Each.Call->eraseFromParent();
  }
}

/// So that only what is needed crosses.
void WaveMaker::simplify() {
  FAM.invalidate(F, PreservedAnalyses::none());
  FunctionPassManager Simplify;
  Simplify.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Simplify.addPass(InstCombinePass());
  Simplify.addPass(SimplifyCFGPass());
  Simplify.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Simplify.addPass(InstCombinePass());
  Simplify.addPass(SimplifyCFGPass());
  Simplify.run(F, FAM);
  FAM.invalidate(F, PreservedAnalyses::none());
  Record = nullptr;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && Call->getCalledFunction() &&
        Call->getCalledFunction()->getName() == "verso.record")
      Record = Call;
}

/// Recto: record.values = what crosses;  return
/// Verso: for (record = first; record != end; ++record) { ... }
void WaveMaker::cut() {
  SmallVector<CallInst *, 2> Boundaries;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && Call->getCalledFunction() &&
        Call->getCalledFunction()->getName() == "verso.boundary")
      Boundaries.push_back(Call);
  if (Boundaries.size() != 1 || !Record)
    return Refused.add("recto and verso of an activation cannot be told apart");
  Value *Returned = Boundaries[0]->getArgOperand(0);
  BasicBlock *Tail = Boundaries[0]->getParent();
  BasicBlock *Head = Tail->splitBasicBlock(Boundaries[0], "activation");
  Boundaries[0]->eraseFromParent();
  BlockSet Blocks;
  Blocks.insert(Head);
  for (unsigned K = 0; K != Blocks.size(); ++K)
    for (BasicBlock *Next : successors(Blocks[K]))
      Blocks.insert(Next);
  DominatorTree DT(F);
  ReturnInst *Return = nullptr;
  unsigned Returns = 0;
  for (BasicBlock *Block : Blocks)
    if (auto *R = dyn_cast<ReturnInst>(Block->getTerminator())) {
      Return = R;
      ++Returns;
    }
  if (Returns != 1 ||
      any_of(Blocks, [&](BasicBlock *B) { return !DT.dominates(Head, B); }) ||
      any_of(F, [&](BasicBlock &B) {
        return !Blocks.contains(&B) && isa<ReturnInst>(B.getTerminator());
      }))
    return Refused.add("recto and verso of an activation cannot be told apart");
  // The seed comes first.
  const DataLayout &DL = M.getDataLayout();
  Size = DL.getTypeAllocSize(Returned->getType());
  Align Most = std::max(Align(8), DL.getABITypeAlign(Returned->getType()));
  BasicBlock *Entry = BasicBlock::Create(C, "entry", &Verso);
  BasicBlock *Loop = BasicBlock::Create(C, "record", &Verso);
  BasicBlock *Exit = BasicBlock::Create(C, "end", &Verso);
  IRBuilder<> B(Entry);
  B.CreateBr(Loop);
  B.SetInsertPoint(Exit);
  B.CreateRetVoid();
  B.SetInsertPoint(Loop);
  PHINode *Here = B.CreatePHI(B.getPtrTy(), 2, "record");
  Here->addIncoming(Verso.getArg(0), Entry);
  Tail->getTerminator()->eraseFromParent();
  IRBuilder<> Recto(Tail);
  SmallVector<Value *, 32> Values = findCrossing(Blocks, [&](const Value *X) {
    return X != Record && crosses(X, Blocks);
  });
  // Large ones first; small ones need no room between them.
  std::partition(Values.begin(), Values.end(), [&](Value *X) {
    return DL.getTypeAllocSize(X->getType()) >= 8;
  });
  auto InVerso = [&](Use &U) {
    return Blocks.contains(cast<Instruction>(U.getUser())->getParent());
  };
  for (Value *X : Values) {
    Type *T = X->getType();
    Size = alignTo(Size, DL.getABITypeAlign(T));
    Most = std::max(Most, DL.getABITypeAlign(T));
    Recto.CreateStore(
        X, Recto.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Record, Size));
    Value *Again = B.CreateLoad(
        T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Here, Size));
    X->replaceUsesWithIf(Again, InVerso);
    Size += DL.getTypeAllocSize(T);
  }
  Recto.CreateRet(Returned);
  Record->replaceUsesWithIf(Here, InVerso);
  Size = alignTo(Size, Most);
  constexpr uint64_t MaxSize = 4096;
  if (Size > MaxSize)
    return Refused.add("an activation keeps more than a record");
  B.CreateBr(Head);
  for (BasicBlock *Block : Blocks) {
    Block->removeFromParent();
    Block->insertInto(&Verso, Exit);
  }
  B.SetInsertPoint(Return);
  Value *Next = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Here, Size);
  Here->addIncoming(Next, Return->getParent());
  B.CreateCondBr(B.CreateICmpEQ(Next, Verso.getArg(1)), Exit, Loop);
  Return->eraseFromParent();
}

/// record = cursor.next;  cursor.next = record + size
/// if (cursor.next > cursor.end) make more room
void WaveMaker::takeRecord() {
  constexpr uint64_t Growth = 1 << 16;
  IRBuilder<> B(Record);
  auto Field = [&](unsigned K) {
    return B.CreateConstInBoundsGEP1_64(B.getPtrTy(), Cursor, K);
  };
  Value *Mine = B.CreateLoad(B.getPtrTy(), Field(0), "record");
  Value *Next = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Mine, Size);
  Value *End = B.CreateLoad(B.getPtrTy(), Field(1), "end");
  B.CreateStore(Next, Field(0));
  Instruction *Full = SplitBlockAndInsertIfThen(
      B.CreateICmpUGT(Next, End), Record->getIterator(), /*Unreachable=*/false,
      MDBuilder(C).createUnlikelyBranchWeights());
  B.SetInsertPoint(Full);
  Value *Start = B.CreateLoad(B.getPtrTy(), Field(2));
  Value *Bytes = B.CreatePtrDiff(B.getInt8Ty(), End, Start);
  Value *More = B.CreateAdd(Bytes, B.getInt64(Growth));
  callRuntime(B, RuntimeFunction::ArenaExtend, {Start, Bytes, More});
  B.CreateStore(B.CreatePtrAdd(Start, More), Field(1));
  Record->replaceAllUsesWith(Mine);
  Record->eraseFromParent();
}

void verso::makeWave(const Wave &Functions, const Objects &O,
                     const VariedMemory &V,
                     const DenseMap<Value *, Value *> &Shadows,
                     FunctionAnalysisManager &FAM, Refusals &Refused) {
  WaveMaker(Functions, O, V, Shadows, FAM, Refused).make();
}
