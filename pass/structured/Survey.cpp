//===- Survey.cpp - where calls through pointers lead, asked before -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Survey.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"
#include "structured/SurveySlice.h"
#include "verso/Layout.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

static void endWith(BasicBlock &Block, Instruction *From, bool Answer) {
  for (BasicBlock *Next : successors(&Block))
    Next->removePredecessor(&Block, /*KeepOneInputPHIs=*/true);
  while (&Block.back() != From) {
    Block.back().replaceAllUsesWith(PoisonValue::get(Block.back().getType()));
    Block.back().eraseFromParent();
  }
  From->replaceAllUsesWith(PoisonValue::get(From->getType()));
  LLVMContext &C = Block.getContext();
  From->eraseFromParent();
  ReturnInst::Create(C, ConstantInt::getBool(C, Answer), &Block);
}

/// if (IsUnknown) return false;   before \p At
static void giveUpIf(Value *IsUnknown, BasicBlock::iterator At) {
  Instruction *Then =
      SplitBlockAndInsertIfThen(IsUnknown, At, /*Unreachable=*/true);
  LLVMContext &C = Then->getContext();
  ReturnInst::Create(C, ConstantInt::getFalse(C), Then->getIterator());
  Then->eraseFromParent();
}

namespace {
/// The end of a block from where code is looked at that F may not come to, and
/// the block where it would be otherwise.
struct Detour {
  Instruction *From;
  BasicBlock *Join;
  SmallVector<BasicBlock *, 4> Headers; ///< Of the loops around it.
};
} // namespace

/// Nothing is known if a survey comes to its end, to the next iteration or
/// there again before it comes to where F may be.
static void wantJoins(Function &Survey, ArrayRef<Detour> Detours) {
  SmallVector<ReturnInst *, 4> Known;
  for (BasicBlock &Block : Survey)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
        Return && match(Return->getReturnValue(), m_One()))
      Known.push_back(Return);
  IRBuilder<> Entry(&*Survey.getEntryBlock().getFirstInsertionPt());
  for (const Detour &Each : Detours) {
    AllocaInst *IsOpen = Entry.CreateAlloca(Entry.getInt1Ty());
    Entry.CreateStore(Entry.getFalse(), IsOpen);
    auto GiveUpBefore = [&](Instruction *I) {
      IRBuilder<> B(I);
      giveUpIf(B.CreateLoad(B.getInt1Ty(), IsOpen), I->getIterator());
    };
    IRBuilder<> AtJoin(&*Each.Join->getFirstInsertionPt());
    AtJoin.CreateStore(AtJoin.getFalse(), IsOpen);
    GiveUpBefore(Each.From);
    IRBuilder<>(Each.From).CreateStore(Entry.getTrue(), IsOpen);
    for (ReturnInst *Return : Known)
      GiveUpBefore(Return);
    for (BasicBlock *Header : Each.Headers)
      GiveUpBefore(&*Header->getFirstInsertionPt());
  }
}

/// What is not in the slice goes, and control flow past what decides nothing.
static void reduce(Function &Survey, const Function &F, const Slice &Of,
                   const ValueToValueMapTy &Copies, ArrayRef<CallBase *> Ends) {
  auto CopyOf = [&](const Value *V) { // What is gone has become poison.
    Value *Copy = Copies.lookup(V);
    return dyn_cast_or_null<Instruction>(Copy);
  };
  SmallVector<Detour, 8> Detours;
  SmallPtrSet<const BasicBlock *, 8> Ending;
  for (CallBase *End : Ends)
    if (Instruction *Copy = CopyOf(End);
        Copy && Ending.insert(End->getParent()).second)
      endWith(*Copy->getParent(), &*Copy->getParent()->getFirstNonPHIIt(),
              false);
  for (const BasicBlock &Block : F) {
    if (Ending.contains(&Block))
      continue;
    auto *Copy = cast<BasicBlock>(Copies.lookup(&Block));
    Instruction *End = Copy->getTerminator();
    const Instruction *Original = Block.getTerminator();
    if (Original->getNumSuccessors() == 0) {
      endWith(*Copy, End, true);
    } else if (auto *Invoke = dyn_cast<InvokeInst>(End);
               Invoke && Of.contains(*Original)) {
      changeToCall(Invoke);
    } else if (Presumption P = Of.presumed(*Original); P.Way) {
      auto *Way = cast<BasicBlock>(Copies.lookup(P.Way));
      for (BasicBlock *Next : successors(Copy))
        if (Next != Way)
          Next->removePredecessor(Copy, /*KeepOneInputPHIs=*/true);
      End->eraseFromParent();
      Instruction *At = BranchInst::Create(Way, Copy);
      if (P.Join) {
        SmallVector<BasicBlock *, 4> Headers;
        for (const BasicBlock *Header : Of.headersAround(Block))
          Headers.push_back(cast<BasicBlock>(Copies.lookup(Header)));
        Detours.push_back(
            {At, cast<BasicBlock>(Copies.lookup(P.Join)), Headers});
      }
    } else if (Original->getNumSuccessors() > 1 && !Of.contains(*Original)) {
      const BasicBlock *After = Of.after(Block);
      endWith(*Copy, End, true);
      if (!After)
        continue;
      Copy->getTerminator()->eraseFromParent();
      BranchInst::Create(cast<BasicBlock>(Copies.lookup(After)), Copy);
    }
  }
  for (const Instruction &I : instructions(F)) {
    Instruction *Copy = CopyOf(&I);
    if (!Copy || I.isTerminator() || Ending.contains(I.getParent()))
      continue;
    Value *Known = PoisonValue::get(Copy->getType());
    if (Of.contains(I) && asksForSuccess(I))
      Known = ConstantInt::getBool(
          I.getContext(), cast<ICmpInst>(I).getPredicate() == CmpInst::ICMP_NE);
    else if (Of.contains(I))
      continue;
    Copy->replaceAllUsesWith(Known);
    Copy->eraseFromParent();
  }
  // What invokes have become.
  for (Instruction &I : make_early_inc_range(instructions(Survey)))
    if (isa<CallBase>(I) && !isa<MinMaxIntrinsic>(I)) {
      I.replaceAllUsesWith(PoisonValue::get(I.getType()));
      I.eraseFromParent();
    }
  wantJoins(Survey, Detours);
  removeUnreachableBlocks(Survey);
}

/// Whether the library throws in \p Block since as many elements as \p Asked
/// asks for would not fit in memory, though they are there: the distance of two
/// pointers, from the start of a vector to its end.
static bool isNeverTooLong(const Value &Asked, const BasicBlock &Block) {
  const Value *Length = nullptr;
  if (!match(&Asked, m_ICmp(m_Value(Length), m_ConstantInt())))
    return false;
  const Value *Bytes = Length;
  match(Length, m_Shr(m_Value(Bytes), m_ConstantInt()));
  if (!match(Bytes, m_Sub(m_PtrToInt(m_Value()), m_PtrToInt(m_Value()))))
    return false;
  return any_of(Block, [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee &&
           (Callee->getName() == "_ZSt20__throw_length_errorPKc" ||
            Callee->getName() == "_ZSt28__throw_bad_array_new_lengthv" ||
            Callee->getName() == "_ZSt17__throw_bad_allocv");
  });
}

/// Where the function neither returns nor comes to one of \p Ends (it throws,
/// or ends) it does not go: no call throws to there, and no branch is taken if
/// what it asks is only known then, as the length of a vector that is made on
/// the way, or is too long for memory. What such guard is memory of the
/// function's own; what the caller's memory guards is looked at. Returns
/// whether any branch is.
static bool takeForGranted(Function &F, MutableArrayRef<CallBase *> Ends,
                           const TargetLibraryInfo *TLI) {
  bool Any = false;
  std::optional<Objects> Known;
  auto Look = [&]() -> const Objects & {
    if (!Known)
      Known.emplace(F, ArrayRef<Value *>(), TLI);
    return *Known;
  };
  SmallPtrSet<const BasicBlock *, 32> GoesOn;
  SmallVector<const BasicBlock *, 32> Work;
  for (const CallBase *End : Ends)
    Work.push_back(End->getParent());
  for (const BasicBlock &Block : F)
    if (isa<ReturnInst>(Block.getTerminator()))
      Work.push_back(&Block);
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (GoesOn.insert(Block).second)
      append_range(Work, predecessors(Block));
  }
  for (BasicBlock &Block : F) {
    auto *Invoke = dyn_cast<InvokeInst>(Block.getTerminator());
    if (!Invoke || !GoesOn.contains(&Block) ||
        GoesOn.contains(Invoke->getUnwindDest()))
      continue;
    CallBase **End = find(Ends, Invoke);
    CallInst *Call = changeToCall(Invoke);
    if (End != Ends.end())
      *End = Call;
  }
  for (BasicBlock &Block : F) { // No value that it asks for goes from here on.
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    if (!Branch || !Branch->isConditional() || !GoesOn.contains(&Block))
      continue;
    BasicBlock *Next = Branch->getSuccessor(0),
               *Other = Branch->getSuccessor(1);
    if (GoesOn.contains(Other))
      std::swap(Next, Other);
    if (GoesOn.contains(Other) ||
        (!isNeverTooLong(*Branch->getCondition(), *Other) &&
         !isOfRun(*Branch->getCondition(), Look)))
      continue;
    Any = true;
    Other->removePredecessor(&Block);
    Branch->eraseFromParent();
    BranchInst::Create(Next, &Block);
  }
  removeUnreachableBlocks(F);
  return Any;
}

/// What has been taken for granted may have guarded a pointer that is none.
static void lookBeforeReading(Function &Survey) {
  SmallVector<LoadInst *, 16> Loads;
  for (Instruction &I : instructions(Survey))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && !isa<AllocaInst, GlobalValue>(
                    Load->getPointerOperand()->stripInBoundsConstantOffsets()))
      Loads.push_back(Load);
  if (Loads.empty())
    return;
  IRBuilder<> Entry(&*Survey.getEntryBlock().getFirstInsertionPt());
  auto *Words = ArrayType::get(Entry.getInt64Ty(), VERSO_SURVEYED_WORDS);
  Value *Seen = Entry.CreateAlloca(Words);
  Entry.CreateMemSet(Seen, Entry.getInt8(0), VERSO_SURVEYED_WORDS * 8,
                     MaybeAlign(8));
  for (LoadInst *Load : Loads) {
    IRBuilder<> B(Load);
    const TypeSize Bytes =
        Survey.getDataLayout().getTypeStoreSize(Load->getType());
    giveUpIf(
        B.CreateIsNull(callRuntime(B, RuntimeFunction::CanBeRead,
                                   {Load->getPointerOperand(),
                                    B.getInt64(Bytes.getFixedValue()), Seen})),
        Load->getIterator());
  }
}

/// After so many iterations (a hundredth of a second) nothing is known: what
/// ends the loop may have been taken for granted, as that no node of a list
/// comes twice.
static void limitSteps(Function &Survey) {
  constexpr uint64_t MostSteps = 1u << 20;
  IRBuilder<> B(&*Survey.getEntryBlock().getFirstInsertionPt());
  AllocaInst *Steps = B.CreateAlloca(B.getInt64Ty());
  B.CreateStore(B.getInt64(0), Steps);
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Back;
  FindFunctionBackedges(Survey, Back);
  SmallSetVector<BasicBlock *, 8> Begun;
  for (auto [From, To] : Back)
    Begun.insert(const_cast<BasicBlock *>(To));
  for (BasicBlock *Header : Begun) {
    B.SetInsertPoint(&*Header->getFirstInsertionPt());
    Value *Now =
        B.CreateAdd(B.CreateLoad(B.getInt64Ty(), Steps), B.getInt64(1));
    B.CreateStore(Now, Steps);
    giveUpIf(B.CreateICmpUGT(Now, B.getInt64(MostSteps)), B.GetInsertPoint());
  }
}

/// What is read in one place on each way is read where the ways meet: as
/// nothing that is read changes, it does not matter which way it was.
static void readWhereWaysMeet(Function &F) {
  const DominatorTree DT(F);
  SmallVector<PHINode *, 16> Phis;
  for (Instruction &I : instructions(F))
    if (auto *Phi = dyn_cast<PHINode>(&I))
      Phis.push_back(Phi);
  for (PHINode *Phi : Phis) {
    auto *First = dyn_cast<LoadInst>(Phi->getIncomingValue(0));
    if (!First || !all_of(Phi->incoming_values(), [&](const Use &U) {
          auto *Load = dyn_cast<LoadInst>(U);
          return Load && Load->isSimple() &&
                 Load->getPointerOperand() == First->getPointerOperand() &&
                 Load->getMetadata(LLVMContext::MD_tbaa) ==
                     First->getMetadata(LLVMContext::MD_tbaa);
        }))
      continue;
    auto *From = dyn_cast<Instruction>(First->getPointerOperand());
    if (From && !DT.dominates(From, Phi->getParent()))
      continue;
    Instruction *Load = First->clone();
    Load->insertBefore(Phi->getParent()->getFirstInsertionPt());
    Phi->replaceAllUsesWith(Load);
    Phi->eraseFromParent();
  }
}

namespace {

/// A copy of a function whose calls through pointers are handed nothing. They
/// are never made, but while they seem to be, what they are handed might be
/// known to anybody.
struct HandingNothing {
  Function *F;
  SmallVector<CallBase *, 8> Ends;
  FunctionAnalysisManager &FAM;
  bool TakesForGranted = false;

  HandingNothing(Function &Original, ArrayRef<CallBase *> Calls,
                 FunctionAnalysisManager &FAM)
      : FAM(FAM) {
    ValueToValueMapTy Copies;
    F = CloneFunction(&Original, Copies);
    for (CallBase *Call : Calls) {
      Ends.push_back(cast<CallBase>(Copies.lookup(Call)));
      for (Use &Argument : Ends.back()->args())
        Argument.set(PoisonValue::get(Argument->getType()));
    }
    TakesForGranted = takeForGranted(
        *F, Ends, &FAM.getResult<TargetLibraryAnalysis>(Original));
    readWhereWaysMeet(*F);
  }
  HandingNothing(const HandingNothing &) = delete;
  ~HandingNothing() {
    FAM.clear(*F, F->getName());
    F->eraseFromParent();
  }
};

} // namespace

std::string verso::findObstacle(Function &F, ArrayRef<CallBase *> Calls,
                                FunctionAnalysisManager &FAM) {
  HandingNothing Copy(F, Calls, FAM);
  return Slice(*Copy.F, Copy.Ends, FAM).obstacle(FAM);
}

SurveyOf verso::makeSurvey(Function &Original, ArrayRef<CallBase *> Calls,
                           FunctionAnalysisManager &FAM) {
  HandingNothing Copy(Original, Calls, FAM);
  Function &F = *Copy.F;
  Slice Of(F, Copy.Ends, FAM);
  if (std::string Obstacle = Of.obstacle(FAM); !Obstacle.empty())
    return {nullptr, false, Obstacle};
  LLVMContext &C = F.getContext();
  auto *Survey = Function::Create(
      FunctionType::get(Type::getInt1Ty(C), F.getFunctionType()->params(),
                        /*isVarArg=*/false),
      GlobalValue::InternalLinkage, Original.getName() + ".survey",
      F.getParent());
  ValueToValueMapTy Copies;
  for (auto [A, B] : zip(F.args(), Survey->args()))
    Copies[&A] = &B;
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(Survey, &F, Copies,
                    CloneFunctionChangeType::LocalChangesOnly, Returns);
  Survey->setAttributes({});
  compileLike(*Survey, F);
  markOrdinary(*Survey);
  Survey->setPersonalityFn(nullptr);
  reduce(*Survey, F, Of, Copies, Copy.Ends);
  const bool MayStray = Copy.TakesForGranted || Of.mayStray();
  if (MayStray) {
    lookBeforeReading(*Survey);
    limitSteps(*Survey);
  }
  stripDebugInfo(*Survey);
  return {Survey, MayStray, ""};
}
