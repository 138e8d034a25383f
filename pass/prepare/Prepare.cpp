//===- Prepare.cpp - brings a clone into normal form ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/Prepare.h"
#include "emit/DirectBase.h"
#include "emit/Runtime.h"
#include "emit/TapeRows.h"
#include "prepare/AtomicAssembly.h"
#include "prepare/BfloatsByHand.h"
#include "prepare/CaughtPointers.h"
#include "prepare/EigenKernels.h"
#include "prepare/EmptyAssembly.h"
#include "prepare/ExpandVariadics.h"
#include "prepare/FourierPlans.h"
#include "prepare/HoistLoads.h"
#include "prepare/JoinedHalves.h"
#include "prepare/LinearBits.h"
#include "prepare/MagicRounding.h"
#include "prepare/MaskedAccesses.h"
#include "prepare/NormalizeBits.h"
#include "prepare/NormalizeMath.h"
#include "prepare/NormalizeMoves.h"
#include "prepare/NumericalLibraries.h"
#include "prepare/OpenMP.h"
#include "prepare/ProcessorOperations.h"
#include "prepare/Reductions.h"
#include "prepare/ScalarizeVectors.h"
#include "prepare/StagedProducts.h"
#include "prepare/Threads.h"
#include "prepare/Trampolines.h"
#include "prepare/UnrollRecurrences.h"
#include "prepare/UnseenWrites.h"
#include "prepare/VectorsOfParts.h"
#include "prepare/WideIndices.h"
#include "rules/CutOff.h"
#include "rules/KnownCalls.h"
#include "rules/Operation.h"
#include "rules/Overflows.h"
#include "rules/Zero.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace verso;

/// -O0 functions may not be optimised; their clones must.
static void dropRestrictions(Function &F) {
  F.removeFnAttr(Attribute::OptimizeNone);
  F.removeFnAttr(Attribute::NoInline);
  for (Instruction &I : instructions(F)) {
    I.dropDbgRecords();
    if (auto *Call = dyn_cast<CallInst>(&I))
      Call->setTailCallKind(CallInst::TCK_None);
  }
}

/// What an optimiser would have inlined long ago: at -O0, the small functions
/// that C++ is made of.
static bool isSmall(const Function &Callee) {
  constexpr unsigned MaxCallee = 60;
  return Callee.hasFnAttribute(Attribute::OptimizeNone) &&
         Callee.getInstructionCount() <= MaxCallee;
}

/// Whether \p P may point into a local variable or into a block of the heap
/// that is taken in the same function.
static bool pointsIntoLocal(const Value *P) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects);
  return any_of(Objects, [](const Value *Object) {
    auto *Call = dyn_cast<CallBase>(Object);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    std::optional<KnownCall> K;
    if (Callee && Callee->isDeclaration())
      K = classifyCall(*Callee);
    return isa<AllocaInst>(Object) ||
           (K &&
            (K->K == KnownCall::Allocate || K->K == KnownCall::AllocateZeroed));
  });
}

/// A local object that is passed to a function is no longer local: forward mode
/// has to find its tangents by address. What must not be inlined in the program
/// may be inlined in a clone of ours; where nothing is, at -O0, neither is
/// here.
static bool takesLocal(const CallBase &Call, const Function &Callee) {
  constexpr unsigned MaxCallee = 1000;
  return !Callee.hasFnAttribute(Attribute::OptimizeNone) &&
         !isGenerated(Callee) && Callee.getInstructionCount() <= MaxCallee &&
         any_of(Call.args(), [](const Value *V) {
           return V->getType()->isPointerTy() && pointsIntoLocal(V);
         });
}

/// The gradient that an inner request computes: what it is given, and what of
/// that does not vary, is known here.
static bool isInnerGradient(const Function &Callee) {
  constexpr unsigned MaxCallee = 2000;
  return isGenerated(Callee) && isOrdinary(Callee) &&
         Callee.getInstructionCount() <= MaxCallee;
}

/// Whether the double \p V is the bits of a pointer.
static bool isMadeOfPointer(const Value *V) {
  if (auto *Cast = dyn_cast<BitCastInst>(V))
    return isa<PtrToIntInst>(Cast->getOperand(0));
  auto *Load = dyn_cast<LoadInst>(V);
  const Value *From = Load ? Load->getPointerOperand() : nullptr;
  return From && isa<AllocaInst>(From) &&
         any_of(From->users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->getPointerOperand() == From &&
                  Store->getValueOperand()->getType()->isPointerTy();
         });
}

/// Whether \p P is a pointer that is not only moved or compared.
static bool isFollowed(const User *P) {
  return P->getType()->isPointerTy() && any_of(P->users(), [&](const User *U) {
           return !isa<ICmpInst>(U) &&
                  (!isa<StoreInst>(U) || getLoadStorePointerOperand(U) == P);
         });
}

/// Whether the bits of the double \p V become such a pointer.
static bool becomesPointer(const Value &V) {
  return any_of(V.users(), [&](const User *U) {
    if (isa<BitCastInst>(U))
      return any_of(U->users(), [](const User *P) {
        return isa<IntToPtrInst>(P) && isFollowed(P);
      });
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && isa<AllocaInst>(Store->getPointerOperand()) &&
           any_of(Store->getPointerOperand()->users(), [](const User *P) {
             return isa<LoadInst>(P) && isFollowed(P);
           });
  });
}

/// Whether \p Call takes or gives a pointer as the bits of a double: on the
/// tape that has an ID, which leads to no shadow.
static bool passesPointerAsDouble(const CallBase &Call,
                                  const Function &Callee) {
  constexpr unsigned MaxCallee = 1000;
  if (isGenerated(Callee) || Callee.getInstructionCount() > MaxCallee)
    return false;
  if (any_of(Callee.args(), [](const Argument &A) {
        return A.getType()->isDoubleTy() && becomesPointer(A);
      }))
    return true;
  return Callee.getReturnType()->isDoubleTy() &&
         (becomesPointer(Call) || any_of(Callee, [](const BasicBlock &Block) {
            auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
            return Return && isMadeOfPointer(Return->getReturnValue());
          }));
}

/// Whether two-byte numbers go in and out of \p Callee as integers, in which
/// nothing tells them from others.
static bool passesBfloats(const Function &Callee) {
  constexpr unsigned MaxCallee = 1000;
  return !isGenerated(Callee) && Callee.getInstructionCount() <= MaxCallee &&
         passesBfloatsByHand(Callee);
}

/// Whether \p Call can be inlined into a clone that holds it.
static bool mayBeInlined(const CallBase &Call) {
  Function *Callee = Call.getCalledFunction();
  return Callee && !Callee->isDeclaration() && !Callee->isInterposable() &&
         !isMarkedInactive(*Callee) && !classifyCall(*Callee) &&
         !isEigenKernel(*Callee) && !isInert(Call) &&
         isInlineViable(*Callee).isSuccess();
}

/// Inlines the calls of \p F that \p IsWanted, until it has grown by
/// \p MaxGrowth instructions; returns by how many it has. Those that come with
/// their bodies are for the next round.
static unsigned inlineRound(Function &F,
                            function_ref<bool(const CallBase &)> IsWanted,
                            unsigned MaxGrowth) {
  SmallVector<CallBase *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && mayBeInlined(*Call) && IsWanted(*Call))
      Calls.push_back(Call);
  unsigned Grown = 0;
  for (CallBase *Call : Calls) {
    unsigned Size = Call->getCalledFunction()->getInstructionCount();
    if (Grown + Size > MaxGrowth)
      break;
    InlineFunctionInfo Info;
    if (InlineFunction(*Call, Info, /*MergeAttributes=*/true).isSuccess())
      Grown += Size;
  }
  return Grown;
}

/// Whether \p F is not large, and so is all that it calls, \p Depth calls deep:
/// a few operations of vectors, through variables in memory.
static bool isShallow(const Function &F, unsigned Depth) {
  constexpr unsigned MaxCallee = 200;
  return F.hasFnAttribute(Attribute::OptimizeNone) &&
         F.getInstructionCount() <= MaxCallee &&
         all_of(instructions(F), [&](const Instruction &I) {
           auto *Call = dyn_cast<CallBase>(&I);
           return !Call || isa<IntrinsicInst>(Call) || Call->isInlineAsm() ||
                  (Depth && Call->getCalledFunction() &&
                   isShallow(*Call->getCalledFunction(), Depth - 1));
         });
}

static void inlineCallees(Function &F, bool ForTape, bool Unoptimised) {
  constexpr unsigned MaxRounds = 6, MaxGrowth = 4000;
  unsigned Grown = 0;
  auto IsWanted = [&](const CallBase &Call) {
    const Function &Callee = *Call.getCalledFunction();
    return (Unoptimised && isSmall(Callee)) || takesTrampoline(Call) ||
           passesBfloats(Callee) ||
           (ForTape ? passesPointerAsDouble(Call, Callee)
                    : takesLocal(Call, Callee) || isInnerGradient(Callee));
  };
  for (unsigned Round = 0; Round != MaxRounds; ++Round) {
    unsigned Now = inlineRound(F, IsWanted, MaxGrowth - Grown);
    if (Now == 0)
      break;
    Grown += Now;
  }
  // The sum and the difference that round a number are functions of their own
  // in C++, as are masks of vectors and what they choose; nothing tells what
  // they are but all together.
  constexpr unsigned MaxDepth = 3;
  const bool Rounds = holdsMagicNumber(F);
  if (Unoptimised)
    for (unsigned Depth = MaxDepth; Depth--;)
      inlineRound(
          F,
          [&](const CallBase &Call) {
            return (Rounds || Call.getType()->isVectorTy()) &&
                   isShallow(*Call.getCalledFunction(), Depth);
          },
          std::numeric_limits<unsigned>::max());
}

/// A byval argument is a copy that the call makes. Made explicit, it is an
/// ordinary memcpy from the caller's object, which moves images as well.
static void copyByvalArguments(Function &F) {
  for (Argument &Arg : F.args()) {
    Type *T = Arg.getParamByValType();
    if (!T)
      continue;
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    AllocaInst *Copy = B.CreateAlloca(T, nullptr, Arg.getName() + ".copy");
    Copy->setAlignment(Arg.getParamAlign().valueOrOne());
    Arg.replaceAllUsesWith(Copy);
    B.SetInsertPoint(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    B.CreateMemCpy(Copy, Copy->getAlign(), &Arg, MaybeAlign(),
                   F.getDataLayout().getTypeAllocSize(T));
    F.removeParamAttr(Arg.getArgNo(), Attribute::ByVal);
  }
}

static bool isNamedBody(const Function &F) {
  static const StringSet<> Names = {
#define VERSO_BODY(NAME) NAME,
#include "rules/Bodies.def"
  };
  return Names.contains(F.getName());
}

bool verso::hasBodyOfOurs(const Function &F) {
  return isNamedBody(F) || isNumericalLibrary(F);
}

bool verso::replaceLibrary(Function &F, bool IsFlattened) {
  bool AnyAsks = false;
  replaceNumericalLibrary(F);
  followPlans(F, IsFlattened);
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration() || !isNamedBody(*Callee) ||
        (IsFlattened && executesPlan(*Callee)))
      continue;
    Function *Body = getSupportFunction(
        *F.getParent(), ("__verso_body_" + Callee->getName()).str());
    if (Body->getFunctionType() != Call->getFunctionType())
      continue;
    // What only cleans up does so for every language: C's would keep the body
    // from being inlined.
    if (Body->hasPersonalityFn() && F.hasPersonalityFn())
      Body->setPersonalityFn(F.getPersonalityFn());
    adoptStagedProducts(*F.getParent());
    AnyAsks |= Callee->getName().starts_with("_Fortran");
    Call->setCalledFunction(Body);
  }
  return AnyAsks;
}

/// A call that returns several reals at once is used element by element only,
/// so that each of them can have a rule.
static void takeResultsApart(Function &F, const TargetLibraryInfo *TLI) {
  SmallVector<CallInst *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && Operation::isTwoResultCall(*Call, TLI))
      Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    SmallVector<Use *, 4> Whole;
    for (Use &U : Call->uses())
      if (!isa<ExtractValueInst>(U.getUser()))
        Whole.push_back(&U);
    if (Whole.empty())
      continue;
    IRBuilder<> B(Call->getNextNode());
    Value *Rebuilt = PoisonValue::get(Call->getType());
    for (unsigned K = 0; K != Call->getType()->getStructNumElements(); ++K)
      Rebuilt = B.CreateInsertValue(Rebuilt, B.CreateExtractValue(Call, K), K);
    for (Use *U : Whole)
      U->set(Rebuilt);
  }
}

bool verso::answerIsDifferentiated(Function &F) {
  SmallVector<CallBase *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && Call->getCalledFunction() &&
        Call->getCalledFunction()->getName() == "verso_is_differentiated")
      Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), 1));
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Invoke);
    Call->eraseFromParent();
  }
  return !Calls.empty();
}

void verso::dropChecks(Function &F) {
  SmallVector<CallBase *, 4> Forks;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && (calls(*Call, RuntimeFunction::CheckFork) ||
                 calls(*Call, RuntimeFunction::CheckForkStructured)))
      Forks.push_back(Call);
  if (Forks.empty())
    return;
  for (CallBase *Fork : Forks) {
    replaceAndRecursivelySimplify(Fork, ConstantInt::get(Fork->getType(), 0));
    Fork->eraseFromParent();
  }
  for (BasicBlock &Block : F)
    ConstantFoldTerminator(&Block, /*DeleteDeadConditions=*/true);
  removeUnreachableBlocks(F);
}

/// Paths that only return get a return of their own: what has written nothing
/// to the tape then need not fetch its position and put it back.
static void separateReturns(Function &F) {
  constexpr unsigned MaxReturns = 4;
  SmallVector<ReturnInst *, 2> Returns;
  for (BasicBlock &Block : F)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
        Return && &*Block.getFirstNonPHIOrDbg() == Return &&
        !pred_empty(&Block) && pred_size(&Block) <= MaxReturns)
      Returns.push_back(Return);
  for (ReturnInst *Return : Returns) {
    BasicBlock *Block = Return->getParent();
    SmallVector<BasicBlock *, 4> From(predecessors(Block));
    if (From.size() < 2 || !all_of(From, [](BasicBlock *Pred) {
          return isa<BranchInst>(Pred->getTerminator());
        }))
      continue;
    for (BasicBlock *Pred : From) {
      if (!cast<BranchInst>(Pred->getTerminator())->isUnconditional())
        Pred = SplitEdge(Pred, Block);
      FoldReturnIntoUncondBranch(Return, Block, Pred);
    }
  }
}

void verso::prepareFunction(Function &F, FunctionAnalysisManager &FAM,
                            bool ForTape) {
  bool Unoptimised = F.hasFnAttribute(Attribute::OptimizeNone);
  dropRestrictions(F);
  forbidDirectIds(F);
  leaveRowsUnpacked(F);
  copyByvalArguments(F);
  removeUnreachableBlocks(F);
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(F);
  expandVariadics(F, TLI);
  if (Unoptimised || isOrdinary(F)) {
    inlineCallees(F, ForTape, Unoptimised || !ForTape);
    expandVariadics(F, TLI);
    dropRestrictions(F);
    removeUnreachableBlocks(F);
  }
  answerIsDifferentiated(F);
  dropChecks(F);
  serializeTeams(F);
  guardThreads(F);
  openEmptyAssembly(F);
  expandAtomicAssembly(F);
  expandProcessorOperations(F);
  loadPartsOfVectors(F);
  scalarizeMaskedAccesses(F);
  takeProductsApart(F);
  takeReductionsApart(F);
  if (ForTape)
    denyZeroTests(F);
  normalizeMath(F, TLI);
  const bool Merges = isOrdinary(F);
  if (Merges) {
    widenIndices(F);
    FunctionPassManager Simplify;
    Simplify.addPass(SROAPass(SROAOptions::PreserveCFG));
    Simplify.addPass(EarlyCSEPass());
    Simplify.addPass(JoinHalvesPass());
    Simplify.addPass(SignChangesPass());
    Simplify.addPass(LinearBitsPass());
    Simplify.addPass(InstCombinePass());
    Simplify.addPass(SimplifyCFGPass());
    Simplify.run(F, FAM);
    dropTrampolines(F);
  }
  joinPartsOfNumbers(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  FunctionPassManager Scalarize;
  Scalarize.addPass(ScalarizeVectorsPass());
  Scalarize.addPass(LoopSimplifyPass());
  Scalarize.addPass(LCSSAPass());
  if (ForTape && Merges) {
    Scalarize.addPass(HoistLoadsPass());
    Scalarize.addPass(UnrollRecurrencesPass());
  }
  // What forward mode checks before loops has to be certain to happen in them.
  if (!ForTape && Unoptimised)
    Scalarize.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  if (Merges) {
    Scalarize.addPass(EarlyCSEPass());
    Scalarize.addPass(InstCombinePass());
  }
  Scalarize.run(F, FAM);
  accessElementsApart(F, /*AlsoIntegers=*/true);
  FAM.invalidate(F, PreservedAnalyses::none());
  loadCaughtPointers(F);
  normalizeBits(F);
  detachMagicRoundings(F);
  normalizeMoves(F);
  if (ForTape) {
    chooseAsBits(F);
    exchangeAsIntegers(F);
  }
  guardUnseenWrites(F);
  renewMemory(F, ForTape);
  replaceLibrary(F, /*IsFlattened=*/false);
  takeResultsApart(F, TLI);
  if (ForTape && Merges)
    separateReturns(F);
  separateInvokes(F);
  removeUnreachableBlocks(F);
  markOverflows(F, TLI);
  markCutOffs(F, TLI);
  FAM.invalidate(F, PreservedAnalyses::none());
}

void verso::nameLibrary(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    StringRef Name = F.getName();
    if (!F.isDeclaration() || !Name.consume_front("__verso_library_"))
      continue;
    if (Function *Known = M.getFunction(Name)) {
      F.replaceAllUsesWith(Known);
      F.eraseFromParent();
    } else {
      F.setName(Name.str());
    }
  }
}
