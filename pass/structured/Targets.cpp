//===- Targets.cpp - what calls through pointers lead to ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Targets.h"
#include "Diagnostics.h"
#include "analysis/CallModel.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "structured/Restarts.h"
#include "structured/Survey.h"
#include "structured/memory/Objects.h"
#include "structured/recursion/Circles.h"
#include "structured/recursion/LikelyTargets.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

/// A chain that is longer is none.
static constexpr unsigned MaxTargets = 16;

static constexpr StringLiteral TargetsMark = "verso.targets";
/// Of a call that was inlined: the recursive functions that were guessed on the
/// way.
static constexpr StringLiteral WithinMark = "verso.within";

using TargetSet = SmallSetVector<Function *, MaxTargets>;

static TargetSet functionsIn(const CallBase &Call, StringRef Mark) {
  TargetSet Result;
  if (MDNode *List = Call.getMetadata(Mark))
    for (const MDOperand &Op : List->operands())
      if (auto *Target = mdconst::dyn_extract_or_null<Function>(Op))
        Result.insert(Target);
  return Result;
}

static void setFunctionsIn(CallBase &Call, StringRef Mark,
                           const TargetSet &All) {
  SmallVector<Metadata *, MaxTargets> List;
  for (Function *Target : All)
    List.push_back(ConstantAsMetadata::get(Target));
  Call.setMetadata(Mark, MDNode::get(Call.getContext(), List));
}

/// Those that the chain before \p Call has.
static TargetSet targetsBefore(const CallBase &Call) {
  return functionsIn(Call, TargetsMark);
}

static SmallVector<CallBase *, 8>
callsThroughPointers(Function &F, const TargetLibraryInfo *TLI) {
  SmallVector<CallBase *, 8> Result;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && !isInert(I) && modelCall(*Call, TLI).K == CallModel::Indirect)
      Result.push_back(Call);
  return Result;
}

//===----------------------------------------------------------------------===//
// By what pointers point to
//===----------------------------------------------------------------------===//

/// What is called in place of a virtual function that is none. A program that
/// does so has no meaning.
static bool standsForNone(const Function &F) {
  return F.getName() == "__cxa_pure_virtual" ||
         F.getName() == "__cxa_deleted_virtual";
}

/// Whether nothing sensible comes of that call. Objects that the analysis does
/// not tell apart bring along functions that have nothing to do with it.
static bool cannotBeMeant(const CallBase &Call, const Function &Target) {
  FunctionType *Mine = Call.getFunctionType(),
               *Theirs = Target.getFunctionType();
  return !Mine->isVarArg() && !Theirs->isVarArg() &&
         (Mine->getNumParams() != Theirs->getNumParams() ||
          Mine->getReturnType()->isVoidTy() !=
              Theirs->getReturnType()->isVoidTy());
}

/// if (p == Target) fail()
static void failFor(CallBase &Call, Function &Target) {
  IRBuilder<> B(&Call);
  Instruction *Then = SplitBlockAndInsertIfThen(
      B.CreateICmpEQ(Call.getCalledOperand(), &Target), Call.getIterator(),
      /*Unreachable=*/true);
  B.SetInsertPoint(Then);
  callRuntime(B, RuntimeFunction::Fail,
              {B.CreateGlobalString("a function is called through a pointer "
                                    "with other arguments than it has",
                                    "verso.reason"),
               emitLocation(B, Call)});
}

/// fail(), in place of a call that a survey says is not made.
static void failAsUnexpected(CallBase &Call) {
  IRBuilder<> B(&Call);
  callRuntime(B, RuntimeFunction::Fail,
              {B.CreateGlobalString(
                   "a pointer that functions are called through was changed "
                   "while the gradient was computed, to a function that was "
                   "not to be expected; have the function that is "
                   "differentiated taped (VERSO_STRATEGY(taped), "
                   "-verso-strategy=taped)",
                   "verso.reason"),
               emitLocation(B, Call)});
}

/// Everything that \p Call may lead to; empty if that is not known.
static TargetSet targetsOf(const CallBase &Call, const Objects &O) {
  TargetSet Result;
  if (!O.isComplete())
    return {};
  for (const Place &P : O.placesOf(Call.getCalledOperand())) {
    // Closures of several kinds in one array: who calls one knows its kind.
    if (O.isVariable(P))
      continue;
    Function *Target = O.functionAt(P);
    if (!Target || (!standsForNone(*Target) && !cannotBeMeant(Call, *Target) &&
                    !isLegalToPromote(Call, Target)))
      return {};
    Result.insert(Target);
  }
  return Result.size() > MaxTargets ? TargetSet() : Result;
}

//===----------------------------------------------------------------------===//
// By what the caller makes sure of
//===----------------------------------------------------------------------===//

/// The argument that \p P is, or that it is read through; no targets yet.
static std::optional<Assumption>
originOf(const Value *P, const DataLayout &DL,
         SmallVectorImpl<const LoadInst *> *Loads = nullptr) {
  Assumption Result = {};
  constexpr unsigned MaxLoads = 4;
  while (auto *Load = dyn_cast<LoadInst>(P)) {
    if (!Load->isSimple() || Result.Loads.size() == MaxLoads)
      return std::nullopt;
    if (Loads)
      Loads->push_back(Load);
    APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
    P = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        DL, Offset, /*AllowNonInbounds=*/true);
    Result.Loads.insert(Result.Loads.begin(), Offset.getSExtValue());
  }
  auto *A = dyn_cast<Argument>(P);
  if (!A)
    return std::nullopt;
  Result.Argument = A->getArgNo();
  return Result;
}

Value *Assumption::emit(IRBuilderBase &B, Function &F) const {
  if (Guard) {
    LoadInst *First = B.CreateAlignedLoad(B.getInt8Ty(), Guard, Align(1));
    First->setAtomic(AtomicOrdering::Acquire);
    return B.CreateIsNotNull(First);
  }
  if (Survey) {
    SmallVector<Value *, 8> Arguments;
    for (unsigned K = 0; K != Survey->arg_size(); ++K)
      Arguments.push_back(F.getArg(K));
    return B.CreateCall(Survey, Arguments);
  }
  Value *P = F.getArg(Argument);
  for (auto [K, Offset] : enumerate(Loads))
    P = B.CreateLoad(Word && K + 1 == Loads.size() ? Word->getType()
                                                   : B.getPtrTy(),
                     B.CreateConstGEP1_64(B.getInt8Ty(), P, Offset));
  if (Word)
    return B.CreateICmpEQ(P, Word);
  Value *Any = B.getFalse();
  for (Function *Target : Targets)
    Any = B.CreateOr(Any, B.CreateICmpEQ(P, Target));
  return Any;
}

void verso::eraseSurveys(MutableArrayRef<Assumption> Assumptions) {
  for (Assumption &A : Assumptions)
    if (A.Survey && A.Survey->use_empty()) {
      A.Survey->eraseFromParent();
      A.Survey = nullptr;
    }
}

/// What the caller stores there by its name, if that is all plain.
static SmallSetVector<Value *, 4>
storedThere(Value *Memory, int64_t At, const Type *T, const DataLayout &DL) {
  SmallSetVector<Value *, 4> Result;
  APInt Base(DL.getIndexTypeSizeInBits(Memory->getType()), 0);
  Memory = Memory->stripAndAccumulateConstantOffsets(DL, Base, true);
  At += Base.getSExtValue();
  SmallVector<std::pair<Value *, int64_t>, 8> Work{{Memory, 0}};
  while (!Work.empty()) {
    auto [P, Here] = Work.pop_back_val();
    if (!isa<Instruction>(P))
      continue;
    for (User *U : P->users()) {
      if (auto *Store = dyn_cast<StoreInst>(U)) {
        if (Store->getPointerOperand() == P && Here == At &&
            Store->getValueOperand()->getType() == T)
          Result.insert(Store->getValueOperand());
      } else if (auto *GEP = dyn_cast<GetElementPtrInst>(U)) {
        APInt Offset(Base.getBitWidth(), 0);
        if (GEP->accumulateConstantOffset(DL, Offset))
          Work.push_back({GEP, Here + Offset.getSExtValue()});
      }
    }
  }
  return Result;
}

/// What the caller stores where \p A reads something of type \p T.
static SmallSetVector<Value *, 4> storedFor(const Assumption &A,
                                            ArrayRef<Value *> Given, Type *T,
                                            const DataLayout &DL) {
  Type *Ptr = PointerType::getUnqual(T->getContext());
  SmallSetVector<Value *, 4> Values;
  Values.insert(Given[A.Argument]);
  for (auto [K, Offset] : enumerate(A.Loads)) {
    SmallSetVector<Value *, 4> Read;
    for (Value *V : Values)
      for (Value *Stored :
           storedThere(V, Offset, K + 1 == A.Loads.size() ? T : Ptr, DL))
        Read.insert(Stored);
    Values = std::move(Read);
  }
  return Values;
}

/// Whether what \p A reads can be read in the caller at any time.
static bool isReadable(const Assumption &A, ArrayRef<Value *> Given,
                       const DataLayout &DL) {
  if (A.Loads.empty())
    return true;
  return A.Loads.size() == 1 && A.Loads[0] >= 0 &&
         isDereferenceableAndAlignedPointer(
             Given[A.Argument], Align(1),
             APInt(64, uint64_t(A.Loads[0]) + DL.getPointerSize()), DL);
}

/// Whether F comes to nothing before \p Load that may write what it reads, and
/// comes to it always, unless it \p MayBeReadEarly.
bool Targets::isReadFirst(const LoadInst &Load, bool MayBeReadEarly) {
  AAResults &AA = FAM.getResult<AAManager>(F);
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  MemoryLocation Location = MemoryLocation::get(&Load);
  PostDominatorTree After(F);
  if (!MayBeReadEarly && !After.dominates(Load.getParent(), &F.getEntryBlock()))
    return false;
  auto IsHarmless = [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && endsChain(*Call))
      return true;
    CallModel M = Call ? modelCall(*Call, TLI) : CallModel{};
    bool Allocates = Call && M.K == CallModel::Library && M.Known &&
                     (M.Known->K == KnownCall::Allocate ||
                      M.Known->K == KnownCall::AllocateZeroed);
    return (Allocates || !isModSet(AA.getModRefInfo(&I, Location))) &&
           (MayBeReadEarly || isGuaranteedToTransferExecutionToSuccessor(&I));
  };
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work;
  for (const Instruction &I : *Load.getParent()) {
    if (&I == &Load)
      break;
    if (!IsHarmless(I))
      return false;
  }
  append_range(Work, predecessors(Load.getParent()));
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    if (!all_of(*Block, IsHarmless))
      return false;
    append_range(Work, predecessors(Block));
  }
  return true;
}

/// Functions that may well be what the pointer leads to: what the caller stores
/// there, and if there is nothing or it may change, what the program names.
SmallVector<Function *, 4> Targets::guess(const CallBase &Call) {
  SmallVector<const LoadInst *, 2> Loads;
  std::optional<Assumption> At =
      originOf(Call.getCalledOperand(), F.getDataLayout(), &Loads);
  if (!At)
    return {};
  SmallVector<Function *, 4> Result;
  for (Value *V : storedFor(*At, Given, Call.getCalledOperand()->getType(),
                            F.getDataLayout()))
    if (auto *Target = dyn_cast<Function>(V);
        Target && isLegalToPromote(Call, Target))
      Result.push_back(Target);
  const bool MayBeEarly = isReadable(*At, Given, F.getDataLayout());
  if (Result.empty() || !all_of(Loads, [&](const LoadInst *Load) {
        return isReadFirst(*Load, MayBeEarly);
      }))
    for (Function *Each : LikelyTargets(*F.getParent()).of(Call))
      if (!is_contained(Result, Each))
        Result.push_back(Each);
  if (Result.size() > MaxTargets)
    Result.clear();
  return Result;
}

bool Targets::assume(const CallBase &Call) {
  SmallVector<const LoadInst *, 2> Loads;
  std::optional<Assumption> A =
      originOf(Call.getCalledOperand(), F.getDataLayout(), &Loads);
  TargetSet Before = targetsBefore(Call);
  if (Given.empty() || !A || Before.empty())
    return false;
  bool MayBeReadEarly = isReadable(*A, Given, F.getDataLayout());
  if (!all_of(Loads, [&](const LoadInst *Load) {
        return isReadFirst(*Load, MayBeReadEarly);
      }))
    return false;
  A->Targets.assign(Before.begin(), Before.end());
  Assumptions.push_back(*A);
  return true;
}

/// The integers that \p P is made of, where choices leave one.
static SmallVector<LoadInst *, 2> addressesIn(Value *P) {
  SmallPtrSet<Value *, 8> Seen;
  SmallVector<Value *, 8> Work{P};
  SmallVector<LoadInst *, 2> Result;
  while (!Work.empty()) {
    Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (auto *Load = dyn_cast<LoadInst>(V); Load && V->getType()->isIntegerTy())
      Result.push_back(Load);
    else if (isa<PHINode, SelectInst, FreezeInst, IntToPtrInst>(V))
      append_range(Work, cast<Instruction>(V)->operands());
  }
  return Result;
}

/// Replaces what is loaded by the only constant that the caller stores there:
/// the address of a function, or a number.
bool Targets::assumeWord(LoadInst &Load, bool IsFunction) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<const LoadInst *, 2> Loads;
  std::optional<Assumption> A = originOf(&Load, DL, &Loads);
  if (!A || A->Loads.empty() ||
      Load.getType() != DL.getIntPtrType(F.getContext()))
    return false;
  SmallSetVector<Value *, 4> Stored = storedFor(*A, Given, Load.getType(), DL);
  auto *Word = Stored.size() == 1 ? dyn_cast<Constant>(Stored[0]) : nullptr;
  auto *Address = dyn_cast_or_null<PtrToIntOperator>(Word);
  if (!Word || (IsFunction ? !Address || !isa<Function>(Address->getOperand(0))
                           : !isa<ConstantInt>(Word)))
    return false;
  bool MayBeReadEarly = isReadable(*A, Given, DL);
  if (!all_of(Loads, [&](const LoadInst *Each) {
        return isReadFirst(*Each, MayBeReadEarly);
      }))
    return false;
  A->Word = Word;
  Assumptions.push_back(*A);
  Load.replaceAllUsesWith(Word);
  return true;
}

/// Pointers to members: the function, or where it is in a table, and what is
/// added to the object's address, side by side.
bool Targets::assumeMembers(ArrayRef<CallBase *> Calls) {
  const DataLayout &DL = F.getDataLayout();
  auto Origin = [&](const LoadInst &Load, int64_t &Offset) {
    APInt Known(DL.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
    const Value *Base =
        Load.getPointerOperand()->stripAndAccumulateConstantOffsets(
            DL, Known, /*AllowNonInbounds=*/true);
    Offset = Known.getSExtValue();
    return Base;
  };
  bool Changed = false;
  for (CallBase *Call : Calls)
    for (LoadInst *Load : addressesIn(Call->getCalledOperand())) {
      if (!assumeWord(*Load, /*IsFunction=*/true))
        continue;
      Changed = true;
      int64_t First, Second;
      const Value *Base = Origin(*Load, First);
      for (Instruction &I : instructions(F))
        if (auto *Other = dyn_cast<LoadInst>(&I);
            Other && Other->getType() == Load->getType() &&
            Origin(*Other, Second) == Base &&
            Second == First + int64_t(DL.getPointerSize()))
          assumeWord(*Other, /*IsFunction=*/false);
    }
  return Changed;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

bool verso::endsChain(const CallBase &Call) {
  return Call.hasMetadata(TargetsMark);
}

bool verso::extendChain(CallBase &Call, ArrayRef<Function *> More) {
  TargetSet Before = targetsBefore(Call);
  bool Changed = false;
  for (Function *Target : More) {
    if (!Before.insert(Target))
      continue;
    Changed = true;
    if (standsForNone(*Target))
      continue;
    if (cannotBeMeant(Call, *Target))
      failFor(Call, *Target);
    else {
      // Nor may it become another one's with the same instructions later on:
      // its objects are told by it (Receivers.h).
      Target->setUnnamedAddr(GlobalValue::UnnamedAddr::None);
      promoteCallWithIfThenElse(Call, Target);
    }
  }
  if (!More.empty())
    setFunctionsIn(Call, TargetsMark, Before);
  return Changed;
}

bool verso::foldComparedFunctions(Function &F, FunctionAnalysisManager &FAM) {
  auto Compares = [](const Instruction &I) {
    LoadInst *Load = nullptr;
    return comparedFunction(I, Load) != nullptr;
  };
  if (none_of(instructions(F), Compares))
    return false;
  Objects O(F, {}, &FAM.getResult<TargetLibraryAnalysis>(F));
  if (!O.isComplete())
    return false;
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    LoadInst *Load = nullptr;
    const Function *Named = comparedFunction(I, Load);
    if (!Named)
      continue;
    Places All = O.placesOf(Load);
    if (All.empty() || any_of(All, [&](const Place &P) {
          const Function *Callee = O.functionAt(P);
          return !Callee || Callee == Named;
        }))
      continue;
    // It may be null, or no pointer at all, but not that.
    I.replaceAllUsesWith(ConstantInt::getBool(
        I.getType(), cast<ICmpInst>(I).getPredicate() == CmpInst::ICMP_NE));
    I.eraseFromParent();
    Changed = true;
  }
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}

bool Targets::extendChains(Function &Part, Refusals &Refused) {
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(Part);
  SmallVector<CallBase *, 8> Calls = callsThroughPointers(Part, TLI);
  if (Calls.empty())
    return false;
  // What the request makes itself may be nested to any depth (Recursion.h).
  if (&Part == &F && !Given.empty() && !MayNest) {
    LikelyTargets Own(F);
    MayNest = !Circles(FAM, &Own).reachesRecursion(F);
  }
  if (&Part == &F && !Given.empty() && assumeMembers(Calls)) {
    FunctionPassManager Simplify;
    Simplify.addPass(InstCombinePass());
    Simplify.addPass(SimplifyCFGPass());
    Simplify.run(F, FAM);
    FAM.invalidate(F, PreservedAnalyses::none());
    return true;
  }
  Objects O(Part, {}, TLI);
  // What is inlined next may simplify it once.
  constexpr unsigned MostInVain = 2;
  if (!O.isComplete() && ++Vain == MostInVain) {
    Refused.add("too many pointers are stored in memory");
    return false;
  }
  SmallVector<std::pair<CallBase *, TargetSet>, 8> Known;
  for (CallBase *Call : Calls) {
    TargetSet All = targetsOf(*Call, O);
    if (All.empty() && &Part == &F && !Given.empty())
      for (Function *Target : guess(*Call))
        All.insert(Target);
    Known.push_back({Call, All});
  }
  bool Changed = false;
  for (auto &[Call, All] : Known)
    Changed |= extendChain(*Call, All.getArrayRef());
  if (Changed)
    FAM.invalidate(Part, PreservedAnalyses::none());
  return Changed;
}

void Targets::refuse(const CallBase &Call, Refusals &Refused) const {
  Refused.add("a call through a pointer" +
                  (Obstacle.empty() ? "" : ", " + Obstacle),
              &Call);
}

MDNode *verso::nestingOf(const CallBase &Call) {
  return Call.getMetadata(WithinMark);
}

void verso::setNesting(CallBase &Call, MDNode *Nesting) {
  Call.setMetadata(WithinMark, Nesting);
}

/// With several classes of blocks, each has room for all others.
static constexpr unsigned MaxNesting = 2;

/// Adds those of \p More to the chain before \p Call that are not recursive, or
/// that it is not within.
static bool extendNested(CallBase &Call, ArrayRef<Function *> More,
                         Circles &Who) {
  MDNode *const Old = nestingOf(Call);
  const TargetSet Within = functionsIn(Call, WithinMark);
  bool Changed = false;
  for (Function *Each : More) {
    if (Who.isRecursive(*Each)) {
      if (Within.contains(Each) || Within.size() == MaxNesting)
        continue;
      TargetSet Inside = Within;
      Inside.insert(Each);
      setFunctionsIn(Call, WithinMark, Inside); // The new call has it as well.
    }
    Changed |= extendChain(Call, Each);
    setNesting(Call, Old);
  }
  return Changed;
}

bool Targets::canRestart(ArrayRef<CallBase *> Calls, const Objects &O,
                         bool IsFinal) {
  if (!MayRestart || !O.isComplete())
    return false;
  const Instruction *Effect =
      effectBefore(Calls, O, IsFinal, &FAM.getResult<TargetLibraryAnalysis>(F));
  if (!Effect)
    return true;
  constexpr StringLiteral Why = "; nor can it start again after what it does";
  Obstacle.resize(std::min(Obstacle.size(), Obstacle.find(Why)));
  Obstacle += Why;
  if (Effect->getDebugLoc())
    Obstacle += " at " + placeOf(*Effect);
  return false;
}

/// Of a function that is larger nobody guesses what no survey can tell: it
/// would grow further, and be refused in the end as a rule.
static constexpr unsigned MaxGuessed = 12000;

/// The blocks that \p F comes to without an exception.
static SmallPtrSet<const BasicBlock *, 32> blocksWithoutException(Function &F) {
  SmallPtrSet<const BasicBlock *, 32> Result;
  SmallVector<const BasicBlock *, 32> Work{&F.getEntryBlock()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!Block->isLandingPad() && Result.insert(Block).second)
      append_range(Work, successors(Block));
  }
  return Result;
}

bool Targets::guessInTheMiddle(Function &Part) {
  if (&Part != &F || Given.empty())
    return false;
  SmallVector<CallBase *, 8> Calls;
  for (CallBase *Call :
       callsThroughPointers(F, &FAM.getResult<TargetLibraryAnalysis>(F)))
    if (!endsChain(*Call))
      Calls.push_back(Call);
  if (Calls.empty())
    return false;
  // There is no survey of more calls if there is none of these.
  if (!Restarts)
    Obstacle = findObstacle(F, Calls, FAM);
  Restarts |= !Obstacle.empty();
  if (Restarts) {
    const Objects O(F, {}, &FAM.getResult<TargetLibraryAnalysis>(F));
    if (F.getInstructionCount() > MaxGuessed ||
        !canRestart(Calls, O, /*IsFinal=*/false))
      return false;
  }
  LikelyTargets Likely(*F.getParent());
  Circles Who(FAM, &Likely);
  if (!MayNest.value_or(false) && any_of(Calls, [&](const CallBase *Call) {
        return any_of(Likely.of(*Call), [&](Function *Target) {
          return Who.isRecursive(*Target);
        });
      })) {
    Obstacle = "to functions that call one another through pointers";
    return false;
  }
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  auto GuessesFor = [&](const CallBase &Call) {
    SmallVector<Function *, 4> All = Likely.of(Call);
    // Those are not expected.
    if (Restarts)
      erase_if(All, [&](const Function *Target) {
        return likelyHasEffect(*Target, TLI);
      });
    return All;
  };
  const auto Ordinary = blocksWithoutException(F);
  bool Changed = false;
  for (CallBase *Call : Calls)
    if (extendNested(*Call, GuessesFor(*Call), Who)) {
      Changed = true;
    } else if (!endsChain(*Call) && !Ordinary.contains(Call->getParent())) {
      setFunctionsIn(*Call, TargetsMark, {}); // It is not expected at all.
      Changed = true;
    }
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
  else
    Obstacle = "to one of too many functions, or one of another file";
  return Changed;
}

bool Targets::endChains(Refusals &Refused) {
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  SmallVector<CallBase *, 8> Calls = callsThroughPointers(F, TLI);
  if (Calls.empty())
    return false;
  Objects O(F, {}, TLI);
  SmallVector<CallBase *, 8> Guessed;
  for (CallBase *Call : Calls) {
    TargetSet Before = targetsBefore(*Call), All = targetsOf(*Call, O);
    bool IsComplete =
        (!All.empty() &&
         all_of(All,
                [&](Function *Target) { return Before.contains(Target); })) ||
        (O.isComplete() && O.leadsNowhere(Call->getCalledOperand()));
    if (IsComplete || assume(*Call))
      continue;
    if (!endsChain(*Call) || Given.empty()) {
      refuse(*Call, Refused);
      return false;
    }
    Guessed.push_back(Call);
  }
  if (!Guessed.empty()) {
    Restarts = Restarts && canRestart(Guessed, O, /*IsFinal=*/true);
    SurveyOf Made = {};
    if (!Restarts) {
      Made = makeSurvey(F, Guessed, FAM);
      if (!Made.Survey)
        Obstacle = Made.Obstacle;
      Restarts = (!Made.Survey || Made.MayStray) &&
                 canRestart(Guessed, O, /*IsFinal=*/true);
    }
    // What is not expected at all had better be no error.
    const bool MayFail = Made.MayStray && any_of(Guessed, [](CallBase *Call) {
                           return targetsBefore(*Call).empty();
                         });
    if (!Restarts && MayFail) {
      Made.Survey->eraseFromParent();
      Made.Survey = nullptr;
      Obstacle = "which is called after an exception";
    }
    if (!Restarts && !Made.Survey) {
      refuse(*Guessed[0], Refused);
      return false;
    }
    Assumption &All = Assumptions.emplace_back();
    All.Survey = Made.Survey;
    if (Restarts) {
      eraseSurveys(All);
      All.NeverStrayed = true;
      startAgainAt(Guessed);
    } else if (Made.MayStray) {
      for (CallBase *Call : Guessed)
        failAsUnexpected(*Call);
    }
  }
  // What comes behind a call in its block goes with it: other calls first.
  for (CallBase *Call : reverse(Calls))
    changeToUnreachable(Call);
  FAM.invalidate(F, PreservedAnalyses::none());
  return true;
}
