//===- DirectionLoops.cpp - loops over directions -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop over directions may do. In the merged loop, of Width iterations,
//
//   - what does not depend on the results runs first, in its order;
//   - then the wide request reads and writes primals and tangents;
//   - then what depends on the results runs, in its order.
//
// So an access may change places with those of another kind, and must not meet
// them; a request's accesses must not meet those of the next one either.
//
//===----------------------------------------------------------------------===//

#include "forward/DirectionLoops.h"
#include "LLVMCompat.h"
#include "analysis/AddressRanges.h"
#include "analysis/Communication.h"
#include "forward/Footprint.h"
#include "forward/WideLoop.h"

#include "llvm/ADT/bit.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace verso;

/// Hand tracking takes as long in 16 directions as in 8 (benchmarks/README.md),
/// and a loop over few directions has more left over the more are merged.
static constexpr unsigned MostDirections = 8;

namespace {

/// Memory that something in the loop comes to, in all iterations.
struct Reach {
  /// The address in an iteration.
  const SCEV *Address;
  /// The bytes from there, or a range around it; neither if that is not known.
  const SCEV *Bytes = nullptr;
  std::optional<unsigned> Low = std::nullopt;
  /// For remarks.
  StringRef What;
};

class DirectionLoop {
public:
  DirectionLoop(Request &R, Loop &L, const Footprint &Found,
                FunctionAnalysisManager &FAM)
      : R(R), L(L), Found(Found), FAM(FAM), F(*R.Call->getFunction()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)) {}

  /// Whether the loop can be merged; what it takes is emitted then.
  bool prepare();
  const WideLoop &plan() const { return Plan; }
  StringRef why() const { return Why; }

private:
  bool refuse(const Twine &Reason) {
    Why = Reason.str();
    return false;
  }
  bool hasShape();
  bool findDependent();
  bool isMovable(const Instruction &I);
  bool collectBody();
  bool addBody(Instruction &I);
  bool collectRequest();
  bool mayWriteDirection(const Reach &Shadow);
  void findConflicts();
  void mustBeApart(const Reach &A, const Reach &B);
  Value *baseOf(const Reach &A) const;

  bool emitTest();
  std::optional<Interval> offsetsOf(const Reach &A);
  std::optional<Interval> rangeOf(const Reach &A);
  Value *bound(unsigned K);
  bool emitCopies(Value *&Test);
  Value *areLanesApart(const Reach &A);

  Request &R;
  Loop &L;
  const Footprint &Found;
  FunctionAnalysisManager &FAM;
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  AAResults &AA;
  std::string Why;
  WideLoop Plan;

  SmallPtrSet<const Instruction *, 8> Dependent; ///< On the results.
  SmallVector<Reach, 8> Results;                 ///< Stores of these.
  SmallVector<Reach, 8> Reads, Writes;           ///< The rest of the body.
  SmallVector<Reach, 8> PrimalReads, PrimalWrites;
  SmallVector<Reach, 8> Directions; ///< Tangents that the request reads,
  SmallVector<Reach, 8> Tangents;   ///< and that it writes.
  /// By arguments; Directions of the same indices that the body may write.
  SmallVector<std::pair<unsigned, Reach>, 2> Copied;
  SmallVector<std::pair<const Reach *, const Reach *>, 16> Conflicts;

  std::optional<AddressRanges> Bounds;
  Value *Numbers = nullptr; ///< What Found.Bounds returns.
};

} // namespace

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

bool DirectionLoop::hasShape() {
  if (!L.isLoopSimplifyForm() || !L.getExitBlock() || !L.getLoopLatch() ||
      L.getExitingBlock() != L.getLoopLatch())
    return refuse("the loop may end early");
  if (isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L)))
    return refuse("the number of iterations is not known before the loop");
  if (LI.getLoopFor(R.Call->getParent()) != &L ||
      !DT.dominates(R.Call->getParent(), L.getLoopLatch()))
    return refuse("not every iteration makes the request");
  Plan.Width = MostDirections;
  if (unsigned Most = SE.getSmallConstantMaxTripCount(&L))
    Plan.Width = std::min(Plan.Width, bit_floor(Most));
  if (Plan.Width < 2)
    return refuse("there is one iteration");
  return true;
}

/// Whether it may wait until the wide request has run.
bool DirectionLoop::isMovable(const Instruction &I) {
  if (LI.getLoopFor(I.getParent()) != &L ||
      !DT.dominates(I.getParent(), L.getLoopLatch()) || I.isTerminator() ||
      isa<PHINode>(I) || I.mayReadFromMemory())
    return false;
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store)
    return !I.mayHaveSideEffects();
  auto *Address = dyn_cast<Instruction>(Store->getPointerOperand());
  return Store->isSimple() && !(Address && Dependent.contains(Address));
}

bool DirectionLoop::findDependent() {
  SmallVector<Instruction *, 16> Work{R.Call};
  SmallVector<Instruction *, 16> All;
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users()) {
      auto *I = cast<Instruction>(U);
      if (!L.contains(I))
        continue;
      if (I == R.Call)
        return refuse("a direction depends on the tangents of another one");
      if (!Dependent.insert(I).second)
        continue;
      Work.push_back(I);
      All.push_back(I);
    }
  for (Instruction *I : All) {
    if (isa<PHINode>(I) && I->getParent() == L.getHeader())
      continue;
    if (!isMovable(*I))
      return refuse("the loop does more with the tangents than computing and "
                    "storing numbers");
    Plan.Later.push_back(I);
    if (auto *Store = dyn_cast<StoreInst>(I))
      Results.push_back(
          {SE.getSCEV(Store->getPointerOperand()),
           SE.getConstant(Type::getInt64Ty(F.getContext()),
                          F.getDataLayout().getTypeStoreSize(
                              Store->getValueOperand()->getType())),
           std::nullopt, "where the loop stores the results"});
  }
  return true;
}

/// An instruction of an iteration that does not wait for the results.
bool DirectionLoop::addBody(Instruction &I) {
  constexpr StringLiteral WhatIsRead = "what the loop reads",
                          WhatIsWritten = "what the loop writes";
  if (!I.mayHaveSideEffects() && !I.mayReadFromMemory())
    return true;
  if (const Value *P = getLoadStorePointerOperand(&I)) {
    if (I.isAtomic() || I.isVolatile())
      return refuse("the loop has volatile or atomic accesses");
    const SCEV *Bytes = SE.getConstant(
        Type::getInt64Ty(F.getContext()),
        F.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)));
    bool IsWrite = isa<StoreInst>(I);
    (IsWrite ? Writes : Reads)
        .push_back({SE.getSCEV(const_cast<Value *>(P)), Bytes, std::nullopt,
                    IsWrite ? WhatIsWritten : WhatIsRead});
    return true;
  }
  if (auto *Bulk = dyn_cast<MemIntrinsic>(&I); Bulk && !Bulk->isVolatile()) {
    const SCEV *Bytes = SE.getSCEV(Bulk->getLength());
    Writes.push_back(
        {SE.getSCEV(Bulk->getRawDest()), Bytes, std::nullopt, WhatIsWritten});
    if (auto *Copy = dyn_cast<MemTransferInst>(Bulk))
      Reads.push_back(
          {SE.getSCEV(Copy->getRawSource()), Bytes, std::nullopt, WhatIsRead});
    return true;
  }
  if (auto *II = dyn_cast<IntrinsicInst>(&I)) {
    if (II->isLifetimeStartOrEnd()) {
      Value *Object = II->getArgOperand(II->arg_size() - 1);
      Writes.push_back(
          {SE.getSCEV(Object), nullptr, std::nullopt, WhatIsWritten});
      return true;
    }
    if (II->isAssumeLikeIntrinsic())
      return true;
  }
  auto *Call = dyn_cast<CallBase>(&I);
  Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return refuse(Callee ? "the loop also calls '" + sourceName(*Callee) + "'"
                       : "the loop does other things too");
}

bool DirectionLoop::collectBody() {
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (&I != R.Call && !Dependent.contains(&I) && !addBody(I))
        return false;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (Found.MaySetErrno && mayComeToErrno(I, AA, SE))
        return refuse("the loop may look at errno, which the function may set");
  return true;
}

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

/// Whether iterations may find other numbers there than the one before.
bool DirectionLoop::mayWriteDirection(const Reach &Shadow) {
  Value *Base = baseOf(Shadow);
  return !Base || any_of(Writes, [&](const Reach &W) {
    Value *Written = baseOf(W);
    return !Written || AA.alias(MemoryLocation::getBeforeOrAfter(Base),
                                MemoryLocation::getBeforeOrAfter(Written)) !=
                           AliasResult::NoAlias;
  });
}

bool DirectionLoop::collectRequest() {
  for (const Footprint::Part &P : Found.Parts) {
    auto *Parameter = dyn_cast<Argument>(P.Base);
    RequestArgument *A =
        Parameter ? &R.Arguments[Parameter->getArgNo()] : nullptr;
    Value *Primal = A ? static_cast<Value *>(A->Primal) : P.Base;
    (P.IsWritten ? PrimalWrites : PrimalReads)
        .push_back({SE.getSCEV(Primal), nullptr, P.Low,
                    P.IsWritten ? "what the function writes"
                                : "what the function reads"});
    if (!A || A->Activity == ArgumentActivity::Const)
      continue;
    const SCEV *Shadow = SE.getSCEV(A->Shadow);
    if (P.IsWritten) {
      auto *E = dyn_cast<SCEVAddRecExpr>(Shadow);
      if (!E || E->getLoop() != &L || !E->isAffine() || !P.Low)
        return refuse("the requests may write tangents to the same memory");
      Tangents.push_back(
          {Shadow, nullptr, P.Low, "where the tangents of outputs go"});
      continue;
    }
    Reach Direction{Shadow, nullptr, P.Low, "the directions"};
    if (L.isLoopInvariant(A->Shadow) && mayWriteDirection(Direction))
      Copied.push_back({Parameter->getArgNo(), Direction});
    Directions.push_back(Direction);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What must not overlap
//===----------------------------------------------------------------------===//

/// What it points into; null if that is another object each time, perhaps.
Value *DirectionLoop::baseOf(const Reach &A) const {
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(A.Address));
  if (!Base || !SE.isLoopInvariant(Base, &L))
    return nullptr;
  return Base->getValue();
}

void DirectionLoop::mustBeApart(const Reach &A, const Reach &B) {
  Value *X = baseOf(A), *Y = baseOf(B);
  if (X && Y &&
      AA.alias(MemoryLocation::getBeforeOrAfter(X),
               MemoryLocation::getBeforeOrAfter(Y)) == AliasResult::NoAlias)
    return;
  // They begin together: nobody need ask at run time.
  auto Start = [](const SCEV *S) {
    while (auto *E = dyn_cast<SCEVAddRecExpr>(S))
      S = E->getStart();
    return S;
  };
  if (X && X == Y && Start(A.Address) == Start(B.Address))
    Why = (A.What + " overlaps " + B.What).str();
  Conflicts.push_back({&A, &B});
}

void DirectionLoop::findConflicts() {
  auto Cross = [&](ArrayRef<Reach> As, ArrayRef<Reach> Bs) {
    for (const Reach &A : As)
      for (const Reach &B : Bs)
        mustBeApart(A, B);
  };
  auto Within = [&](ArrayRef<Reach> As) {
    for (size_t K = 0; K != As.size(); ++K)
      for (size_t N = 0; N != K; ++N)
        mustBeApart(As[K], As[N]);
  };
  // Results are stored later.
  for (ArrayRef<Reach> Others :
       {ArrayRef(Reads), ArrayRef(Writes), ArrayRef(PrimalReads),
        ArrayRef(PrimalWrites), ArrayRef(Directions), ArrayRef(Tangents)})
    Cross(Results, Others);
  // What one request writes is nothing to the others, nor to the body.
  for (ArrayRef<Reach> Written : {ArrayRef(PrimalWrites), ArrayRef(Tangents)}) {
    Within(Written);
    for (ArrayRef<Reach> Others : {ArrayRef(Reads), ArrayRef(Writes),
                                   ArrayRef(PrimalReads), ArrayRef(Directions)})
      Cross(Written, Others);
  }
  Cross(PrimalWrites, Tangents);
  // What the body writes is not what requests read, but for directions of which
  // copies are made.
  Cross(Writes, PrimalReads);
  for (const Reach &Direction : Directions)
    if (none_of(Copied, [&](const auto &C) {
          return C.second.Address == Direction.Address;
        }))
      Cross(Writes, Direction);
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

/// A number that Found.Bounds returns, in 128 bits.
Value *DirectionLoop::bound(unsigned K) {
  IRBuilder<> &B = Bounds->builder();
  if (!Numbers) {
    SmallVector<Value *, 8> Arguments;
    for (const RequestArgument &A : R.Arguments)
      Arguments.push_back(A.Primal);
    Numbers = B.CreateCall(Found.Bounds, Arguments);
  }
  return B.CreateSExt(B.CreateExtractValue(Numbers, K), B.getInt128Ty());
}

std::optional<Interval> DirectionLoop::offsetsOf(const Reach &A) {
  IRBuilder<> &B = Bounds->builder();
  if (A.Low)
    return Interval{bound(*A.Low), bound(*A.Low + 1)};
  if (!A.Bytes)
    return std::nullopt;
  std::optional<Interval> Size = Bounds->interval(A.Bytes);
  if (!Size)
    return std::nullopt;
  return Interval{ConstantInt::get(B.getInt128Ty(), 0), Size->High};
}

std::optional<Interval> DirectionLoop::rangeOf(const Reach &A) {
  IRBuilder<> &B = Bounds->builder();
  Value *Base = baseOf(A);
  std::optional<Interval> Around = offsetsOf(A);
  if (!Base || !Around)
    return std::nullopt;
  std::optional<Interval> Offsets =
      Bounds->interval(SE.removePointerBase(A.Address));
  if (!Offsets)
    return std::nullopt;
  return Bounds->addresses(Base, {B.CreateAdd(Offsets->Low, Around->Low),
                                  B.CreateAdd(Offsets->High, Around->High)});
}

/// Whether tangents of one iteration lie apart from those of all others; null
/// if that is not known.
Value *DirectionLoop::areLanesApart(const Reach &A) {
  IRBuilder<> &B = Bounds->builder();
  auto *E = cast<SCEVAddRecExpr>(A.Address);
  std::optional<Interval> Step = Bounds->interval(E->getStepRecurrence(SE)),
                          Around = offsetsOf(A);
  if (!Step || !Around)
    return nullptr;
  Value *Size = B.CreateSub(Around->High, Around->Low);
  return B.CreateOr(B.CreateICmpSGE(Step->Low, Size),
                    B.CreateICmpSGE(B.CreateNeg(Step->High), Size));
}

/// Whether a function of the C library can be called by this name.
static bool isFree(StringRef Name, const Module &M) {
  const GlobalValue *Named = M.getNamedValue(Name);
  return !Named || (isa<Function>(Named) && !Named->hasLocalLinkage());
}

/// Each iteration has its own copy of a direction, of the bytes that the
/// function may read, as far as there are any: the size of the object is known.
bool DirectionLoop::emitCopies(Value *&Test) {
  IRBuilder<> &B = Bounds->builder();
  const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
  for (StringRef Name : {"malloc", "free"})
    if (!Copied.empty() && !isFree(Name, *F.getParent()))
      return refuse("'" + Name + "' is the name of something else here");
  for (auto &[Number, Direction] : Copied) {
    Value *Shadow = R.Arguments[Number].Shadow;
    ObjectSizeOffsetEvaluator Evaluator(F.getDataLayout(), &TLI,
                                        F.getContext());
    SizeOffsetValue Known = Evaluator.compute(Shadow);
    if (!Known.bothKnown())
      return refuse("the loop writes to a direction, and the size of that "
                    "memory is not known here");
    Value *Before = B.CreateSExt(Known.Offset, B.getInt128Ty()),
          *Size = B.CreateZExt(Known.Size, B.getInt128Ty());
    Interval Range{B.CreateNeg(Before), B.CreateSub(Size, Before)};
    // What is read lies in the object.
    if (Direction.Low)
      Range = Bounds->inBoth(
          Range, {bound(*Direction.Low), bound(*Direction.Low + 1)});
    Value *Bytes = B.CreateSub(Range.High, Range.Low);
    // To copy them takes no longer than the function does, or not long.
    constexpr uint64_t AtOnce = 16, AnyTime = 4096;
    Value *Most =
        B.CreateAdd(B.CreateMul(bound(Found.Accesses),
                                ConstantInt::get(B.getInt128Ty(), AtOnce)),
                    ConstantInt::get(B.getInt128Ty(), AnyTime));
    Test = B.CreateAnd(
        Test, B.CreateICmpSGE(Bytes, ConstantInt::get(Bytes->getType(), 0)));
    Test = B.CreateAnd(Test, B.CreateICmpSLE(Bytes, Most));
    Plan.Copies.push_back({Number, B.CreateTrunc(Range.Low, B.getInt64Ty()),
                           B.CreateTrunc(Bytes, B.getInt64Ty())});
  }
  return true;
}

bool DirectionLoop::emitTest() {
  constexpr unsigned MostConflicts = 256;
  if (Conflicts.size() > MostConflicts)
    return refuse("the loop comes to too many places");
  Bounds.emplace(SE, L.getLoopPreheader()->getTerminator());
  IRBuilder<> &B = Bounds->builder();
  Value *Test = B.getTrue();
  SmallDenseMap<const Reach *, Interval, 16> Ranges;
  auto RangeOf = [&](const Reach *A) -> std::optional<Interval> {
    auto It = Ranges.find(A);
    if (It != Ranges.end())
      return It->second;
    std::optional<Interval> I = rangeOf(*A);
    if (I) {
      Ranges[A] = *I;
      Test = B.CreateAnd(Test, Bounds->areAddresses(*I));
    }
    return I;
  };
  for (auto [X, Y] : Conflicts) {
    std::optional<Interval> I = RangeOf(X), J = RangeOf(Y);
    if (!I || !J)
      return refuse(X->What + " may overlap " + Y->What +
                    ", and where they begin and end is not known before the "
                    "loop");
    Test = B.CreateAnd(Test, Bounds->areApart(*I, *J));
  }
  for (const Reach &T : Tangents) {
    Value *Apart = areLanesApart(T);
    if (!Apart)
      return refuse("the requests may write tangents to the same memory");
    Test = B.CreateAnd(Test, Apart);
  }
  if (!emitCopies(Test))
    return false;
  if (Plan.Copies.empty() && match(Test, PatternMatch::m_One()))
    return true;
  // Not for nothing: there may be few iterations.
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (SE.getTypeSizeInBits(Count->getType()) <= 64)
    if (std::optional<Interval> I =
            Bounds->interval(SE.getNoopOrZeroExtend(Count, B.getInt64Ty())))
      Test = B.CreateAnd(
          Test, B.CreateICmpUGE(I->High, ConstantInt::get(B.getInt128Ty(),
                                                          Plan.Width - 1)));
  Plan.Test = Test;
  return true;
}

bool DirectionLoop::prepare() {
  if (!hasShape() || !findDependent() || !collectBody() || !collectRequest())
    return false;
  findConflicts();
  if (!Why.empty())
    return false;
  bool Emitted = emitTest();
  // One block: it is spliced in.
  if (auto *Call = cast_or_null<CallInst>(Numbers)) {
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
  return Emitted;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Whether the request has the same arguments in all iterations of \p L, which
/// are computed before it then, and so are tangents where that can be done.
static bool hasInvariantArguments(Request &R, Loop &L) {
  bool Changed = false;
  for (const RequestArgument &A : R.Arguments)
    if (A.Activity != ArgumentActivity::Const)
      L.makeLoopInvariant(A.Shadow, Changed);
  return all_of(R.Arguments, [&](const RequestArgument &A) {
    return L.makeLoopInvariant(A.Primal, Changed) &&
           (!A.Extent || L.makeLoopInvariant(A.Extent, Changed));
  });
}

/// What is varied by an iteration is all that a request of one direction needs
/// to know of it.
static bool isOfOneDirection(const Request &R) {
  return R.Kind == RequestKind::Jvp && R.Width == 1 && !R.IsInner &&
         !R.DeliversValue && R.ReturnVaries && !R.SretParameter &&
         !R.ResultPointer &&
         none_of(R.Primal->args(),
                 [](const Argument &A) { return A.hasByValAttr(); }) &&
         any_of(R.Arguments, [](const RequestArgument &A) {
           return A.Activity != ArgumentActivity::Const;
         });
}

/// Whether a request after \p L takes what is computed in it. Requests know
/// values, not operands, so it would take that of one copy of the body.
static bool isTakenByRequest(const Loop &L, const Request &Own,
                             ArrayRef<Request> All) {
  auto IsOfLoop = [&](const Value *V) {
    auto *I = dyn_cast_or_null<Instruction>(V);
    return I && L.contains(I);
  };
  return any_of(All, [&](const Request &R) {
    return &R != &Own && (IsOfLoop(R.Cotangent) || IsOfLoop(R.ResultPointer) ||
                          any_of(R.Arguments, [&](const RequestArgument &A) {
                            return IsOfLoop(A.Primal) || IsOfLoop(A.Shadow) ||
                                   IsOfLoop(A.Extent) ||
                                   any_of(A.OtherShadows, IsOfLoop);
                          }));
  });
}

/// Replaces the request's call by one whose operands are the tangents given, so
/// that copies of it say what theirs are, and then the primals: what is known
/// of memory here is asked of a function that still shows where its pointers
/// go.
static void replaceByMark(Request &R) {
  SmallVector<Value *, 8> Operands;
  SmallVector<Type *, 8> Types;
  for (const RequestArgument &A : R.Arguments)
    if (A.Activity != ArgumentActivity::Const) {
      Operands.push_back(A.Shadow);
      Types.push_back(Operands.back()->getType());
    }
  for (const RequestArgument &A : R.Arguments) {
    Operands.push_back(A.Primal);
    Types.push_back(Operands.back()->getType());
  }
  auto *Callee = Function::Create(
      FunctionType::get(R.Call->getType(), Types, false),
      GlobalValue::ExternalLinkage, "verso.direction", R.Call->getModule());
  if (auto *Invoke = dyn_cast<InvokeInst>(R.Call))
    R.Call = changeToCall(Invoke);
  auto *Mark = CallInst::Create(Callee, Operands, "", R.Call->getIterator());
  Mark->setDebugLoc(R.Call->getDebugLoc());
  R.Call->replaceAllUsesWith(Mark);
  eraseRequestCall(R);
  R.Call = Mark;
}

static void simplify(Loop &L, FunctionAnalysisManager &FAM) {
  Function &F = *L.getHeader()->getParent();
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  simplifyLoop(&L, &DT, &LI, &SE, &AC, nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, DT, &LI, &SE);
}

/// Merges what the loop around \p R asks for into \p Out; if that cannot be
/// done, \p R stays as it is.
static bool merge(Request &R, ArrayRef<Request> All, bool IsWanted,
                  FunctionAnalysisManager &FAM, Diagnostics &D,
                  std::vector<Request> &Out) {
  Function &F = *R.Call->getFunction();
  if (R.Kind != RequestKind::Jvp)
    return false;
  FAM.invalidate(F, PreservedAnalyses::none());
  Loop *L = FAM.getResult<LoopAnalysis>(F).getLoopFor(R.Call->getParent());
  if (!L)
    return false;
  allowUnrolling(*L);
  if (F.hasOptNone() || !isOfOneDirection(R))
    return false;
  std::string Name = sourceName(*R.Primal);
  auto Refuse = [&](StringRef Why) {
    D.remark(Remark::DirectionsNotMerged, *R.Call,
             "tangents of '" + Name +
                 "' are computed one direction at a time: " + Why +
                 "; verso_width, k after the function asks for k at once");
    return false;
  };
  if (!IsWanted)
    return Refuse("-verso-merge-directions=false is given");
  simplify(*L, FAM);
  if (!L->getLoopPreheader() || !hasInvariantArguments(R, *L))
    return false;
  if (isTakenByRequest(*L, R, All) || isTakenByRequest(*L, R, Out))
    return Refuse("another request takes what the loop computes");
  if (mayCommunicate(*R.Primal))
    return Refuse("others wait for each of them");
  Footprint Found = findFootprint(*R.Primal, FAM);
  if (!Found.Why.empty())
    return Refuse(Found.Why);
  replaceByMark(R);
  FAM.invalidate(F, PreservedAnalyses::none());
  L = FAM.getResult<LoopAnalysis>(F).getLoopFor(R.Call->getParent());
  simplify(*L, FAM);
  DirectionLoop Merged(R, *L, Found, FAM);
  bool CanMerge = Merged.prepare();
  Found.Bounds->eraseFromParent();
  if (!CanMerge) {
    Refuse(Merged.why());
  } else {
    D.remark(Remark::DirectionsMerged, *R.Call,
             "tangents of '" + Name + "' are computed in " +
                 Twine(Merged.plan().Width) + " directions at a time" +
                 (Merged.plan().Test ? ", if memory does not overlap" : ""));
    widen(R, *L, Merged.plan(), FAM, Out);
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  return CanMerge;
}

void verso::mergeDirections(std::vector<Request> &Requests, bool IsWanted,
                            FunctionAnalysisManager &FAM, Diagnostics &D) {
  std::vector<Request> Result;
  for (Request &R : Requests)
    if (!merge(R, Requests, IsWanted, FAM, D, Result))
      Result.push_back(R);
  Requests = std::move(Result);
}
