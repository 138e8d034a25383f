//===- Flatten.cpp - the call tree of a request as one function -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Flatten.h"
#include "Diagnostics.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "emit/KeptBlocks.h"
#include "emit/Runtime.h"
#include "emit/StartAgain.h"
#include "emit/Tangent.h"
#include "prepare/AtomicAssembly.h"
#include "prepare/EigenKernels.h"
#include "prepare/EmptyAssembly.h"
#include "prepare/ExceptionTexts.h"
#include "prepare/ExpandVariadics.h"
#include "prepare/JoinedHalves.h"
#include "prepare/LinearBits.h"
#include "prepare/MagicRounding.h"
#include "prepare/MaskedAccesses.h"
#include "prepare/NormalizeBits.h"
#include "prepare/NormalizeMath.h"
#include "prepare/NormalizeMoves.h"
#include "prepare/OpenMP.h"
#include "prepare/Prepare.h"
#include "prepare/ProcessorOperations.h"
#include "prepare/Reductions.h"
#include "prepare/ScalarizeVectors.h"
#include "prepare/Threads.h"
#include "prepare/Trampolines.h"
#include "prepare/UnseenWrites.h"
#include "prepare/VectorsOfParts.h"
#include "rules/CutOff.h"
#include "rules/Detached.h"
#include "rules/Operation.h"
#include "rules/Overflows.h"
#include "rules/Zero.h"
#include "structured/CommonBlocks.h"
#include "structured/ConstantFields.h"
#include "structured/FilledArrays.h"
#include "structured/InactiveBodies.h"
#include "structured/NormalizeMemory.h"
#include "structured/OwnGlobals.h"
#include "structured/PointersAsIntegers.h"
#include "structured/QuietAllocators.h"
#include "structured/Releasers.h"
#include "structured/StaticGuards.h"
#include "structured/Targets.h"
#include "structured/memory/MovedPointers.h"
#include "structured/recursion/Members.h"
#include "structured/recursion/Recursion.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/BreakCriticalEdges.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;
using namespace verso;

namespace {

/// A call tree that has more of both goes to the tape. What costs more than
/// linear time is control flow, so straight-line code may be longer.
constexpr unsigned MaxInstructions = 40000, MaxBlocks = 4000;

/// What becomes of recursive functions: members, or else loops.
struct Recursive {
  std::optional<LikelyTargets> Likely;
  Circles Who;
  Recursions Loops;
  Members *Kept;
  Parts *Split;
  Members::Steps Steps;
  std::optional<Releasers> KeptReleases;
  std::optional<StaticGuards> Statics;

  Recursive(Function &F, FunctionAnalysisManager &FAM, RecursionBy How,
            Members::Steps Steps, Refusals &Refused)
      : Who(FAM, How.ThroughPointers ? &Likely.emplace(F) : nullptr),
        Loops(Who, FAM, Refused, Steps.Prepare), Kept(How.Kept),
        Split(How.Split), Steps(std::move(Steps)) {
    if (How.KeepsReleases)
      KeptReleases.emplace(&FAM.getResult<TargetLibraryAnalysis>(F));
    if (How.IsInitialised)
      Statics.emplace(*F.getParent());
  }
  bool keeps(const Function &F) {
    return KeptReleases && KeptReleases->contains(F);
  }
  Function *get(Function &F) {
    return Kept ? Kept->get(F, Who, Steps) : Loops.asLoop(F);
  }
  bool callDirectly(Function &Part, const Circle &Own);
};

/// Inlines direct calls, remembering which function each came from:
/// simplification may make new circles.
class CallTree {
public:
  CallTree(Function &F, FunctionAnalysisManager &FAM, Recursive &Circular,
           InactiveBodies &Inactive, Refusals &Refused)
      : F(F), FAM(FAM), TLI(&FAM.getResult<TargetLibraryAnalysis>(F)),
        Circular(Circular), Inactive(Inactive), Refused(Refused) {}
  /// Returns whether anything was inlined. Calls of functions in \p Except
  /// stay, and those of \ref isLate but \p WithLate.
  bool inlineAll(const Circle &Except = {}, bool WithLate = false);
  void refuseBeforehand();

private:
  struct Site {
    CallBase *Call;
    int History; ///< Index into Histories of the function it is in, or -1.
  };
  struct Step {
    Function *Inlined;
    int Before;
  };
  bool mayInline(const Site &S, Function &Callee);
  bool leaveOutInitialisers(SmallVectorImpl<Site> &Work);

  Function &F;
  FunctionAnalysisManager &FAM;
  const TargetLibraryInfo *TLI;
  Recursive &Circular;
  InactiveBodies &Inactive;
  Refusals &Refused;
  std::vector<Step> Histories;
};

} // namespace

/// Calls through pointers in \p Part that may lead to recursive functions
/// become chains, if these are of its \p Own circle, else calls of dispatchers.
bool Recursive::callDirectly(Function &Part, const Circle &Own) {
  if (!Likely)
    return false;
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(Part))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && !isInert(I) && !endsChain(*Call) &&
        !Call->hasOperandBundles() &&
        modelCall(*Call, nullptr).K == CallModel::Indirect)
      Calls.push_back(Call);
  bool Changed = false;
  for (CallBase *Call : Calls) {
    SmallVector<Function *, 4> Targets = Likely->of(*Call);
    if (any_of(Targets, [&](Function *F) { return Own.contains(F); }) ||
        (!Targets.empty() &&
         all_of(Targets, [&](Function *F) { return keeps(*F); })))
      Changed |= extendChain(*Call, Targets);
    else if (any_of(Targets,
                    [&](Function *F) { return Who.isRecursive(*F); })) {
      Likely->dispatch(*Call);
      Changed = true;
    }
  }
  return Changed;
}

bool CallTree::mayInline(const Site &S, Function &Callee) {
  for (int H = S.History; H >= 0; H = Histories[H].Before)
    if (Histories[H].Inlined == &Callee) {
      Refused.add("'" + sourceName(Callee) + "' is recursive", S.Call);
      return false;
    }
  if (expandIndirectBranches(Callee))
    FAM.invalidate(Callee, PreservedAnalyses::none());
  if (S.Call->getFunctionType() != Callee.getFunctionType())
    Refused.add("'" + Callee.getName() + "' is called by another type", S.Call);
  else if (Callee.hasFnAttribute(Attribute::StrictFP))
    Refused.add("'" + Callee.getName() + "' observes rounding modes", S.Call);
  else if (!Callee.isVarArg() && !Circular.Who.isRecursive(Callee) &&
           !isInlineViable(Callee).isSuccess())
    Refused.add("'" + sourceName(Callee) +
                    (Callee.callsFunctionThatReturnsTwice()
                         ? "' calls setjmp, or what returns twice as it does"
                         : "' cannot be inlined"),
                S.Call);
  return !Refused;
}

/// Before anything is inlined: what cannot be. Calls that will turn out to be
/// dead count as well.
void CallTree::refuseBeforehand() {
  SmallPtrSet<Function *, 16> Seen;
  SmallVector<Function *, 16> Work{&F};
  while (!Work.empty() && !Refused)
    for (Instruction &I : instructions(*Work.pop_back_val())) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(I))
        continue;
      CallModel M = modelCall(*Call, TLI);
      if (M.K != CallModel::Direct || !Seen.insert(M.Callee).second)
        continue;
      if (!mayInline({Call, -1}, *M.Callee))
        return;
      Work.push_back(M.Callee);
    }
}

/// Whether most of \p F is for types that the program does not have: it is
/// inlined when it is known what these are.
static bool isLate(const Function &F) {
  return F.getName().starts_with("fortran_late_");
}

/// Of static variables that are taken for initialised.
bool CallTree::leaveOutInitialisers(SmallVectorImpl<Site> &Work) {
  return Circular.Statics &&
         Circular.Statics->assume(F, [&](ArrayRef<BasicBlock *> Left) {
           SmallPtrSet<const BasicBlock *, 16> Gone(Left.begin(), Left.end());
           erase_if(Work, [&](const Site &S) {
             return Gone.contains(S.Call->getParent());
           });
         });
}

bool CallTree::inlineAll(const Circle &Except, bool WithLate) {
  SmallVector<Site, 32> Work;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Work.push_back({Call, -1});
  bool Changed = leaveOutInitialisers(Work);
  unsigned Size = F.getInstructionCount(), Blocks = F.size();
  while (!Work.empty() && !Refused) {
    Site S = Work.pop_back_val();
    if (CallBase *Body = replaceEigenKernel(*S.Call)) {
      S.Call = Body;
      Changed = true;
    }
    CallModel M = modelCall(*S.Call, TLI);
    if (M.K == CallModel::Silent) {
      Function *Body = Inactive.get(*M.Callee);
      if (!Body)
        break;
      M = {CallModel::Direct, Body};
    }
    // Of a variadic function the expansion will be inlined.
    if (M.K != CallModel::Direct || M.Callee->isVarArg() ||
        Except.contains(M.Callee) || isMember(*M.Callee) ||
        (isLate(*M.Callee) && !(WithLate && S.History == -1)))
      continue;
    if (Circular.keeps(*M.Callee)) {
      markAsRelease(*S.Call);
      continue;
    }
    if (isPartCall(*S.Call) ||
        (Circular.Split && Circular.Split->keep(*S.Call)))
      continue;
    if (!mayInline(S, *M.Callee))
      break;
    Function *Body = M.Callee;
    if (Circular.Who.isRecursive(*Body))
      Body = Circular.get(*Body);
    if (Refused)
      break;
    if (isMember(*Body)) {
      if (auto *Invoke = dyn_cast<InvokeInst>(S.Call))
        S.Call = changeToCall(Invoke);
      S.Call->setCalledOperand(Body);
      Changed = true;
      continue;
    }
    Size += Body->getInstructionCount();
    Blocks += Body->size();
    if (Size > MaxInstructions && Blocks > MaxBlocks) {
      Refused.addTooLarge(*S.Call);
      break;
    }
    InlineFunctionInfo Info;
    MDNode *const Nesting = nestingOf(*S.Call);
    if (S.Call->getCalledOperand() != Body)
      S.Call->setCalledOperand(Body);
    InlineResult Result =
        InlineFunction(*S.Call, Info, /*MergeAttributes=*/false,
                       /*CalleeAAR=*/nullptr, /*InsertLifetime=*/false);
    if (!Result.isSuccess()) {
      Refused.add("'" + M.Callee->getName() +
                      "' cannot be inlined: " + Result.getFailureReason(),
                  S.Call);
      break;
    }
    Changed = true;
    Histories.push_back({M.Callee, S.History});
    for (CallBase *Inner : Info.InlinedCallSites) {
      if (Nesting)
        setNesting(*Inner, Nesting);
      Work.push_back({Inner, int(Histories.size()) - 1});
    }
    leaveOutInitialisers(Work);
  }
  return Changed;
}

/// What says nothing about values, or would no longer be true.
static void dropNoise(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    I.dropDbgRecords();
    if (auto *Call = dyn_cast<CallInst>(&I))
      Call->setTailCallKind(CallInst::TCK_None);
    if (auto *II = dyn_cast<IntrinsicInst>(&I);
        II && (II->isLifetimeStartOrEnd() || II->isAssumeLikeIntrinsic()) &&
        II->use_empty() && II->getType()->isVoidTy() &&
        II->getIntrinsicID() != Intrinsic::experimental_noalias_scope_decl)
      II->eraseFromParent();
  }
}

static void simplify(Function &F, FunctionAnalysisManager &FAM) {
  const bool Allocates =
      quietAllocators(F, &FAM.getResult<TargetLibraryAnalysis>(F));
  FAM.invalidate(F, PreservedAnalyses::none());
  takeProductsApart(F);
  takeReductionsApart(F);
  denyZeroTests(F);
  removeUnreachableBlocks(F);
  normalizeMath(F, &FAM.getResult<TargetLibraryAnalysis>(F));
  FunctionPassManager Simplify;
  Simplify.addPass(SROAPass(SROAOptions::PreserveCFG));
  Simplify.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  if (Allocates) // Most members of new objects are zero.
    Simplify.addPass(GVNPass(GVNOptions().setPRE(false).setLoadPRE(false)));
  Simplify.addPass(JoinHalvesPass());
  Simplify.addPass(LinearBitsPass());
  Simplify.addPass(InstCombinePass());
  Simplify.addPass(SimplifyCFGPass());
  Simplify.run(F, FAM);
  movePointersAsPointers(F);
  FAM.invalidate(F, PreservedAnalyses::none());
}

static bool isIrreducible(Function &F, FunctionAnalysisManager &FAM) {
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  ReversePostOrderTraversal<const Function *> Order(&F);
  return containsIrreducibleCFG<const BasicBlock *>(Order, LI);
}

/// Gives each invoke a landing pad of its own, from which a branch leads on.
static void separateLandingPads(Function &F) {
  SmallVector<BasicBlock *, 16> Pads;
  for (BasicBlock &Block : F)
    if (Block.isLandingPad())
      Pads.push_back(&Block);
  for (BasicBlock *Pad : Pads)
    while (Pad->hasNPredecessorsOrMore(2)) {
      SmallVector<BasicBlock *, 2> Parts;
      SplitLandingPadPredecessors(Pad, *pred_begin(Pad), ".own", ".others",
                                  Parts);
      Pad = Parts.back();
    }
}

/// Loops that copy bytes become copies, which know where numbers are; not
/// loops over numbers, of which the copy would not know the type.
struct CopyBytesPass : PassInfoMixin<CopyBytesPass> {
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM,
                        LoopStandardAnalysisResults &AR, LPMUpdater &U) {
    bool Any = false;
    for (BasicBlock *Block : L.blocks())
      for (Instruction &I : *Block) {
        if (I.getType()->isFPOrFPVectorTy())
          return PreservedAnalyses::all();
        auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store)
          continue;
        auto *Load = dyn_cast<LoadInst>(Store->getValueOperand());
        if (!Load || !Load->getType()->isIntegerTy() ||
            isIntegerForCertain(*Load))
          return PreservedAnalyses::all();
        Any = true;
      }
    return Any ? LoopIdiomRecognizePass().run(L, AM, AR, U)
               : PreservedAnalyses::all();
  }
};

static void bringLoopsIntoForm(Function &F, FunctionAnalysisManager &FAM) {
  if (isIrreducible(F, FAM)) {
    // An edge from an invoke to a landing pad cannot be redirected.
    separateLandingPads(F);
    FAM.invalidate(F, PreservedAnalyses::none());
    FunctionPassManager Fix;
    Fix.addPass(LowerSwitchPass());
    // Of a block with an edge that is redirected and one that is not, LLVM
    // takes both out of the phis; and it takes every terminator for a branch.
    Fix.addPass(BreakCriticalEdgesPass());
    Fix.addPass(FixIrreduciblePass());
    Fix.run(F, FAM);
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  joinPartsOfNumbers(F);
  FunctionPassManager Loops;
  Loops.addPass(ScalarizeVectorsPass());
  Loops.addPass(LoopSimplifyPass());
  Loops.addPass(LCSSAPass());
  Loops.addPass(createFunctionToLoopPassAdaptor(
      LoopRotatePass(/*EnableHeaderDuplication=*/true)));
  Loops.addPass(createFunctionToLoopPassAdaptor(CopyBytesPass()));
  // What does not change in a loop is recorded once for all its iterations.
  Loops.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                /*UseMemorySSA=*/true));
  Loops.addPass(EarlyCSEPass());
  Loops.addPass(InstCombinePass());
  Loops.run(F, FAM);
  accessElementsApart(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  normalizeBits(F);
  detachMagicRoundings(F);
  movePointersAsBytes(F, /*OnlyCasts=*/true);
  normalizeMath(F, &FAM.getResult<TargetLibraryAnalysis>(F));
  separateInvokes(F);
  removeUnreachableBlocks(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  FunctionPassManager Last;
  Last.addPass(UnifyFunctionExitNodesPass());
  Last.addPass(LoopSimplifyPass());
  Last.addPass(LCSSAPass());
  Last.run(F, FAM);
  FAM.invalidate(F, PreservedAnalyses::none());
  markOverflows(F, &FAM.getResult<TargetLibraryAnalysis>(F));
  markCutOffs(F, &FAM.getResult<TargetLibraryAnalysis>(F));
}

/// Whether \p I is of the code of an inner request.
static bool isOfRequest(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (Call && (isFrame(*Call) || calls(*Call, RuntimeFunction::Fail) ||
               startsAgain(*Call)))
    return false;
  if (isInert(I) && !isa<IntrinsicInst>(I))
    return true;
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Call && (Call->hasMetadata("verso.twin") ||
                  (Callee && isRuntimeFunction(*Callee)));
}

/// What gradients of inner requests keep stays until the end: their code is
/// reversed like any other. Where they would look at what happened before, they
/// know nothing; which blocks are theirs, they do know (followPointers).
static void adoptGradients(Function &F, Refusals &Refused) {
  SmallVector<Instruction *, 8> Gone;
  auto Replace = [&](Instruction &I, Value *By) {
    I.replaceAllUsesWith(By);
    Gone.push_back(&I);
  };
  auto ReplaceByZero = [&](Instruction &I) {
    if (I.getType()->isVoidTy())
      Gone.push_back(&I);
    else
      Replace(I, llvm::Constant::getNullValue(I.getType()));
  };
  for (Instruction &I : instructions(F)) {
    if (!isInert(I))
      continue;
    if (I.isAtomic()) {
      auto *Room = dyn_cast<GlobalVariable>(getLoadStorePointerOperand(&I));
      if (Room && Room->hasMetadata("verso.room"))
        ReplaceByZero(I);
      continue;
    }
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call)
      continue;
    bool ComparesBlocks = any_of(Call->users(), [](const User *U) {
      auto *End = dyn_cast<CallBase>(U);
      return !End || !calls(*End, RuntimeFunction::ArenaEnd);
    });
    if (calls(*Call, RuntimeFunction::ArenaBegin) && ComparesBlocks) {
      IRBuilder<> B(Call);
      Replace(I, callRuntime(B, RuntimeFunction::ArenaTake, {B.getInt64(0)}));
    } else if (calls(*Call, RuntimeFunction::ArenaBegin) ||
               calls(*Call, RuntimeFunction::ArenaAffords) ||
               calls(*Call, RuntimeFunction::ArenaEnd) ||
               calls(*Call, RuntimeFunction::RefuseWatched) ||
               calls(*Call, RuntimeFunction::CheckStructured))
      ReplaceByZero(I);
    else if (growsInPlace(*Call))
      Refused.add("an inner gradient keeps records of a recursion", Call);
    else if (calls(*Call, RuntimeFunction::ArenaExtend)) {
      IRBuilder<> B(Call);
      CallInst *Block =
          callRuntime(B, RuntimeFunction::ArenaTake, {Call->getArgOperand(2)});
      Block->addRetAttr(Attribute::NoAlias);
      markWrittenFirst(*Block);
      Replace(I, Block);
    }
  }
  for (Instruction *I : Gone)
    I->eraseFromParent();
}

static void refuseRequests(Function &F, Refusals &Refused) {
  for (Instruction &I : instructions(F))
    if (isOfRequest(I))
      return Refused.add("it makes requests itself", &I);
}

static void refuseWhatIsLeft(Function &F, FunctionAnalysisManager &FAM,
                             Refusals &Refused) {
  refuseRequests(F, Refused);
  if (mixesThreads(F))
    Refused.add("thread_local variables beside threads");
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isFrame(*Call) || calls(*Call, RuntimeFunction::Fail))
      continue;
    if (callsMember(*Call) || isPartCall(*Call))
      continue;
    if (isLongJump(*Call))
      return Refused.add("a long jump", &I);
    CallModel M = modelCall(*Call, TLI);
    if (M.K == CallModel::Unsupported)
      return Refused.add(M.Why, &I);
    if (M.K == CallModel::Indirect)
      return Refused.add("a call through a pointer", &I);
    if (M.K == CallModel::Silent)
      return Refused.add("an inactive function that may overwrite numbers", &I);
    if (M.K == CallModel::Direct)
      return Refused.add("a call that cannot be inlined", &I);
  }
  if (const LoadInst *Load = findFloatsMovedAsDouble(F))
    return Refused.add("two floats may be moved as a double", Load);
  if (isIrreducible(F, FAM))
    Refused.add("its control flow cannot be made reducible");
}

/// Fortran's bodies ask arrays for type and rank: what they are told is known
/// as a rule, and loops over so many dimensions are short.
static void foldAnswers(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager Unroll;
  Unroll.addPass(LoopSimplifyPass());
  Unroll.addPass(LCSSAPass());
  Unroll.addPass(createFunctionToLoopPassAdaptor(LoopFullUnrollPass()));
  simplify(F, FAM);
  constexpr unsigned Least = 2, Most = 5;
  for (unsigned Round = 0; Round != Most; ++Round) {
    if (foldConstantFields(F)) {
      FAM.invalidate(F, PreservedAnalyses::none());
      simplify(F, FAM);
    } else if (Round >= Least) {
      break;
    }
    Unroll.run(F, FAM);
    simplify(F, FAM);
  }
}

/// Inlines and simplifies. Simplification turns calls through pointers into
/// direct ones, and so does what is known of their targets; the expansion of a
/// variadic function may call another.
static void inlineAndSimplify(Function &F, FunctionAnalysisManager &FAM,
                              Recursive &Circular, InactiveBodies &Inactive,
                              const Circle &Except, Targets &Pointers,
                              OwnGlobals *Own, Refusals &Refused) {
  constexpr unsigned MaxRounds = 24;
  bool AsksForTypes = false, IsFolded = false, WithLate = false;
  for (unsigned Round = 0; Round != MaxRounds; ++Round) {
    const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
    guardUnseenWrites(F);
    AsksForTypes |= replaceLibrary(F, /*IsFlattened=*/true);
    serializeTeams(F);
    guardThreads(F);
    detachLibraryWrites(F);
    // What is not called then would be in the way of what is asked of all
    // calls.
    bool Answered = answerIsDifferentiated(F);
    if (Answered)
      simplify(F, FAM);
    dropChecks(F);
    expandVariadics(F, TLI);
    if (Own)
      Own->count();
    bool Changed = CallTree(F, FAM, Circular, Inactive, Refused)
                       .inlineAll(Except, WithLate) ||
                   Answered;
    if (Refused)
      return;
    foldDetached(F);
    WithLate = false;
    IsFolded &= !Changed;
    if (!Changed && Round && !Pointers.guessInTheMiddle(F)) {
      if (!AsksForTypes || IsFolded)
        break;
      foldAnswers(F, FAM);
      IsFolded = WithLate = true;
      continue;
    }
    dropNoise(F);
    openEmptyAssembly(F);
    expandAtomicAssembly(F);
    expandProcessorOperations(F);
    loadPartsOfVectors(F);
    scalarizeMaskedAccesses(F);
    adoptGradients(F, Refused);
    normalizeMemory(F, TLI);
    if (uniteCommonBlocks(F))
      FAM.invalidate(F, PreservedAnalyses::none());
    if (Own) {
      Own->makeLocal(*TLI, Refused);
      if (Own->any()) // Blocks may have been split.
        FAM.invalidate(F, PreservedAnalyses::none());
    }
    simplify(F, FAM);
    dropUnusedTangents(F);
    dropTrampolines(F);
    refuseRequests(F, Refused);
    if (Refused)
      return;
    const bool AnyTexts = nameTextsOfExceptions(F);
    if (Circular.callDirectly(F, Except) || AnyTexts)
      FAM.invalidate(F, PreservedAnalyses::none());
    Pointers.extendChains(F, Refused);
    if (Refused)
      return;
  }
  if (Own && Own->any()) {
    // What the variables held before, where it is overwritten unread.
    FAM.invalidate(F, PreservedAnalyses::none());
    dropFilledStores(F, FAM);
    DSEPass().run(F, FAM);
    SCCPPass().run(F, FAM); // Lists that stay empty.
    FAM.invalidate(F, PreservedAnalyses::none());
    simplify(F, FAM);
  }
  dropNoise(F);
}

/// What is to come before all else in the entry comes behind the local
/// variables.
static void gatherLocals(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  Instruction *First = &*Entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &I : make_early_inc_range(Entry))
    if (auto *A = dyn_cast<AllocaInst>(&I);
        A && A->isStaticAlloca() && !A->comesBefore(First))
      A->moveBefore(Entry, First->getIterator());
}

/// What is inlined and simplified becomes what Flatten.h says.
static void bringIntoForm(Function &F, FunctionAnalysisManager &FAM,
                          Refusals &Refused) {
  bringLoopsIntoForm(F, FAM);
  gatherLocals(F);
  refuseWhatIsLeft(F, FAM, Refused);
  moveArraysIntoArena(F);
  movePointersAsPointers(F);
  makeStepsOfIntegers(F);
}

std::vector<Assumption> verso::flatten(Function &F,
                                       FunctionAnalysisManager &FAM,
                                       ArrayRef<Value *> Given, RecursionBy How,
                                       bool IsAlone, Refusals &Refused) {
  Targets Pointers(F, FAM, Given, /*MayRestart=*/IsAlone);
  InactiveBodies Inactive(FAM, Refused);
  // It is asked to prepare functions while it is asked for others.
  Recursive *Self = nullptr;
  Recursive Circular(
      F, FAM, How,
      {[&](Function &Member, const Circle &Except) {
         inlineAndSimplify(Member, FAM, *Self, Inactive, Except, Pointers,
                           /*Own=*/nullptr, Refused);
       },
       [&](Function &Member) { bringIntoForm(Member, FAM, Refused); }},
      Refused);
  Self = &Circular;
  CallTree(F, FAM, Circular, Inactive, Refused).refuseBeforehand();
  if (Refused)
    return {};
  OwnGlobals Own(F, /*MayKeep=*/IsAlone);
  inlineAndSimplify(F, FAM, Circular, Inactive, {}, Pointers, &Own, Refused);
  if (!Refused && Pointers.endChains(Refused)) {
    simplify(F, FAM);
    while (foldComparedFunctions(F, FAM))
      simplify(F, FAM);
  }
  if (Refused)
    return {};
  if (moveWordsAsPointers(F, &FAM.getResult<TargetLibraryAnalysis>(F)))
    simplify(F, FAM);
  checkKept(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  bringIntoForm(F, FAM, Refused);
  Own.refuseUsers(FAM.getResult<TargetLibraryAnalysis>(F), Refused);
  std::vector<Assumption> Assumed = Pointers.takeAssumptions();
  if (Circular.Statics)
    for (GlobalVariable *Guard : Circular.Statics->assumed())
      Assumed.emplace_back().Guard = Guard;
  return Assumed;
}
