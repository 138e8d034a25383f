//===- GradientBody.cpp - both sweeps of a request ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/GradientBody.h"
#include "Diagnostics.h"
#include "analysis/CallModel.h"
#include "analysis/EarlierPointers.h"
#include "emit/BuilderAfter.h"
#include "emit/Companion.h"
#include "emit/KeptBlocks.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "request/NamedArguments.h"
#include "request/RequestResult.h"
#include "rules/Detached.h"
#include "structured/Adjoints.h"
#include "structured/AliasScopes.h"
#include "structured/CarriedNumbers.h"
#include "structured/Choices.h"
#include "structured/DeadStores.h"
#include "structured/EqualChoices.h"
#include "structured/InvariantLoads.h"
#include "structured/JoinedPieces.h"
#include "structured/KindMarks.h"
#include "structured/LastChoices.h"
#include "structured/MappedConstants.h"
#include "structured/RectoValues.h"
#include "structured/Releasers.h"
#include "structured/Replays.h"
#include "structured/Residuals.h"
#include "structured/Reversal.h"
#include "structured/ShadowPointers.h"
#include "structured/TypedCopies.h"
#include "structured/TypedMoves.h"
#include "structured/UndoneStores.h"
#include "structured/WidenedHalves.h"
#include "structured/memory/ApartNests.h"
#include "structured/memory/NumberCopies.h"
#include "structured/memory/Objects.h"
#include "structured/memory/Unchanged.h"
#include "structured/memory/Varied.h"
#include "structured/parts/CutInTwo.h"
#include "structured/parts/Parts.h"
#include "structured/recursion/Recursion.h"
#include "structured/team/CarriedLoads.h"
#include "verso/Layout.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Both sweeps
//===----------------------------------------------------------------------===//

/// The seed of the returned value; null if it has none.
Value *GradientBody::seedOf(Value *Returned) {
  if (!Returned || !holdsReal(Returned->getType()))
    return nullptr;
  if (R.Cotangent)
    return Work.cotangent();
  Type *T = Returned->getType();
  return T->isFloatingPointTy() ? ConstantFP::get(T, 1) : nullptr;
}

/// -0.0, which adjoints start from, becomes 0.0.
static Value *plusZero(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  if (T->isFPOrFPVectorTy())
    return B.CreateFAdd(V, ConstantFP::get(T, 0.0));
  if (!isa<StructType, ArrayType>(T))
    return V;
  for (unsigned K = 0, E = T->isArrayTy() ? T->getArrayNumElements()
                                          : T->getStructNumElements();
       K != E; ++K)
    V = B.CreateInsertValue(V, plusZero(B, B.CreateExtractValue(V, K)), K);
  return V;
}

/// The real numbers of \p V, as doubles.
static void appendReals(IRBuilderBase &B, Value *V,
                        SmallVectorImpl<Value *> &Reals) {
  Type *T = V->getType();
  if (T->isFloatingPointTy()) {
    Reals.push_back(B.CreateFPCast(V, B.getDoubleTy()));
  } else if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    for (unsigned K = 0; K != Vector->getNumElements(); ++K)
      appendReals(B, B.CreateExtractElement(V, K), Reals);
  } else if (isa<StructType, ArrayType>(T)) {
    for (unsigned K = 0, E = T->isArrayTy() ? T->getArrayNumElements()
                                            : T->getStructNumElements();
         K != E; ++K)
      appendReals(B, B.CreateExtractValue(V, K), Reals);
  }
}

/// -verso-check: what has no place in memory is handed over.
void GradientBody::emitComparison(IRBuilderBase &B,
                                  ArrayRef<Value *> Derivatives, Value *Seed) {
  auto Spread = [&](ArrayRef<Value *> Values) {
    SmallVector<Value *, 8> Reals;
    for (Value *V : Values)
      appendReals(B, V, Reals);
    IRBuilder<> Entry(&W->getEntryBlock(), W->getEntryBlock().begin());
    Value *Array =
        Entry.CreateAlloca(B.getDoubleTy(), Entry.getInt32(Reals.size()));
    for (auto [K, X] : enumerate(Reals))
      inert(B.CreateStore(X, B.CreateConstGEP1_32(B.getDoubleTy(), Array, K)));
    return std::pair<Value *, Value *>(Array, B.getInt32(Reals.size()));
  };
  auto [Given, Count] = Spread(Derivatives);
  auto [Seeds, SeedCount] =
      Spread(Seed ? ArrayRef<Value *>(Seed) : ArrayRef<Value *>());
  Value *Where = emitLocation(B, *R.Call);
  callRuntime(B, RuntimeFunction::CheckStructured,
              {Where, Given, Count, Seeds, SeedCount});
}

/// What the request returns, at the end of the verso.
void GradientBody::emitEnd(BasicBlock &End, Value *Returned, Adjoints &A) {
  IRBuilder<> B(&End);
  SmallVector<Value *, 8> Results;
  if (R.DeliversValue && Returned)
    Results.push_back(Returned);
  for (const GradientFunction::Out &O : Work.outs())
    if (O.Shadow)
      Results.push_back(B.CreateLoad(O.T, O.Shadow));
    else if (A.isActive(O.Argument))
      Results.push_back(plusZero(B, A.take(B, O.Argument)));
    else
      Results.push_back(Constant::getNullValue(O.T));
  if (Check)
    emitComparison(B, ArrayRef<Value *>(Results).take_back(Work.outs().size()),
                   seedOf(Returned));
  Releases.emit(End);
  if (R.ResultType->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(packResults(B, Results, R.ResultType));
}

/// Whether it reads, or copies, numbers that the caller may watch; \p
/// OrArguments with a shadow, which is an error that the tape's requests find.
bool GradientBody::readsWatchable(const Objects &O, bool OrArguments) const {
  for (Instruction &I : instructions(*W)) {
    const Value *From = nullptr;
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Load->getType()->isFloatingPointTy())
      From = Load->getPointerOperand();
    else if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
      From = Copy->getRawSource();
    if (From && O.leadsBehindTable(From))
      return true;
    if (From && any_of(O.placesOf(From), [&](const Place &P) {
          const Object &Q = O[P.Object];
          auto *Call = dyn_cast_or_null<CallBase>(Q.Base);
          return (!Q.isLocal() || (Call && isKept(*Call))) &&
                 (OrArguments || Q.K != Object::Dup) && Q.K != Object::Table &&
                 Q.K != Object::Text;
        }))
      return true;
  }
  return false;
}

void GradientBody::markScopes(const VariedMemory &V, const Adjoints &A,
                              const Residuals &K, ShadowPointers &Shadows,
                              const UndoneStores &Undone) {
  AliasScopes Scopes(W->getContext(), V.objects());
  auto MarkProgram = [&](Instruction &I, const Instruction &Original) {
    Scopes.mark(I, AliasScopes::Program);
    if (const Value *P = getLoadStorePointerOperand(&Original))
      Scopes.markObjects(I, P);
  };
  auto MarkAdjoint = [&](Instruction &I, const Value *P) {
    Scopes.mark(I, AliasScopes::Adjoint);
    if (!V.mayShareCells(P))
      Scopes.markObjects(I, P);
  };
  for (const Adjoints::Access &Access : A.accesses())
    MarkAdjoint(*Access.I, Access.Pointer);
  for (auto [I, To] : Shadows.watched().cleared())
    MarkAdjoint(*I, To);
  for (Instruction *I : K.accesses())
    Scopes.mark(*I, AliasScopes::Column);
  for (Instruction *I : K.reloads()) {
    const Instruction *Original = K.originals().lookup(I);
    if (!Shadows.isOurs(Original))
      MarkProgram(*I, *Original);
  }
  for (auto [I, Store] : Undone.accesses())
    MarkProgram(*I, *Store);
  for (Instruction *I : ProgramAccesses)
    MarkProgram(*I, *I);
}

/// if (condition) fail()
void GradientBody::failIf(Instruction &Condition, StringRef Reason,
                          const Instruction *Cause) {
  Instruction *Then = SplitBlockAndInsertIfThen(
      &Condition, Condition.getNextNode(), /*Unreachable=*/false);
  IRBuilder<> B(Then);
  const Instruction *At = Cause ? Cause : &Condition;
  if (!At->getDebugLoc() || !At->getDebugLoc().getLine())
    At = R.Call;
  CallInst *Fail = callRuntime(
      B, RuntimeFunction::Fail,
      {B.CreateGlobalString(Reason, "verso.reason"), emitLocation(B, *At)});
  // What ends the program may read what it left, but changes nothing: loads of
  // pointers leave loops past it.
  Fail->setMemoryEffects(MemoryEffects::readOnly() |
                         MemoryEffects::inaccessibleMemOnly());
}

void GradientBody::refuseLosses(const Adjoints &A, const ShadowPointers &P) {
  for (const Adjoints::Loss &L : A.losses())
    failIf(*L.Condition, L.Why, L.At);
  for (const ShadowPointers::Loss &L : P.losses())
    failIf(*L.Condition, L.Why);
}

/// if (shadow == argument && argument) fail(), where adjoints are. An outer
/// request would lose what it knows of arguments.
void GradientBody::refuseOwnShadows(const Objects &O, const Adjoints &A) {
  if (R.IsInner)
    return;
  BitVector Touched(O.size());
  auto Touch = [&](const Value *P) {
    for (const Place &Q : O.placesOf(P))
      Touched.set(Q.Object);
  };
  for (const Adjoints::Access &Access : A.accesses())
    Touch(Access.Pointer);
  for (Instruction &I : instructions(*W))
    if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
      Touch(Copy->getRawDest());
      Touch(Copy->getRawSource());
    }
  for (Value *Argument : Work.dups()) {
    if (none_of(O.placesOf(Argument),
                [&](const Place &Q) { return Touched.test(Q.Object); }))
      continue;
    Value *Shadow = Work.shadows().lookup(Argument);
    auto GivenFor = [&](Value *V) {
      auto *A = dyn_cast<llvm::Argument>(V);
      return A ? Work.passed()[A->getArgNo()] : V;
    };
    if (areInTwoObjects(GivenFor(Argument), GivenFor(Shadow)))
      continue;
    IRBuilder<> B(&*W->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value *Same = B.CreateICmpEQ(Shadow, Argument);
    if (auto *Condition = dyn_cast<Instruction>(
            B.CreateAnd(Same, B.CreateIsNotNull(Argument))))
      failIf(*Condition, "the shadow of an argument is the argument itself: "
                         "derivatives would be added to the values; give "
                         "memory of its own, or mark it verso_const");
  }
}

void GradientBody::refuseNamedArguments() {
  if (R.Named.empty())
    return;
  const SmallVector<Value *, 8> Primals = Work.primals();
  IRBuilder<> B(&*W->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  compareNamedArguments(
      R, B, [&](unsigned K) { return Primals[K]; },
      [&](Value *Condition, StringRef Message) {
        if (auto *I = dyn_cast<Instruction>(Condition))
          failIf(*I, Message, R.Call);
      });
}

/// if (pointer - argument < size && shadow == pointer) fail()
void GradientBody::refuseEarlierPointers(const VariedMemory &V,
                                         ShadowPointers &Pointers) {
  for (const EarlierPointer &Each : Earlier) {
    auto *Load = dyn_cast_or_null<LoadInst>(Each.Load);
    if (!Load)
      continue;
    Value *Shadow = V.isShadowed(Load) ? Pointers.get(Load) : Load;
    auto *Last = dyn_cast<Instruction>(Shadow);
    for (auto [Argument, Bytes] : Work.extents()) {
      BuilderAfter B(Last ? *Last : *Load);
      Value *Fails = B.getFalse();
      for (ByteRange Range : Each.Ranges)
        Fails = B.CreateOr(Fails, overlap(B, Load, Range, Argument, Bytes));
      if (Shadow != Load)
        Fails = B.CreateAnd(Fails, B.CreateICmpEQ(Shadow, Load));
      if (auto *Condition = dyn_cast<Instruction>(Fails))
        failIf(*Condition, VERSO_EARLIER_POINTER);
    }
  }
}

/// begin() ... end(), on every way out.
void GradientBody::addRuntimeCalls(ShadowPointers &Pointers,
                                   const MappedConstants &Mapped,
                                   const KindMarks &Marks) {
  IRBuilder<> B(&*W->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  // Those of the request before, or of one that an inactive function made, are
  // not this one's.
  const bool Clears = !IsWatched && !AsksForWatched && !R.IsInner &&
                      !R.IsOfKernel &&
                      W->getParent()->getFunction("verso_watch");
  if (AsPart) {
    if (Mapped.any() || Marks.any() || Pointers.movesPointers())
      Refused.add("a function that is called in several places moves pointers, "
                  "or bytes that may be a number");
    return;
  }
  if (!UsesArena && !ReadsWatchable && !Mapped.any() && !Marks.any() &&
      !IsWatched && !Clears)
    return;
  Value *Where = emitLocation(B, *R.Call);
  if (ReadsWatchable)
    callRuntime(B, RuntimeFunction::RefuseWatched, {Where});
  if (Clears) // An exception may leave where there is no way out.
    callRuntime(B, RuntimeFunction::ClearWatched, {});
  Value *Mark = UsesArena ? callRuntime(B, RuntimeFunction::ArenaBegin, {Where})
                          : nullptr;
  for (BasicBlock &Block : *W) {
    Instruction *Way = wayOut(Block);
    if (isa<ReturnInst>(Block.getTerminator()))
      Way = Block.getTerminator();
    if (!Way)
      continue;
    B.SetInsertPoint(Way);
    if (Pointers.movesPointers() && isa<ReturnInst>(Way))
      Pointers.followPointers(B, Mark);
    if (Mapped.any())
      Mapped.end(B);
    if (IsWatched)
      WatchedMemory::end(B);
    if (Clears)
      callRuntime(B, RuntimeFunction::ClearWatched, {});
    if (Marks.any())
      Marks.end(B);
    if (Mark)
      callRuntime(B, RuntimeFunction::ArenaEnd, {Mark});
  }
}

/// Whether something has to be recorded only because two arguments may overlap.
bool GradientBody::gainsByDisjointness(const Unchanged &Memory) const {
  auto ArgumentOf = [&](const Instruction &I) -> const Value * {
    const Value *P = getLoadStorePointerOperand(&I);
    if (auto *Bulk = dyn_cast<MemIntrinsic>(&I))
      P = Bulk->getRawDest();
    SmallVector<const Value *, 4> Bases;
    if (P)
      getUnderlyingObjects(P, Bases, nullptr, /*MaxLookup=*/0);
    auto *A = Bases.size() == 1 ? dyn_cast<llvm::Argument>(Bases[0]) : nullptr;
    return A && is_contained(Disjoint.Arguments, A->getArgNo()) ? A : nullptr;
  };
  return any_of(Memory.known(), [&](const auto &Known) {
    auto [Load, Write] = Known;
    const Value *Read = Write ? ArgumentOf(*Load) : nullptr;
    const Value *Written = Read ? ArgumentOf(*Write) : nullptr;
    return Written && Written != Read;
  });
}

/// A remark for each value that is recorded.
void GradientBody::explain(Residuals &K) {
  if (!OptimizationRemarkEmitter(W).allowExtraAnalysis("verso"))
    return;
  Diagnostics D(W->getContext());
  for (Instruction *I : K.recorded())
    D.remark(Remark::ResidualRecorded, *I,
             "recorded for the reverse sweep, " +
                 Twine(W->getDataLayout().getTypeStoreSize(I->getType())) +
                 " bytes each time: " + K.whyRecorded(*I));
}

/// Where parts are called, and, of a part, where it returns: others may write
/// to memory before its verso runs.
void GradientBody::putStandIns() {
  How.Split->standIn(*W);
  if (AsPart)
    for (BasicBlock &Block : *W)
      if (isa<ReturnInst>(Block.getTerminator()))
        AsPart->Its.overwriteLater(Uses->OverwrittenLater, Work.primals(),
                                   *Block.getTerminator());
  FAM.invalidate(*W, PreservedAnalyses::none());
}

void GradientBody::differentiate() {
  RecursionBy Ways = How;
  Ways.IsInitialised &= MayAssume;
  Assumed = flatten(
      *W, FAM, MayAssume ? Work.passed() : ArrayRef<Value *>(), Ways,
      /*IsAlone=*/!R.IsInner && !How.Kept && !How.Split && !IsWatched, Refused);
  if (Refused)
    return;
  if (How.Split)
    putStandIns();
  if (widenHalves(*W, &FAM.getResult<TargetLibraryAnalysis>(*W)))
    FAM.invalidate(*W, PreservedAnalyses::none());
  // Variables that the last loop passes made registers of.
  // It keeps no LCSSA form: a sum that threads share is used behind its loop.
  FAM.invalidate(*W, PromotePass().run(*W, FAM));
  FAM.invalidate(*W, LCSSAPass().run(*W, FAM));
  if (loadCarriedAgain(FAM.getResult<LoopAnalysis>(*W),
                       FAM.getResult<DominatorTreeAnalysis>(*W),
                       FAM.getResult<ScalarEvolutionAnalysis>(*W)))
    FAM.invalidate(*W, PreservedAnalyses::none());
  bool AnyEqual = replaceEqualPhis(FAM.getResult<LoopAnalysis>(*W));
  AnyEqual |= replaceEqualChoices(*W, FAM.getResult<DominatorTreeAnalysis>(*W),
                                  FAM.getResult<LoopAnalysis>(*W));
  if (AnyEqual)
    FAM.invalidate(*W, PreservedAnalyses::none());
  LastChoices Last(*W, FAM);
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(*W);
  auto &LI = FAM.getResult<LoopAnalysis>(*W);
  dropScopesOfIterations(*W, LI);
  std::optional<ApartNests> Nests;
  // An outer request follows what an inner one does.
  if (!How.Kept && !R.IsInner) {
    Nests.emplace(LI, FAM.getResult<DominatorTreeAnalysis>(*W),
                  FAM.getResult<ScalarEvolutionAnalysis>(*W),
                  FAM.getResult<AAManager>(*W), TLI);
    if (!ApartAtEntry.empty()) {
      Nests->version(ApartAtEntry);
      auto Left = PreservedAnalyses::all();
      Left.abandon<ScalarEvolutionAnalysis>();
      FAM.invalidate(*W, Left);
    }
  }
  if (Refused.hasChoice() && isLittleBetweenCalls(*W, LI))
    return Refused.add("it is recursive and does little between calls, which a "
                       "tape does faster");
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(*W);
  // What members read is not known there.
  if (!IsFaster && !How.Kept && !How.Split && ApartAtEntry.empty())
    Disjoint = findDisjointArguments(
        *W, Work.shadows(), FAM.getResult<ScalarEvolutionAnalysis>(*W), TLI);
  Slots S(*W);
  // A part may be called any number of times: what it allocates is not kept.
  if (!AsPart)
    Releases.defer(*W, LI, DT, TLI, S, /*MayList=*/!R.IsInner);
  Work.prepareOuts();
  SmallVector<Value *, 8> Dups =
      IsWatched ? WatchedMemory::roots(*W) : Work.dups();
  SmallVector<Value *, 4> Loaded;
  if (AsPart) {
    for (auto [P, Role] : zip(Work.primals(), Uses->Roles))
      if (Role == PartUses::PerhapsShadowed)
        Loaded.push_back(P);
    erase_if(Dups, [&](Value *P) { return is_contained(Loaded, P); });
  }
  joinPieces(*W, FAM.getResult<AAManager>(*W),
             [&] { return Objects(*W, Dups, TLI, Loaded); });
  {
    const Objects Before(*W, Dups, TLI, Loaded);
    forgetContradictedCopies(*W, Before);
    typeMoves(*W, Before, FAM.getResult<ScalarEvolutionAnalysis>(*W));
  }
  typeCopies(*W, Dups, FAM.getResult<ScalarEvolutionAnalysis>(*W), TLI);
  Objects O(*W, Dups, TLI, Loaded);
  if (!O.isComplete())
    return Refused.add("too many pointers are stored in memory");
  if (How.KeepsReleases)
    Releasers(TLI).refuseOtherTargets(*W, O, Refused);
  if (Refused)
    return;
  bool IsSeeded = R.Cotangent || W->getReturnType()->isFloatingPointTy();
  // Members, and outer requests, do not know of such windows.
  bool MayMap = !How.Kept && !How.Split && !R.IsInner;
  VariedMemory V(*W, O, Work.varied(), IsSeeded, MayMap, IsWatched, FAM,
                 Refused);
  refuseSumsOfHalves(*W, V, &LI, Refused);
  if (Refused)
    return;
  bool Watches = W->getParent()->getFunction("verso_watch");
  if (!R.IsOfKernel && !IsWatched && !AsPart &&
      (How.Kept || readsWatchable(O, /*OrArguments=*/Watches))) {
    if (Watches && !MayAssume && !AsksForWatched)
      return Refused.add("the program watches memory");
    ReadsWatchable = !Watches;
    AsksForWatched |= Watches;
  }
  for (Instruction &I : instructions(*W)) {
    if (isa<LoadInst, StoreInst, MemIntrinsic>(I) && !isInert(I) &&
        !isStandIn(I) && !S.owns(I) &&
        none_of(Work.outs(),
                [&](const GradientFunction::Out &O) { return O.Clear == &I; }))
      ProgramAccesses.push_back(&I);
    if (auto *Call = dyn_cast<CallBase>(&I))
      UsesArena |= isFrame(*Call);
  }
  auto Allocate = [&](IRBuilderBase &B, Value *Bytes) -> Value * {
    UsesArena = true;
    CallInst *Block = callRuntime(B, RuntimeFunction::ArenaTake, {Bytes});
    Block->addRetAttr(Attribute::NoAlias);
    markWrittenFirst(*Block);
    B.CreateMemSet(Block, B.getInt8(0), Bytes, Align(64));
    return Block;
  };
  for (Instruction &I : instructions(*W))
    if (auto *Call = dyn_cast<CallBase>(&I))
      UsesArena |= calls(*Call, RuntimeFunction::ArenaTake);
  MappedConstants Mapped(*W, V, *R.Call);
  KindMarks Marks(*W, V, *R.Call);
  ShadowPointers Pointers(*W, V, Work.shadows(), Allocate, &Mapped, TLI, S,
                          Refused);
  if (IsWatched)
    Pointers.watched().begin();
  // What stands in for a call of a part says what it does.
  auto IsOurs = [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return S.owns(I) || (Call && isPartCall(*Call));
  };
  {
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*W);
    Unchanged Memory(*W, FAM.getResult<AAManager>(*W), LI, SE, O, TLI, IsOurs);
    auto Left = PreservedAnalyses::all();
    Left.abandon<ScalarEvolutionAnalysis>();
    if (hoistInvariantLoads(LI, DT, SE, Memory))
      FAM.invalidate(*W, Left);
  }
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*W);
  Unchanged Memory(*W, FAM.getResult<AAManager>(*W), LI, SE, O, TLI, IsOurs);
  if (Nests && ApartAtEntry.empty())
    Nests->findRepeatable(Memory);
  Adjoints A(V, Pointers, S, Refused);
  A.setInner(R.IsInner);
  A.setMarks(&Marks);
  if (How.Kept) {
    Gradients.build(*W, V, Memory);
    A.reverseCallsBy([&](CallBase &Call, IRBuilderBase &B) {
      Gradients.reverse(Call, B, Pointers, A);
    });
  }
  std::optional<PartGradients::Calls> Calls;
  if (How.Split) {
    Calls.emplace(*OfParts);
    Calls->note(*W, V, Memory, Refused);
    A.reverseCallsBy([&](CallBase &Call, IRBuilderBase &B) {
      Calls->reverse(Call, B, Pointers, A);
    });
  }
  Reversal Reversed(*W, LI, DT, SE, S, Refused);
  if (Refused)
    return;
  UndoneStores Undone(*W, O, Memory, LI, Reversed, S);
  // What members read is not known there; an outer request would follow the
  // numbers through the log.
  const bool MayUndo = !How.Kept && !How.Split && !R.IsInner;
  if (MayUndo)
    A.setStoreBegins(
        [&](StoreInst &Store, IRBuilderBase &B) { Undone.addPlace(Store, B); });
  append_range(Earlier, earlierPointers(*W));
  ReversedCode Code;
  Choices Chosen(V, LI);
  CarriedNumbers Carried(V, LI);
  Code.Block = [&](BasicBlock &Block, IRBuilderBase &B) {
    auto Parts = Chosen.parts(Block);
    // An outer request differentiates what the multiples are computed from.
    auto Chains = R.IsInner ? SmallVector<Choices::Part, 1>()
                            : Carried.chains(Block, Parts);
    A.reverseBlock(Block, B, {Parts, Chains},
                   [&] { return Reversed.addBlock(Block); });
  };
  Code.TakePhis = [&](BasicBlock &Block, IRBuilderBase &B) {
    A.takePhis(Block, B);
  };
  Code.GiveToPredecessor = [&](BasicBlock &Block, BasicBlock &From,
                               IRBuilderBase &B) {
    A.giveToPredecessor(Block, From, B);
  };
  Code.ResultsOfLoop = [&](Loop &L, BasicBlock &Exit, BasicBlock &Exiting) {
    return Chosen.results(L, Exit, Exiting);
  };
  Code.IsZero = [&](Instruction &X, IRBuilderBase &B) {
    return A.isZero(B, &X);
  };
  Code.Clear = [&](Instruction &X, IRBuilderBase &B) { A.clear(B, &X); };
  Reversed.emit(Code);
  if (Nests)
    Nests->tellShadowsApart(A, V, Pointers, Reversed);
  Pointers.checkStrangers();
  Pointers.refuseThrownPointers();
  Pointers.mirrorStores();
  if (Refused)
    return;
  ReturnInst *Return = Reversed.returnOfRecto();
  Value *Returned = Return->getReturnValue();
  IRBuilder<> Start(Reversed.start(), Reversed.start()->begin());
  emitEnd(*Reversed.end(), Returned, A);
  A.start(Start, Returned, seedOf(Returned));
  Last.useResultsOfLoops();
  Returned = Return->getReturnValue();
  useRectoValues(Reversed, A.ofRecto(), LI, TLI);
  Reversed.leaveOutIdleLoops();
  // Calls of members are reversed one by one; the recto notes pages.
  const bool MayReplay = !How.Kept && !How.Split && !IsWatched &&
                         !V.mapsConstants() && !V.copiesUntyped() &&
                         !V.marksAny();
  Replays Replayed(*W, LI, Reversed, O, Memory, Pointers, S);
  Residuals Kept(*W, LI, Reversed, Pointers, Memory, S, Refused,
                 MayUndo ? &Undone : nullptr, MayReplay ? &Replayed : nullptr);
  Kept.place();
  if (Refused)
    return;
  Undone.finish();
  UsesArena |= How.Split || Kept.usesArena() || Undone.usesArena() ||
               Gradients.usesArena() || Pointers.movesPointers() ||
               Marks.usesArena();
  Recorded = Kept.countKept();
  if (!gainsByDisjointness(Memory))
    Disjoint.Arguments.clear();
  if (Nests) {
    if (ApartAtEntry.empty())
      GainingNests = Nests->gaining(Memory, Kept.recorded());
    RecordedInNests = Nests->countIn(
        ApartAtEntry.empty() ? GainingNests : ApartAtEntry, Kept.recorded());
  }
  if (!IsFaster)
    explain(Kept);
  if (AsPart) {
    IRBuilder<> B(Return);
    emitBoundary(B, Returned);
  }
  ReplaceInstWithInst(Return, BranchInst::Create(Reversed.start()));
  if (IsWatched)
    Pointers.watched().clearStored(ProgramAccesses, V,
                                   [&](Value *P) { return Pointers.get(P); });
  markScopes(V, A, Kept, Pointers, Undone);
  refuseLosses(A, Pointers);
  if (!AsPart) {
    refuseOwnShadows(O, A);
    refuseNamedArguments();
  }
  refuseEarlierPointers(V, Pointers);
  Mapped.follow(ProgramAccesses,
                [&](Instruction &Condition, StringRef Why,
                    const Instruction &At) { failIf(Condition, Why, &At); });
  Marks.follow(ProgramAccesses);
  // The value may be that of such a call.
  WeakTrackingVH Delivered(R.DeliversValue ? Returned : nullptr);
  Gradients.replaceCalls();
  if (Calls) {
    Calls->replaceCalls();
    eraseStandIns(*W);
  }
  deleteDeadStores(*W, O, Delivered, ProgramAccesses, Gradients.readByCalls(),
                   Kept.originals());
  Replayed.leaveOutRectos();
  Releases.emitWhereExceptionsLeave(*W);
  addRuntimeCalls(Pointers, Mapped, Marks);
  forgetPieces(*W);
  forgetFrames(*W);
  removeUnreachableBlocks(*W);
  S.promote();
  if (!ApartAtEntry.empty()) {
    Nests->tellTablesApart(*W);
    dropScopesOutsideNests(*W);
  }
  dropMarksOfNests(*W);
}

/// The function that computes the request; null if it was refused.
Function *GradientBody::generate() {
  differentiate();
  if (Refused) {
    Releases.discard();
    Work.discard(FAM);
    return nullptr;
  }
  Function *Gradient = Work.finish(FAM);
  if (!verifyFunction(*Gradient))
    return Gradient;
  // Rather the tape than what nobody can foresee.
  Refused.add("the code that was made for it is not valid, which is a fault of "
              "Verso: please report it");
  Releases.discard();
  Gradient->eraseFromParent();
  return nullptr;
}
