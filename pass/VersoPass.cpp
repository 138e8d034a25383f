//===- VersoPass.cpp - the module pass ------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests are lowered innermost first: one that a differentiated function
// makes is ordinary code by the time that its caller is differentiated. What
// was generated is optimised at the end, at every optimisation level.
//
// After an error the rest of the pipeline runs all the same. It meets a valid
// module: requests that were not lowered are gone, and what was generated,
// perhaps by halves, is empty.
//
//===----------------------------------------------------------------------===//

#include "VersoPass.h"
#include "Diagnostics.h"
#include "HugeBlocks.h"
#include "KeptLoops.h"
#include "LoopHints.h"
#include "Options.h"
#include "analysis/AccessTypes.h"
#include "analysis/Communication.h"
#include "analysis/EarlierPointers.h"
#include "analysis/Precision.h"
#include "emit/DirectBase.h"
#include "emit/KeptBlocks.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "emit/Unwinding.h"
#include "forward/DeadMemory.h"
#include "forward/DirectionLoops.h"
#include "forward/ForwardRequest.h"
#include "forward/LanesApart.h"
#include "prepare/Coroutines.h"
#include "prepare/CustomDerivatives.h"
#include "prepare/EigenKernels.h"
#include "prepare/ExpandVariadics.h"
#include "prepare/FourierPlans.h"
#include "prepare/InactiveVariables.h"
#include "prepare/MixedUnions.h"
#include "prepare/NormalizeMath.h"
#include "prepare/Prepare.h"
#include "prepare/Rounded.h"
#include "prepare/StagedProducts.h"
#include "prepare/UnseenWrites.h"
#include "prepare/WideIndices.h"
#include "prepare/Worksharing.h"
#include "request/EqualRequests.h"
#include "request/NamedArguments.h"
#include "request/OperandVariables.h"
#include "request/Request.h"
#include "rules/Detached.h"
#include "rules/KnownCalls.h"
#include "rules/Shielded.h"
#include "rules/Zero.h"
#include "structured/OwnGlobals.h"
#include "structured/StructuredRequest.h"
#include "structured/loops/LateStores.h"
#include "structured/loops/ReversedLoops.h"
#include "structured/loops/SumsAbreast.h"
#include "structured/team/TeamLoops.h"
#include "taped/TapedRequest.h"
#include "twins/Twins.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopInstSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopSimplifyCFG.h"
#include "llvm/Transforms/Scalar/LowerMatrixIntrinsics.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

/// Of operations on numbers: below, a record of its own costs more than theirs.
static constexpr unsigned LeastWorkOfKernel = 64;

/// Orders requests so that one comes after those in the functions it reaches.
/// Those that reach themselves are reported and dropped.
static std::vector<Request> innermostFirst(std::vector<Request> Requests,
                                           Diagnostics &D) {
  std::vector<Request> Ordered;
  std::vector<SmallPtrSet<const Function *, 16>> Reach;
  for (const Request &R : Requests)
    Reach.push_back(reachableFrom(*R.Primal));
  for (Request &R : Requests)
    R.IsInner = any_of(Reach, [&](const auto &Functions) {
      return Functions.contains(R.Call->getFunction());
    });
  SmallVector<bool> Done(Requests.size(), false);
  for (size_t Left = Requests.size(); Left;) {
    bool Progress = false;
    for (size_t K = 0; K != Requests.size(); ++K) {
      if (Done[K])
        continue;
      bool Ready = true;
      for (size_t J = 0; J != Requests.size() && Ready; ++J)
        Ready = Done[J] || !Reach[K].contains(Requests[J].Call->getFunction());
      if (!Ready)
        continue;
      Ordered.push_back(Requests[K]);
      Done[K] = Progress = true;
      --Left;
    }
    if (Progress)
      continue;
    for (size_t K = 0; K != Requests.size(); ++K)
      if (!Done[K])
        D.error(*Requests[K].Call,
                "the differentiated function makes this same request",
                "a request may not contain itself, directly or through calls");
    for (size_t K = 0; K != Requests.size(); ++K)
      if (!Done[K])
        eraseRequestCall(Requests[K]);
    break;
  }
  return Ordered;
}

/// Matrices become vectors of numbers. LLVM does the same a little later.
static void lowerMatrices(Module &M, FunctionAnalysisManager &FAM) {
  SmallSetVector<Function *, 4> Users;
  for (Function &F : M)
    if (F.isIntrinsic() && F.getName().starts_with("llvm.matrix."))
      for (User *U : F.users())
        Users.insert(cast<Instruction>(U)->getFunction());
  for (Function *F : Users)
    FAM.invalidate(*F, LowerMatrixIntrinsicsPass().run(*F, FAM));
}

/// Vectors that functions are given or give back are legal in them and in those
/// that call them, as the front end says of the program's own functions: else
/// two that disagree would pass them in different registers.
static void coverVectors(Function &F) {
  auto Cover = [&](Type *T) {
    SmallVector<Type *, 8> Parts{T};
    while (!Parts.empty()) {
      Type *Part = Parts.pop_back_val();
      if (auto *V = dyn_cast<FixedVectorType>(Part))
        AttributeFuncs::updateMinLegalVectorWidthAttr(
            F, F.getDataLayout().getTypeSizeInBits(V).getFixedValue());
      else if (Part->isAggregateType())
        append_range(Parts, Part->subtypes());
    }
  };
  auto CoverAll = [&](FunctionType *T) {
    Cover(T->getReturnType());
    for (Type *Parameter : T->params())
      Cover(Parameter);
  };
  CoverAll(F.getFunctionType());
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call))
      CoverAll(Call->getFunctionType());
}

/// What taped twins gain from: they are simplified code with records between,
/// seven times as long, in which most of LLVM's passes find nothing.
static FunctionPassManager simplificationOfTape() {
  FunctionPassManager Simplify;
  Simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
  Simplify.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Simplify.addPass(SimplifyCFGPass());
  Simplify.addPass(InstCombinePass());
  LoopPassManager Loops;
  Loops.addPass(LoopInstSimplifyPass());
  Loops.addPass(LoopSimplifyCFGPass());
  Loops.addPass(LICMPass(LICMOptions()));
  Loops.addPass(LoopRotatePass());
  Loops.addPass(LICMPass(LICMOptions()));
  Simplify.addPass(createFunctionToLoopPassAdaptor(std::move(Loops),
                                                   /*UseMemorySSA=*/true));
  Simplify.addPass(SimplifyCFGPass());
  Simplify.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  Simplify.addPass(GVNPass());
  Simplify.addPass(InstCombinePass());
  // Cursor and next, stored back as they were.
  Simplify.addPass(DSEPass());
  Simplify.addPass(SimplifyCFGPass());
  return Simplify;
}

/// Threads share loops of gradients that they share in the program.
static void shareLoopsOf(SmallVectorImpl<Function *> &Gradients,
                         FunctionAnalysisManager &FAM) {
  for (size_t K = 0, N = Gradients.size(); K != N; ++K)
    if (hasSharedLoops(*Gradients[K])) {
      simplifyReversedLoops(*Gradients[K], FAM);
      shareLoops(*Gradients[K], FAM, Gradients);
    }
}

/// The ordinary optimiser over what was generated.
static void optimise(ArrayRef<Function *> Generated, const Twins &Registry,
                     FunctionAnalysisManager &FAM) {
  // Nearly all of a flattened function stands in one loop, and all that is
  // known of that would be looked for again for each small loop that is
  // unrolled.
  PipelineTuningOptions Tuning;
  Tuning.ForgetAllSCEVInLoopUnroll = true;
  PassBuilder PB(/*TM=*/nullptr, Tuning);
  FunctionPassManager Ordinary = PB.buildFunctionSimplificationPipeline(
      OptimizationLevel::O2, ThinOrFullLTOPhase::None);
  FunctionPassManager OfTape = simplificationOfTape();
  for (Function *F : Generated)
    coverVectors(*F);
  for (Function *F : Generated) {
    if (isJudge(*F)) {
      shield(*F);
      continue;
    }
    takeLanesApart(*F, FAM);
    improveReversedLoops(*F, FAM);
    sumAbreast(*F, FAM);
    FunctionPassManager &Simplify = Registry.isTaped(*F) ? OfTape : Ordinary;
    FAM.invalidate(*F, Simplify.run(*F, FAM));
    if (deleteDeadMemory(*F, FAM.getResult<TargetLibraryAnalysis>(*F)))
      FAM.invalidate(*F, PreservedAnalyses::none());
    storeLate(*F, FAM);
  }
  dropUnusedResults(Generated, FAM);
}

PreservedAnalyses PreservePass::run(Module &M, ModuleAnalysisManager &) {
  // Those of a file without requests are for a link.
  bool Changed = dropTypeHints(M);
  Changed |= hasCustomDerivatives(M) && preserveCustomDerivatives(M);
  if (hasRequests(M)) {
    Changed |= preserveRequests(M);
    for (Function &F : M)
      Changed |= Optimises && widenIndices(F);
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses DropImportedRequestsPass::run(Module &M,
                                                ModuleAnalysisManager &) {
  return dropImportedRequests(M) ? PreservedAnalyses::none()
                                 : PreservedAnalyses::all();
}

/// The options; nothing after a mistake.
static std::optional<Options> readOptions(Diagnostics &D) {
  Expected<Options> O = Options::get();
  if (!O) {
    D.error(toString(O.takeError()));
    return std::nullopt;
  }
  return *O;
}

/// Whether twins are wanted of a module without requests, too.
static bool asksForTwins() {
  Expected<Options> O = Options::get();
  if (O)
    return O->AllTwins;
  consumeError(O.takeError()); // Those with requests report it.
  return false;
}

/// The same request once more, right before \p Call, whose results nobody
/// needs.
static CallInst *cloneForCopy(CallBase &Call) {
  SmallVector<Value *, 16> Arguments(Call.args());
  auto *Clone =
      CallInst::Create(Call.getFunctionType(), Call.getCalledOperand(),
                       Arguments, "", Call.getIterator());
  Clone->setAttributes(Call.getAttributes());
  Clone->setDebugLoc(Call.getDebugLoc());
  return Clone;
}

/// if (__verso_check_fork_structured() == 2) { Call; unreachable }
/// An exception that leaves it goes no further. Returns the call.
static CallBase &runInCopy(CallInst &Call, StringRef Where) {
  IRBuilder<> B(&Call);
  Module &M = *Call.getModule();
  auto *Calls = new GlobalVariable(M, B.getInt64Ty(), /*isConstant=*/false,
                                   GlobalValue::InternalLinkage, B.getInt64(0),
                                   "verso.calls");
  Value *Role = callRuntime(B, RuntimeFunction::CheckForkStructured,
                            {emitLocation(B, Where), Calls});
  Instruction *Then = SplitBlockAndInsertIfThen(
      B.CreateICmpEQ(Role, B.getInt32(2)), Call.getNextNode()->getIterator(),
      /*Unreachable=*/true);
  Call.moveBefore(*Then->getParent(), Then->getIterator());
  Function &F = *Call.getFunction();
  Constant *Personality = findPersonality(F);
  if (!Personality)
    return Call;
  F.setPersonalityFn(Personality);
  auto *Pad = BasicBlock::Create(F.getContext(), "left", &F);
  B.SetInsertPoint(Pad);
  B.CreateLandingPad(StructType::get(B.getPtrTy(), B.getInt32Ty()), 1)
      ->addClause(ConstantPointerNull::get(B.getPtrTy()));
  callRuntime(B, RuntimeFunction::CheckLeft, {});
  B.CreateUnreachable();
  BasicBlock *Before = Call.getParent();
  changeToInvokeAndSplitBasicBlock(&Call, Pad);
  return cast<CallBase>(*Before->getTerminator());
}

/// What -verso-check reads off a tape has to be in the user's memory.
static bool canCheckStructured(const Request &R) {
  for (auto [K, A] : enumerate(R.Arguments))
    if (A.Activity == ArgumentActivity::Out && R.Primal->getParamByValType(K))
      return false;
  return true;
}

/// Whether a request that is taped may have kernels.
static bool takesKernels(const Options &O) {
  return !O.Check &&
         (O.Kernels == Options::Always ||
          (O.Kernels == Options::Automatic && O.Strategy == Options::Auto));
}

/// The request's function by reversed control flow; null after an error,
/// nothing if it is to be taped.
static std::optional<Function *>
tryStructured(Request &R, const Options &O, Twins &Registry, Diagnostics &D,
              SmallVectorImpl<Function *> &Others) {
  Refusals Refused(/*HasChoice=*/O.Strategy == Options::Auto);
  const Instruction &At = *R.Call;
  std::string Name = sourceName(*R.Primal);
  CallInst *ForCopy = O.Check ? cloneForCopy(*R.Call) : nullptr;
  Request OfCopy = R;
  std::string Where = describeLocation(*R.Call);
  Lowered L = lowerStructured(R, Registry.analyses(), O, Refused, Others);
  if (Function *F = L.Called) {
    openPartials(*F);
    for (Function *Other : Others)
      openPartials(*Other);
    auto &Call = *cast<Instruction>(*F->user_begin());
    D.remark(Remark::RequestLowered, Call,
             "gradient of '" + Name + "' by reversed control flow" +
                 (L.Otherwise ? ", and by tape " : "") + L.When);
    if (L.Otherwise)
      Others.push_back(lowerTaped(*L.Otherwise, Registry, TapeChecks::None,
                                  takesKernels(O)));
    if (ForCopy) {
      OfCopy.Call = &runInCopy(*ForCopy, Where);
      Registry.analyses().invalidate(*Call.getFunction(),
                                     PreservedAnalyses::none());
      Others.push_back(lowerTaped(OfCopy, Registry, TapeChecks::InCopy,
                                  /*TakesKernels=*/false));
    }
    return F;
  }
  if (ForCopy)
    ForCopy->eraseFromParent();
  const Refusal &Why = Refused.first();
  std::string Reason = Why.Why;
  if (!Why.Where.empty())
    Reason += " at " + Why.Where;
  if (O.Strategy == Options::Auto) {
    D.remark(Remark::FellBackToTaped, At,
             "gradient of '" + Name + "' is not structured: " + Reason);
    return std::nullopt;
  }
  D.error(At, "cannot reverse the control flow of '" + Name + "': " + Reason,
          "use -verso-strategy=auto, which takes a tape where it must");
  eraseRequestCall(R);
  return nullptr;
}

/// How the user wants gradients of \p F: for it alone, or for all.
static std::optional<Options::StrategyKind> strategyOf(const Function &F,
                                                       const Options &O,
                                                       Diagnostics &D,
                                                       const Instruction &At) {
  if (!F.hasFnAttribute("verso-strategy"))
    return O.Strategy;
  StringRef Name = F.getFnAttribute("verso-strategy").getValueAsString();
  if (std::optional<Options::StrategyKind> S = Options::strategyNamed(Name))
    return S;
  D.error(At, "'" + sourceName(F) + "' asks for the strategy '" + Name + "'",
          "there are auto, taped and structured");
  return std::nullopt;
}

/// Where pointers with a shadow lead is of interest only if some of variables
/// are followed that may lead there, too, or if memory is watched.
static void findExtents(Request &R, Twins &Registry) {
  auto IsPointer = [](const RequestArgument &A) {
    return (A.Activity == ArgumentActivity::Dup ||
            A.Activity == ArgumentActivity::DupNoNeed) &&
           A.Primal->getType()->isPointerTy();
  };
  if (none_of(R.Arguments, IsPointer) ||
      !(mayUseEarlierPointers(*R.Primal) ||
        R.Primal->getParent()->getFunction("verso_watch")))
    return;
  const auto &TLI = Registry.analyses().getResult<TargetLibraryAnalysis>(
      *R.Call->getFunction());
  const DataLayout &DL = R.Call->getDataLayout();
  const SmallVector<uint64_t, 8> Placed =
      placedExtents(*R.Primal, Registry.analyses());
  for (auto [K, A] : enumerate(R.Arguments))
    if (IsPointer(A)) {
      A.LeastBytes = leastExtent(A, DL, &TLI);
      A.MostBytes = mostExtent(A, DL, &TLI);
      A.PlacedBytes = Placed[K];
    }
}

/// Replaces the request's call by one of the function that is returned, null
/// after a mistake. What else was generated is added to \p Others.
static Function *lower(Request &R, const Options &O, Twins &Registry,
                       Diagnostics &D, SmallVectorImpl<Function *> &Others) {
  if (R.Kind == RequestKind::Jvp) {
    D.remark(Remark::RequestLowered, *R.Call,
             "tangents of '" + sourceName(*R.Primal) + "'");
    return lowerForward(R, Registry);
  }
  // A linear map is a tape.
  bool NeedsTape =
      R.Kind == RequestKind::Linearize || (O.Check && !canCheckStructured(R));
  std::optional<Options::StrategyKind> Strategy =
      strategyOf(*R.Primal, O, D, *R.Call);
  if (!Strategy) {
    eraseRequestCall(R);
    return nullptr;
  }
  Options Own = O;
  Own.Strategy = *Strategy;
  if (O.Check && mayCommunicate(*R.Primal)) {
    Own.Check = false;
    NeedsTape = R.Kind == RequestKind::Linearize;
    D.remark(Remark::NotChecked, *R.Call,
             "-verso-check does not judge '" + sourceName(*R.Primal) +
                 "': it communicates with others, who know nothing of a copy "
                 "of this process");
  }
  if (Own.Strategy != Options::Taped && !NeedsTape)
    if (std::optional<Function *> F =
            tryStructured(R, Own, Registry, D, Others))
      return *F;
  D.remark(Remark::RequestLowered, *R.Call,
           "gradient of '" + sourceName(*R.Primal) + "' by tape");
  return lowerTaped(
      R, Registry, Own.Check ? TapeChecks::Itself : TapeChecks::None,
      // An outer request follows what the tape does.
      R.Kind != RequestKind::Linearize && !R.IsInner && takesKernels(Own));
}

/// At -O0, X86's FastISel takes the register of a double for that of an address
/// which is made of its bits (LLVM 19 to 22): inttoptr(bitcast x). It does not
/// see through a freeze.
static void hideNumbersInAddresses(Function &F) {
  for (Instruction &I : instructions(F))
    if (auto *Bits = isa<IntToPtrInst>(I)
                         ? dyn_cast<BitCastInst>(I.getOperand(0))
                         : nullptr;
        Bits && Bits->getSrcTy()->isFloatingPointTy())
      I.setOperand(0, IRBuilder<>(&I).CreateFreeze(Bits));
}

/// Makes \p Functions valid whatever they were; nobody will run them.
static void makeEmpty(ArrayRef<Function *> Functions) {
  for (Function *F : Functions) {
    GlobalValue::LinkageTypes Linkage = F->getLinkage();
    F->deleteBody();
    F->setLinkage(Linkage);
    LLVMContext &C = F->getContext();
    new UnreachableInst(C, BasicBlock::Create(C, "", F));
  }
}

PreservedAnalyses VersoPass::run(Module &M, ModuleAnalysisManager &AM) {
  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool Dropped = dropTypeHints(M);
  if (!hasRequests(M) && !asksForTwins()) {
    releaseLoops(M, FAM); // There were some that nothing led to.
    Dropped |= releaseUnions(M);
    return notePlans(M) || Dropped ? PreservedAnalyses::none()
                                   : PreservedAnalyses::all();
  }
  auto Release = make_scope_exit([&] { releaseLoops(M, FAM); });
  splitCoroutines(M, AM);
  Diagnostics D(M.getContext());
  std::optional<Options> O = readOptions(D);
  noteTypes(M);
  takeFromRuntime(M);
  applyInactiveMarks(M);
  detachInactiveVariables(M);
  CustomDerivatives Custom(M, D);
  lowerMatrices(M, FAM);
  noteEigenKernels(M);
  noteUnseenWriters(M);
  noteOwnGlobals(M);
  markWorksharing(M, FAM);
  promoteOperandVariables(M, FAM);
  std::vector<Request> Requests = innermostFirst(collectRequests(M, D), D);
  if (O && !D.hadError())
    mergeDirections(Requests, O->MergeDirections, FAM, D);
  if (O && O->Check)
    for (Request &R : Requests)
      R.Precision = precisionOf(*R.Primal);
  Twins Registry(M, FAM, D, O && O->Check);
  Registry.setNested(
      any_of(Requests, [](const Request &R) { return R.IsInner; }));
  if (O && takesKernels(*O))
    Registry.takeKernels(O->Kernels == Options::Always ? 0 : LeastWorkOfKernel);
  SmallVector<Function *, 16> Generated;
  EqualRequests Equal;
  for (Request &R : Requests) {
    if (O && O->PrintRequests)
      errs() << R << '\n';
    if (!O) {
      eraseRequestCall(R);
      continue;
    }
    findExtents(R, Registry);
    if (!findNamedArguments(R, Registry.analyses(), D)) {
      eraseRequestCall(R);
      continue;
    }
    EqualRequests::Candidate This(R);
    // A check is told which run of a line it is of.
    if (!O->Check && Equal.serve(This, R))
      continue;
    if (Function *F = lower(R, *O, Registry, D, Generated)) {
      Generated.push_back(F);
      Registry.build();
      Equal.note(This, *F);
    }
  }
  bool ForOtherFiles = O && O->AllTwins;
  if (!Requests.empty() || ForOtherFiles)
    Registry.finish(ForOtherFiles);
  forgetTypes(M);
  releaseUnions(M);
  forgetEigenKernels(M);
  forgetUnseenWriters(M);
  forgetOwnGlobals(M);
  Custom.release();
  releaseStagedProducts(M);
  releaseRoundings(M);
  releaseMathFunctions(M);
  releaseExpansions(M, FAM);
  lowerMappedAddresses(M);
  lowerDirectBases(M);
  leaveToRuntime(M);
  requireRuntimeVersion(M);
  lowerDetached(M);
  lowerKept(M);
  nameLibrary(M);
  notePlans(M);
  SmallSetVector<Function *, 16> TestedZeros = lowerZeros(M);
  // Kernels of a tape are none: their loops are parts of what it records.
  SmallVector<Function *, 16> Gradients = Generated;
  for (Function *F : Registry.built())
    if (!Registry.isTaped(*F))
      Gradients.push_back(F);
  append_range(Generated, Registry.takeGeneratedOfKernels());
  append_range(Generated, Registry.built());
  if (D.hadError()) {
    makeEmpty(Generated);
    return PreservedAnalyses::none();
  }
  assert(!verifyModule(M, &errs()) && "generated code is not valid");
  // The sweep over a tape asks twice whether an adjoint is zero.
  for (Function *F : TestedZeros)
    if (!is_contained(Generated, F))
      FAM.invalidate(*F, EarlyCSEPass().run(*F, FAM));
  for (Function *F : Generated)
    dropDemands(*F);
  size_t Teams = Gradients.size();
  shareLoopsOf(Gradients, FAM);
  append_range(Generated, ArrayRef(Gradients).drop_front(Teams));
  optimise(Generated, Registry, FAM);
  // Requests themselves, and twins of inner ones.
  for (Function *F : Generated) {
    dropUnusedContext(*F, FAM);
    separateHugeBlocks(*F);
    keepLoopsOfLarge(*F);
    hideNumbersInAddresses(*F);
    endLeftRequests(*F);
  }
  // It is not worth optimising.
  if (DropsUnused)
    GlobalDCEPass().run(M, AM);
  return PreservedAnalyses::none();
}
