//===- Survey.cpp - where calls through pointers lead, asked before -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Survey.h"
#include "Diagnostics.h"
#include "LLVMCompat.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "analysis/CopiedNumbers.h"
#include "emit/Runtime.h"
#include "structured/Targets.h"
#include "structured/memory/Objects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
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

namespace {

/// What decides whether some calls are come to, and what they call.
class Slice {
public:
  Slice(Function &F, ArrayRef<CallBase *> Calls);

  /// What keeps it from being run when F begins; empty if nothing does.
  std::string obstacle(FunctionAnalysisManager &FAM) const;
  bool contains(const Instruction &I) const { return Needed.contains(&I); }
  /// Where control flow goes on behind a terminator that decides nothing; null
  /// for the end.
  const BasicBlock *after(const BasicBlock &Block) const;

private:
  void findDeciders();
  void need(const Instruction &I);
  void needWayTo(const BasicBlock &Block);
  bool isPlain(const Instruction &I) const;

  Function &F;
  SmallPtrSet<const CallBase *, 8> Ends;
  PostDominatorTree PDT;
  /// The terminators that decide whether a block is come to.
  DenseMap<const BasicBlock *, SmallSetVector<const Instruction *, 4>> Deciders;
  SmallSetVector<const Instruction *, 32> Needed;
};

} // namespace

/// Whether \p I asks if memory was to be had. In a survey it always is, as no
/// call throws: what is read behind that is there in any case.
static bool asksForSuccess(const Instruction &I) {
  auto *Compare = dyn_cast<ICmpInst>(&I);
  return Compare && Compare->isEquality() &&
         isNoAliasCall(Compare->getOperand(0)->stripPointerCasts()) &&
         isa<ConstantPointerNull>(Compare->getOperand(1));
}

Slice::Slice(Function &F, ArrayRef<CallBase *> Calls)
    : F(F), Ends(Calls.begin(), Calls.end()), PDT(F) {
  findDeciders();
  for (CallBase *End : Calls) {
    needWayTo(*End->getParent());
    if (auto *Callee = dyn_cast<Instruction>(End->getCalledOperand()))
      need(*Callee);
  }
  for (unsigned K = 0; K != Needed.size(); ++K) {
    const Instruction &I = *Needed[K];
    needWayTo(*I.getParent());
    if (isa<InvokeInst>(I) || asksForSuccess(I)) // Only where it goes on.
      continue;
    for (const Value *Op : I.operands())
      if (auto *Other = dyn_cast<Instruction>(Op))
        need(*Other);
    if (auto *Phi = dyn_cast<PHINode>(&I))
      for (const BasicBlock *From : Phi->blocks()) {
        need(*From->getTerminator());
        needWayTo(*From);
      }
  }
}

void Slice::need(const Instruction &I) { Needed.insert(&I); }

void Slice::needWayTo(const BasicBlock &Block) {
  if (auto It = Deciders.find(&Block); It != Deciders.end())
    for (const Instruction *Terminator : It->second)
      need(*Terminator);
}

/// Control dependence: a block that comes after one successor in any case, but
/// not after the terminator.
void Slice::findDeciders() {
  for (BasicBlock &Block : F) {
    if (Block.getTerminator()->getNumSuccessors() < 2 || !PDT.getNode(&Block))
      continue;
    const auto *End = PDT.getNode(&Block)->getIDom();
    for (BasicBlock *Next : successors(&Block))
      for (const auto *N = PDT.getNode(Next); N && N != End; N = N->getIDom())
        if (N->getBlock())
          Deciders[N->getBlock()].insert(Block.getTerminator());
  }
}

const BasicBlock *Slice::after(const BasicBlock &Block) const {
  const auto *N = PDT.getNode(&Block);
  return N && N->getIDom() ? N->getIDom()->getBlock() : nullptr;
}

/// What costs next to nothing and has no effect.
bool Slice::isPlain(const Instruction &I) const {
  auto IsReal = [](const Value *V) { return V->getType()->isFPOrFPVectorTy(); };
  if (IsReal(&I) || any_of(I.operands(), IsReal))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple();
  if (isa<BranchInst, SwitchInst, InvokeInst, PHINode, SelectInst>(I))
    return true;
  return !isa<CallBase>(I) && !I.isTerminator() && !I.mayHaveSideEffects() &&
         !I.mayReadFromMemory() && !isa<AllocaInst>(I) && !I.isEHPad();
}

/// Whether \p P leads to memory that the function makes, and to nothing else.
static bool leadsToOwn(const Value *P, const Objects &O) {
  const Places All = O.isComplete() ? O.placesOf(P) : Places();
  return !All.empty() &&
         all_of(All, [&](const Place &Q) { return O[Q.Object].isLocal(); });
}

/// Whether \p I only writes to memory that did not exist when the function
/// began: nothing that was there led to it.
static bool writesFreshMemory(const Instruction &I, const Objects &O) {
  const Value *To = nullptr;
  if (auto *Store = dyn_cast<StoreInst>(&I))
    To = Store->getPointerOperand();
  else if (auto *Bulk = dyn_cast<MemIntrinsic>(&I))
    To = Bulk->getDest();
  if (!To)
    return false;
  SmallVector<const Value *, 4> Roots;
  getUnderlyingObjects(To, Roots, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(Roots,
                [](const Value *Root) {
                  return isa<AllocaInst>(Root) || isNoAliasCall(Root);
                }) ||
         leadsToOwn(To, O);
}

/// Whether \p Load reads what nobody writes: a table of virtual functions.
static bool readsTable(const LoadInst &Load) {
  if (Load.hasMetadata(LLVMContext::MD_invariant_load))
    return true;
  auto *Table = dyn_cast<LoadInst>(
      Load.getPointerOperand()->stripInBoundsConstantOffsets());
  const MDNode *Tag =
      Table ? Table->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return Tag && Tag->isTBAAVtableAccess();
}

/// Where control flow goes at \p I, of the slice, if something fails that does
/// not fail in a survey; null where that is not clear.
static SmallVector<const BasicBlock *, 2> afterFailure(const Instruction &I) {
  SmallVector<const BasicBlock *, 2> Result;
  if (auto *Invoke = dyn_cast<InvokeInst>(&I))
    Result.push_back(Invoke->getUnwindDest());
  if (asksForSuccess(I))
    for (const User *U : I.users()) {
      auto *Branch = dyn_cast<BranchInst>(U);
      bool IsNull = cast<ICmpInst>(I).getPredicate() == CmpInst::ICMP_EQ;
      Result.push_back(Branch ? Branch->getSuccessor(IsNull ? 0 : 1) : nullptr);
    }
  return Result;
}

static std::string withPlace(const Twine &What, const Instruction &I) {
  return (What + (I.getDebugLoc() ? " at " + placeOf(I) : "")).str();
}

std::string Slice::obstacle(FunctionAnalysisManager &FAM) const {
  constexpr unsigned MostComparisons = 1u << 18;
  for (const Instruction *I : Needed)
    if (!isPlain(*I))
      return withPlace("which one depends on what is computed", *I);
  for (const Instruction *I : Needed)
    for (const BasicBlock *Failed : afterFailure(*I))
      if (!Failed || any_of(Ends, [&](const CallBase *End) {
            return isPotentiallyReachable(Failed, End->getParent());
          }))
        return withPlace("which is called after a failure as well", *I);
  AAResults &AA = FAM.getResult<AAManager>(F);
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  DominatorTree DT(F);
  // Only memory is had as a rule; a pool of the program's may well be empty.
  for (const Instruction *I : Needed)
    if (asksForSuccess(*I)) {
      auto *Call = cast<CallBase>(I->getOperand(0)->stripPointerCasts());
      if (modelCall(*Call, TLI).K != CallModel::Library)
        return withPlace("which is called only if a function succeeds", *I);
    }
  SmallVector<const LoadInst *, 8> Loads;
  for (const Instruction *I : Needed)
    if (auto *Load = dyn_cast<LoadInst>(I); Load && !readsTable(*Load))
      Loads.push_back(Load);
  const Objects O(F, {}, TLI);
  compat::TypeBasedAliases Types(*TLI);
  auto MayBeSame = [&](const Instruction &Store, const Instruction &Load) {
    MDNode *Stored = Store.getMetadata(LLVMContext::MD_tbaa),
           *Read = Load.getMetadata(LLVMContext::MD_tbaa);
    return !Stored || !Read || Types.mayBeSame(Stored, Read);
  };
  unsigned Comparisons = 0;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && (endsChain(*Call) || Ends.contains(Call)))
      continue;
    CallModel M = Call ? modelCall(*Call, TLI) : CallModel{};
    bool IsKnown = Call && (M.K == CallModel::Operation || M.Known);
    bool Manages = Call && M.K == CallModel::Library && M.Known &&
                   (M.Known->K == KnownCall::Allocate ||
                    M.Known->K == KnownCall::AllocateZeroed ||
                    M.Known->K == KnownCall::Free);
    // It may set errno, which no object of the program's is in.
    bool IsMath = Call && M.K == CallModel::Operation &&
                  none_of(Call->args(), [](const Value *A) {
                    return A->getType()->isPtrOrPtrVectorTy();
                  });
    bool MayWrite =
        I.mayWriteToMemory() && !Manages && !IsMath && !writesFreshMemory(I, O);
    const bool Assigns = isa<MemTransferInst>(I) && assignedNumber(I);
    // What ends the program may guard what is read behind it.
    bool MayEnd =
        Call && !IsKnown && !isGuaranteedToTransferExecutionToSuccessor(&I);
    if (!MayWrite && !MayEnd)
      continue;
    for (const LoadInst *Load : Loads) {
      if (++Comparisons > MostComparisons)
        return "the function is too large to look for it beforehand";
      // At one address are objects of several classes, one at a time.
      if ((!MayEnd &&
           ((Assigns && isNoNumber(*Load)) || !MayBeSame(I, *Load) ||
            !isModSet(AA.getModRefInfo(&I, MemoryLocation::get(Load))))) ||
          !isPotentiallyReachable(&I, Load, nullptr, &DT))
        continue;
      return withPlace(MayEnd
                           ? "which is only read if a function before returns"
                           : "which may be changed before",
                       I);
    }
  }
  return "";
}

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

/// What is not in the slice goes, and control flow past what decides nothing.
static void reduce(Function &Survey, const Function &F, const Slice &Of,
                   const ValueToValueMapTy &Copies, ArrayRef<CallBase *> Ends) {
  auto CopyOf = [&](const Value *V) { // What is gone has become poison.
    return dyn_cast_or_null<Instruction>(&*Copies.lookup(V));
  };
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
    if (isa<CallBase>(I)) {
      I.replaceAllUsesWith(PoisonValue::get(I.getType()));
      I.eraseFromParent();
    }
  removeUnreachableBlocks(Survey);
}

/// Whether \p V comes out of memory that did not exist when the function began:
/// a survey cannot know it. Not if a number of the caller's memory, or what a
/// call says, is in it.
static bool isOfRun(const Value &V, function_ref<const Objects &()> O) {
  constexpr unsigned MaxValues = 512;
  SmallSetVector<const Value *, 16> From;
  From.insert(&V);
  bool IsOwn = false;
  for (unsigned K = 0; K != From.size() && K != MaxValues; ++K) {
    auto *I = dyn_cast<Instruction>(From[K]);
    if (!I)
      continue;
    auto *Call = dyn_cast<CallBase>(I);
    const bool IsPlain = isa<IntrinsicInst>(I) && Call->doesNotAccessMemory();
    if (Call && !IsPlain && !isNoAliasCall(Call))
      return false;
    auto *Load = dyn_cast<LoadInst>(I);
    if (Load && Load->getType()->isFPOrFPVectorTy() &&
        !leadsToOwn(Load->getPointerOperand(), O()))
      return false;
    IsOwn |= isa<AllocaInst>(I) || (Call && !IsPlain);
    if (!Call || IsPlain)
      From.insert(I->op_begin(), I->op_end());
  }
  return IsOwn && From.size() <= MaxValues;
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

/// if (IsUnknown) return false;   before \p At
static void giveUpIf(Value *IsUnknown, BasicBlock::iterator At) {
  Instruction *Then =
      SplitBlockAndInsertIfThen(IsUnknown, At, /*Unreachable=*/true);
  LLVMContext &C = Then->getContext();
  ReturnInst::Create(C, ConstantInt::getFalse(C), Then->getIterator());
  Then->eraseFromParent();
}

/// What has been taken for granted may have guarded a pointer that is null.
static void expectNull(Function &Survey) {
  SmallVector<LoadInst *, 16> Loads;
  for (Instruction &I : instructions(Survey))
    if (auto *Load = dyn_cast<LoadInst>(&I))
      Loads.push_back(Load);
  for (LoadInst *Load : Loads) {
    Value *Base = getUnderlyingObject(Load->getPointerOperand(),
                                      /*MaxLookup=*/0);
    if (isa<AllocaInst, GlobalValue>(Base))
      continue;
    IRBuilder<> B(Load);
    giveUpIf(B.CreateICmpULT(B.CreatePtrToInt(Base, B.getInt64Ty()),
                             B.getInt64(FirstPageBytes)),
             Load->getIterator());
  }
}

/// After so many iterations (a second) nothing is known: what ends the loop may
/// have been taken for granted, as that no node of a list comes twice.
static void limitSteps(Function &Survey) {
  constexpr uint64_t MostSteps = 1u << 30;
  IRBuilder<> B(&*Survey.getEntryBlock().getFirstInsertionPt());
  AllocaInst *Steps = B.CreateAlloca(B.getInt64Ty());
  B.CreateStore(B.getInt64(0), Steps);
  const DominatorTree DT(Survey);
  const LoopInfo LI(DT);
  SmallVector<BasicBlock *, 8> Headers;
  for (const Loop *L : LI.getLoopsInPreorder())
    Headers.push_back(L->getHeader());
  for (BasicBlock *Header : Headers) {
    B.SetInsertPoint(&*Header->getFirstInsertionPt());
    Value *Now =
        B.CreateAdd(B.CreateLoad(B.getInt64Ty(), Steps), B.getInt64(1));
    B.CreateStore(Now, Steps);
    giveUpIf(B.CreateICmpUGT(Now, B.getInt64(MostSteps)), B.GetInsertPoint());
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
  return Slice(*Copy.F, Copy.Ends).obstacle(FAM);
}

Function *verso::makeSurvey(Function &Original, ArrayRef<CallBase *> Calls,
                            FunctionAnalysisManager &FAM,
                            std::string &Obstacle) {
  HandingNothing Copy(Original, Calls, FAM);
  Function &F = *Copy.F;
  Slice Of(F, Copy.Ends);
  Obstacle = Of.obstacle(FAM);
  if (!Obstacle.empty())
    return nullptr;
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
  if (Copy.TakesForGranted) {
    expectNull(*Survey);
    limitSteps(*Survey);
  }
  stripDebugInfo(*Survey);
  return Survey;
}
