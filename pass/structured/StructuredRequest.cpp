//===- StructuredRequest.cpp - a request by reversed control flow ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/StructuredRequest.h"
#include "Diagnostics.h"
#include "analysis/CallModel.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "request/RequestResult.h"
#include "structured/Adjoints.h"
#include "structured/AliasScopes.h"
#include "structured/DeadStores.h"
#include "structured/DisjointArguments.h"
#include "structured/Flatten.h"
#include "structured/InvariantLoads.h"
#include "structured/MemberGradients.h"
#include "structured/Members.h"
#include "structured/Objects.h"
#include "structured/Recursion.h"
#include "structured/Residuals.h"
#include "structured/Reversal.h"
#include "structured/ShadowPointers.h"
#include "structured/TypedMoves.h"
#include "structured/Unchanged.h"
#include "structured/Varied.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>

using namespace llvm;
using namespace verso;

namespace {

/// Emits the body of a request's function.
class StructuredRequest {
public:
  /// \p Restricted are the arguments that are known to be disjoint.
  StructuredRequest(Request &R, FunctionAnalysisManager &FAM, bool Check,
                    Refusals &Refused, ArrayRef<unsigned> Restricted = {},
                    Members *Kept = nullptr)
      : R(R), FAM(FAM), Check(Check), Refused(Refused), M(*R.Call->getModule()),
        Restricted(Restricted), Kept(Kept), Gradients(FAM, Refused),
        MayAssume(Refused.hasChoice() && !Check) {}

  Function *lower(SmallVectorImpl<Function *> &Others);
  /// The request that is left to the tape.
  std::optional<Request> Otherwise;

private:
  Function *generate();
  Function *withFasterVersion(Function *General,
                              SmallVectorImpl<Function *> &Others);
  bool gainsByDisjointness(const Unchanged &Memory) const;
  Value *pass(Value *V);
  void passArguments();
  void createWork();
  void differentiate();
  void deferReleases(const LoopInfo &LI, const DominatorTree &DT, Slots &S);
  void prepareOuts();
  Value *seedOf(Value *Returned);
  void emitEnd(BasicBlock &End, Value *Returned, Adjoints &A);
  void emitComparison(IRBuilderBase &B, ArrayRef<Value *> Derivatives,
                      Value *Seed);
  void failIf(Instruction &Condition, StringRef Reason);
  void refuseUnshadowedStores(const Adjoints &A, const ShadowPointers &P);
  void refuseStrangers(const VariedMemory &V);
  void addRuntimeCalls();
  void releaseOnException();
  bool readsConstantNumbers(const Objects &O) const;
  void explain(Residuals &K);
  void markScopes(const Objects &O, const Adjoints &A, const Residuals &K,
                  const ShadowPointers &Shadows);
  Function *finishWork();
  Function *chooseAtEntry(Function &F);

  Request &R;
  FunctionAnalysisManager &FAM;
  const bool Check;
  Refusals &Refused;
  Module &M;
  const ArrayRef<unsigned> Restricted;
  /// Null: recursion becomes loops.
  Members *const Kept;
  MemberGradients Gradients;
  DisjointArguments Disjoint;
  /// How many values are recorded.
  size_t Recorded = 0;
  /// The function in the making; its result is the primal's.
  Function *W = nullptr;
  SmallVector<Value *, 16> Passed;
  /// Indices into Passed, or the constants themselves.
  struct Source {
    int Index = -1;
    Value *Constant = nullptr;
  };
  Value *inside(const Source &S) const {
    return S.Index < 0 ? S.Constant : W->getArg(S.Index);
  }
  Source source(Value *V, bool KeepConstant);
  struct Given {
    Source Primal, Shadow;
  };
  SmallVector<Given, 8> Arguments;
  Source Cotangent;
  SmallVector<Value *, 8> Varied;
  DenseMap<Value *, Value *> Shadows;
  struct Out {
    Value *Argument;
    AllocaInst *Shadow; ///< Of a struct that is passed in memory.
    Type *T;
    Instruction *Clear = nullptr; ///< Of the shadow.
  };
  SmallVector<Out, 4> Outs;
  /// Calls that release memory, moved to the end, and what they release.
  struct Release {
    CallInst *Call;
    /// Where its arguments are kept, null until it would have been made.
    SmallVector<std::pair<unsigned, AllocaInst *>, 2> Arguments = {};
    void setArguments(CallInst &Of, IRBuilderBase &B) const {
      for (auto [N, Slot] : Arguments)
        Of.setArgOperand(N, Slots::get(B, Slot));
    }
  };
  SmallVector<Release, 8> Releases;
  SmallVector<Instruction *, 64> ProgramAccesses;
  bool UsesArena = false;
  bool ReadsConstants = false;
  /// Where the tape is no choice, nothing may be left to it.
  bool MayAssume;
  std::vector<Assumption> Assumed;
};

} // namespace

//===----------------------------------------------------------------------===//
// The function to work on
//===----------------------------------------------------------------------===//

StructuredRequest::Source StructuredRequest::source(Value *V,
                                                    bool KeepConstant) {
  if (!V)
    return {};
  if (KeepConstant && isa<Constant>(V))
    return {-1, V};
  Passed.push_back(V);
  return {int(Passed.size()) - 1, nullptr};
}

/// Every argument becomes a parameter of its own, even where two are one value:
/// they may have different shadows. Only the same pair is the same parameter.
void StructuredRequest::passArguments() {
  std::map<std::pair<Value *, Value *>, unsigned> Pairs;
  for (auto [K, A] : enumerate(R.Arguments)) {
    bool IsDup = A.Activity == ArgumentActivity::Dup ||
                 A.Activity == ArgumentActivity::DupNoNeed;
    if (IsDup && A.Shadow) {
      auto [It, New] =
          Pairs.try_emplace({A.Primal, A.Shadow}, Arguments.size());
      if (!New) {
        Arguments.push_back(Arguments[It->second]);
        continue;
      }
    }
    Source Primal = source(A.Primal, A.Activity == ArgumentActivity::Const);
    Source Shadow = IsDup ? source(A.Shadow, false) : Source();
    Arguments.push_back({Primal, Shadow});
  }
  Cotangent = source(R.Cotangent, true);
}

/// T work(passed...) { return primal(arguments...); }
void StructuredRequest::createWork() {
  passArguments();
  SmallVector<Type *, 16> Types;
  for (Value *V : Passed)
    Types.push_back(V->getType());
  W = Function::Create(
      FunctionType::get(R.Primal->getReturnType(), Types, false),
      GlobalValue::InternalLinkage, "verso.gradient." + R.Primal->getName(),
      &M);
  const Function &Caller = *R.Call->getFunction();
  for (StringRef Name : {"target-cpu", "target-features", "tune-cpu",
                         "frame-pointer", "no-trapping-math"})
    if (Caller.hasFnAttribute(Name))
      W->addFnAttr(Caller.getFnAttribute(Name));
  W->addFnAttr(Attribute::NoInline);
  // From the start: simplification has a use for it, too.
  for (unsigned K : Restricted)
    W->addParamAttr(K, Attribute::NoAlias);
  W->setUWTableKind(Caller.getUWTableKind());
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "recto", W));
  SmallVector<Value *, 16> Actual;
  for (const Given &G : Arguments)
    Actual.push_back(inside(G.Primal));
  CallInst *Call = B.CreateCall(R.Primal, Actual);
  Call->setCallingConv(R.Primal->getCallingConv());
  // What the ABI says of the parameters is what inlining goes by.
  AttributeList Attributes;
  for (unsigned K = 0; K != Actual.size(); ++K)
    if (Type *T = R.Primal->getParamByValType(K)) {
      AttrBuilder ByVal(M.getContext());
      ByVal.addByValAttr(T);
      if (MaybeAlign A = R.Primal->getParamAlign(K))
        ByVal.addAlignmentAttr(*A);
      Attributes = Attributes.addParamAttributes(M.getContext(), K, ByVal);
    }
  Call->setAttributes(Attributes);
  if (Call->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);

  for (auto [K, A] : enumerate(R.Arguments)) {
    Value *Primal = inside(Arguments[K].Primal);
    Type *T = Primal->getType();
    Type *Struct = T->isPointerTy() ? R.Primal->getParamByValType(K) : nullptr;
    switch (A.Activity) {
    case ArgumentActivity::Const:
      break;
    case ArgumentActivity::Dup:
    case ArgumentActivity::DupNoNeed:
      if (T->isPointerTy())
        Shadows[Primal] = inside(Arguments[K].Shadow);
      break;
    case ArgumentActivity::Out:
      if (!Struct)
        Varied.push_back(Primal);
      Outs.push_back({Primal, nullptr, Struct ? Struct : T});
    }
  }
}

/// A struct in memory gets a local shadow, which is its derivative in the end.
void StructuredRequest::prepareOuts() {
  for (Out &O : Outs) {
    if (!O.Argument->getType()->isPointerTy())
      continue;
    IRBuilder<> Entry(&W->getEntryBlock(), W->getEntryBlock().begin());
    O.Shadow = Entry.CreateAlloca(O.T, nullptr, "out.shadow");
    Entry.SetInsertPoint(&*W->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    O.Clear = Entry.CreateMemSet(O.Shadow, Entry.getInt8(0),
                                 W->getDataLayout().getTypeAllocSize(O.T),
                                 O.Shadow->getAlign());
    Shadows[O.Argument] = O.Shadow;
  }
}

//===----------------------------------------------------------------------===//
// Both sweeps
//===----------------------------------------------------------------------===//

/// Whether it may be called with null, to no effect.
static bool acceptsNull(const Function &F) {
  return F.getName() == "free" || F.getName().starts_with("_Zd");
}

/// Memory that is released at most once is released at the very end, so that
/// the verso can read it.
void StructuredRequest::deferReleases(const LoopInfo &LI,
                                      const DominatorTree &DT, Slots &S) {
  const BasicBlock *Last = nullptr;
  for (BasicBlock &Block : *W)
    if (isa<ReturnInst>(Block.getTerminator()))
      Last = &Block;
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(*W);
  for (Instruction &I : make_early_inc_range(instructions(*W))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || LI.getLoopFor(I.getParent()) || !Last)
      continue;
    CallModel Model = modelCall(*Call, TLI);
    if (Model.K != CallModel::Library || !Model.Known ||
        Model.Known->K != KnownCall::Free)
      continue;
    bool Always = DT.dominates(I.getParent(), Last);
    if (!Always && (!acceptsNull(*Model.Callee) ||
                    !isPotentiallyReachable(I.getParent(), Last)))
      continue;
    IRBuilder<> B(Call);
    IRBuilder<> Entry(&*W->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Release Late{Call};
    for (unsigned N = 0; N != Call->arg_size(); ++N) {
      // It may be called with null now.
      Call->removeParamAttrs(N, AttributeFuncs::getUBImplyingAttributes());
      Value *A = Call->getArgOperand(N);
      if (isa<llvm::Constant>(A))
        continue;
      AllocaInst *Slot = S.create(A->getType(), "released");
      Slots::set(Entry, Slot, llvm::Constant::getNullValue(A->getType()));
      Slots::set(B, Slot, A);
      Call->setArgOperand(N, UndefValue::get(A->getType()));
      Late.Arguments.push_back({N, Slot});
    }
    Call->removeFromParent();
    Releases.push_back(std::move(Late));
  }
}

/// The seed of the returned value; null if it has none.
Value *StructuredRequest::seedOf(Value *Returned) {
  if (!Returned || !holdsReal(Returned->getType()))
    return nullptr;
  if (R.Cotangent)
    return inside(Cotangent);
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
void StructuredRequest::emitComparison(IRBuilderBase &B,
                                       ArrayRef<Value *> Derivatives,
                                       Value *Seed) {
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
  Value *Where = B.CreateGlobalString(describeLocation(*R.Call), "verso.where");
  callRuntime(B, RuntimeFunction::CheckStructured,
              {Where, Given, Count, Seeds, SeedCount});
}

/// What the request returns, at the end of the verso.
void StructuredRequest::emitEnd(BasicBlock &End, Value *Returned, Adjoints &A) {
  IRBuilder<> B(&End);
  SmallVector<Value *, 8> Results;
  if (R.DeliversValue && Returned)
    Results.push_back(Returned);
  for (const Out &O : Outs)
    if (O.Shadow)
      Results.push_back(B.CreateLoad(O.T, O.Shadow));
    else if (A.isActive(O.Argument))
      Results.push_back(plusZero(B, A.take(B, O.Argument)));
    else
      Results.push_back(Constant::getNullValue(O.T));
  if (Check)
    emitComparison(B, ArrayRef<Value *>(Results).take_back(Outs.size()),
                   seedOf(Returned));
  for (Release &Late : Releases) {
    Late.Call->insertInto(&End, End.end());
    Late.setArguments(*Late.Call, B);
    Late.Call->moveAfter(&End.back());
  }
  if (R.ResultType->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(packResults(B, Results, R.ResultType));
}

/// The call or instruction by which an exception leaves the function at the end
/// of \p Block; null if none does.
static Instruction *wayOut(BasicBlock &Block) {
  Instruction *T = Block.getTerminator();
  if (isa<ResumeInst>(T))
    return T;
  auto *Call = dyn_cast_or_null<CallInst>(T->getPrevNode());
  return isa<UnreachableInst>(T) && Call && !Call->doesNotThrow() ? Call
                                                                  : nullptr;
}

/// Where an exception leaves there is no verso to wait for.
void StructuredRequest::releaseOnException() {
  for (BasicBlock &Block : *W)
    if (Instruction *Way = wayOut(Block)) {
      IRBuilder<> B(Way);
      for (const Release &Late : Releases)
        if (acceptsNull(*Late.Call->getCalledFunction())) {
          auto *Copy = cast<CallInst>(Late.Call->clone());
          Late.setArguments(*Copy, B);
          B.Insert(Copy);
        }
    }
}

bool StructuredRequest::readsConstantNumbers(const Objects &O) const {
  for (Instruction &I : instructions(*W))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Load->getType()->isFloatingPointTy())
      for (const Place &P : O.placesOf(Load->getPointerOperand()))
        if (O[P.Object].K == Object::Constant)
          return true;
  return false;
}

void StructuredRequest::markScopes(const Objects &O, const Adjoints &A,
                                   const Residuals &K,
                                   const ShadowPointers &Shadows) {
  AliasScopes Scopes(M.getContext(), O);
  auto MarkProgram = [&](Instruction &I, const Instruction &Original) {
    Scopes.mark(I, AliasScopes::Program);
    if (const Value *P = getLoadStorePointerOperand(&Original))
      Scopes.markObjects(I, P);
  };
  for (const Adjoints::Access &Access : A.accesses()) {
    Scopes.mark(*Access.I, AliasScopes::Adjoint);
    Scopes.markObjects(*Access.I, Access.Pointer);
  }
  for (Instruction *I : K.accesses())
    Scopes.mark(*I, AliasScopes::Column);
  for (Instruction *I : K.reloads()) {
    const Instruction *Original = K.originals().lookup(I);
    if (!Shadows.isOurs(Original))
      MarkProgram(*I, *Original);
  }
  for (Instruction *I : ProgramAccesses)
    MarkProgram(*I, *I);
}

/// if (condition) fail()
void StructuredRequest::failIf(Instruction &Condition, StringRef Reason) {
  Instruction *Then = SplitBlockAndInsertIfThen(
      &Condition, Condition.getNextNode(), /*Unreachable=*/false);
  IRBuilder<> B(Then);
  callRuntime(B, RuntimeFunction::Fail,
              {B.CreateGlobalString(Reason, "verso.reason"),
               B.CreateGlobalString(describeLocation(*R.Call), "verso.where")});
}

void StructuredRequest::refuseUnshadowedStores(const Adjoints &A,
                                               const ShadowPointers &P) {
  for (const Adjoints::Loss &L : A.losses())
    failIf(*L.Condition, "a number that varies was stored in memory that the "
                         "shadow structure has no shadow for");
  for (Instruction *Condition : P.losses())
    failIf(*Condition, "a pointer to numbers that vary was stored in memory "
                       "that the shadow structure has no shadow for");
}

/// if (pointer - global < size) fail(), where the pointer is made
void StructuredRequest::refuseStrangers(const VariedMemory &V) {
  for (auto [G, P] : V.strangers()) {
    auto *I = dyn_cast<Instruction>(P);
    IRBuilder<> B(
        I ? isa<InvokeInst>(I)
                ? &*cast<InvokeInst>(I)->getNormalDest()->getFirstInsertionPt()
                : I->getNextNode()
          : &*W->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value *Address = G->isThreadLocal() ? B.CreateThreadLocalAddress(G)
                                        : static_cast<Value *>(G);
    Value *Distance = B.CreateSub(B.CreatePtrToInt(P, B.getInt64Ty()),
                                  B.CreatePtrToInt(Address, B.getInt64Ty()));
    uint64_t Size = W->getDataLayout().getTypeAllocSize(G->getValueType());
    if (auto *Inside =
            dyn_cast<Instruction>(B.CreateICmpULT(Distance, B.getInt64(Size))))
      failIf(*Inside,
             ("a pointer leads to the global variable '" + G->getName() +
              "', which the function also uses by its name: use "
              "-verso-strategy=taped")
                 .str());
  }
}

/// begin() ... end(), on every way out.
void StructuredRequest::addRuntimeCalls() {
  IRBuilder<> B(&*W->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (!UsesArena && !ReadsConstants)
    return;
  Value *Where = B.CreateGlobalString(describeLocation(*R.Call), "verso.where");
  if (ReadsConstants)
    callRuntime(B, RuntimeFunction::RefuseWatched, {Where});
  if (!UsesArena)
    return;
  Value *Mark = callRuntime(B, RuntimeFunction::ArenaBegin, {Where});
  for (BasicBlock &Block : *W) {
    Instruction *Way = wayOut(Block);
    if (isa<ReturnInst>(Block.getTerminator()))
      Way = Block.getTerminator();
    if (!Way)
      continue;
    B.SetInsertPoint(Way);
    callRuntime(B, RuntimeFunction::ArenaEnd, {Mark});
  }
}

/// A remark for each value that is recorded.
void StructuredRequest::explain(Residuals &K) {
  if (!OptimizationRemarkEmitter(W).allowExtraAnalysis("verso"))
    return;
  Diagnostics D(M.getContext());
  for (Instruction *I : K.recorded())
    D.remark(Remark::ResidualRecorded, *I,
             "recorded for the reverse sweep, " +
                 Twine(W->getDataLayout().getTypeStoreSize(I->getType())) +
                 " bytes each time: " + K.whyRecorded(*I));
}

void StructuredRequest::differentiate() {
  Assumed = flatten(*W, FAM, MayAssume ? ArrayRef(Passed) : ArrayRef<Value *>(),
                    Kept, Refused);
  if (Refused)
    return;
  const TargetLibraryInfo *TLI = &FAM.getResult<TargetLibraryAnalysis>(*W);
  auto &LI = FAM.getResult<LoopAnalysis>(*W);
  dropScopesOfIterations(*W, LI);
  if (Refused.hasChoice() && isLittleBetweenCalls(*W, LI))
    return Refused.add("it is recursive and does little between calls, which a "
                       "tape does faster");
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(*W);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*W);
  // What members read is not known there.
  if (Restricted.empty() && !Kept)
    Disjoint = findDisjointArguments(*W, SE, TLI);
  Slots S(*W);
  deferReleases(LI, DT, S);
  prepareOuts();
  SmallVector<Value *, 8> Dups;
  for (auto &[P, Shadow] : Shadows)
    Dups.push_back(P);
  // Not in the order of their addresses.
  sort(Dups, [](Value *A, Value *B) {
    return cast<llvm::Argument>(A)->getArgNo() <
           cast<llvm::Argument>(B)->getArgNo();
  });
  typeMoves(*W, Objects(*W, Dups, TLI));
  Objects O(*W, Dups, TLI);
  if (!O.isComplete())
    return Refused.add("too many pointers are stored in memory");
  bool IsSeeded = R.Cotangent || W->getReturnType()->isFloatingPointTy();
  VariedMemory V(*W, O, Varied, IsSeeded, FAM, Refused);
  if (Refused)
    return;
  if (Kept || readsConstantNumbers(O)) {
    if (M.getFunction("verso_watch"))
      return Refused.add("the program watches memory");
    ReadsConstants = true;
  }
  for (Instruction &I : instructions(*W)) {
    if (isa<LoadInst, StoreInst, MemIntrinsic>(I) && !isInert(I) &&
        !S.owns(I) &&
        none_of(Outs, [&](const Out &O) { return O.Clear == &I; }))
      ProgramAccesses.push_back(&I);
    if (auto *Call = dyn_cast<CallBase>(&I))
      UsesArena |= isFrame(*Call);
  }
  auto Allocate = [&](IRBuilderBase &B, Value *Bytes) -> Value * {
    UsesArena = true;
    CallInst *Block = callRuntime(B, RuntimeFunction::ArenaTake, {Bytes});
    Block->addRetAttr(Attribute::NoAlias);
    B.CreateMemSet(Block, B.getInt8(0), Bytes, Align(64));
    return Block;
  };
  for (Instruction &I : instructions(*W))
    if (auto *Call = dyn_cast<CallBase>(&I))
      UsesArena |= calls(*Call, RuntimeFunction::ArenaTake);
  ShadowPointers Pointers(*W, V, Shadows, Allocate, TLI, S, Refused);
  Unchanged Memory(*W, FAM.getResult<AAManager>(*W), LI, SE, O, TLI,
                   [&](const Instruction &I) { return S.owns(I); });
  hoistInvariantLoads(LI, DT, SE, Memory);
  Adjoints A(V, Pointers, S, Refused);
  if (Kept) {
    Gradients.build(*W, V, Memory);
    A.reverseCallsBy([&](CallBase &Call, IRBuilderBase &B) {
      Gradients.reverse(Call, B, Pointers, A);
    });
  }
  Reversal Reversed(*W, LI, DT, SE, S, Refused);
  if (Refused)
    return;
  ReversedCode Code;
  Code.Block = [&](BasicBlock &Block, IRBuilderBase &B) {
    A.reverseBlock(Block, B);
  };
  Code.TakePhis = [&](BasicBlock &Block, IRBuilderBase &B) {
    A.takePhis(Block, B);
  };
  Code.GiveToPredecessor = [&](BasicBlock &Block, BasicBlock &From,
                               IRBuilderBase &B) {
    A.giveToPredecessor(Block, From, B);
  };
  Reversed.emit(Code);
  Pointers.mirrorStores();
  if (Refused)
    return;
  ReturnInst *Return = Reversed.returnOfRecto();
  Value *Returned = Return->getReturnValue();
  IRBuilder<> Start(Reversed.start(), Reversed.start()->begin());
  emitEnd(*Reversed.end(), Returned, A);
  A.start(Start, Returned, seedOf(Returned));
  Residuals Kept(*W, LI, Reversed, Pointers, Memory, S, Refused);
  Kept.place();
  if (Refused)
    return;
  UsesArena |= Kept.usesArena() || Gradients.usesArena();
  Recorded = Kept.recorded().size();
  if (!gainsByDisjointness(Memory))
    Disjoint.Arguments.clear();
  if (Restricted.empty())
    explain(Kept);
  ReplaceInstWithInst(Return, BranchInst::Create(Reversed.start()));
  markScopes(O, A, Kept, Pointers);
  refuseUnshadowedStores(A, Pointers);
  refuseStrangers(V);
  // The value may be that of such a call.
  WeakTrackingVH Delivered(R.DeliversValue ? Returned : nullptr);
  Gradients.replaceCalls();
  deleteDeadStores(*W, O, Delivered, ProgramAccesses,
                   Gradients.readByCalls(), Kept.originals());
  releaseOnException();
  addRuntimeCalls();
  removeUnreachableBlocks(*W);
  S.promote();
}

/// r = assumptions hold ? F(passed...) : gradient by tape
/// The latter is a request of the new function's own.
Function *StructuredRequest::chooseAtEntry(Function &F) {
  Function *Choice = Function::Create(F.getFunctionType(),
                                      GlobalValue::InternalLinkage, "", &M);
  Choice->takeName(&F);
  F.setName(Choice->getName() + ".structured");
  Choice->setAttributes(F.getAttributes());
  markGenerated(*Choice);
  LLVMContext &C = M.getContext();
  IRBuilder<> B(BasicBlock::Create(C, "", Choice));
  B.SetCurrentDebugLocation(DebugLoc());
  SmallVector<Value *, 16> Own;
  for (llvm::Argument &A : Choice->args())
    Own.push_back(&A);
  Value *Holds = B.getTrue();
  for (const Assumption &A : Assumed)
    Holds = B.CreateAnd(Holds, A.emit(B, *Choice));
  BasicBlock *Fast = BasicBlock::Create(C, "structured", Choice);
  BasicBlock *Slow = BasicBlock::Create(C, "taped", Choice);
  B.CreateCondBr(Holds, Fast, Slow, MDBuilder(C).createLikelyBranchWeights());
  auto Return = [&](Value *V) {
    V->getType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(V);
  };
  B.SetInsertPoint(Fast);
  Return(B.CreateCall(&F, Own));
  B.SetInsertPoint(Slow);
  // A place for the tape's call.
  Function *Mark =
      Function::Create(FunctionType::get(R.ResultType, false),
                       GlobalValue::ExternalLinkage, "verso.otherwise", &M);
  CallInst *Request = B.CreateCall(Mark);
  Request->setDebugLoc(R.Call->getDebugLoc());
  Return(Request);
  Otherwise = R;
  Otherwise->Call = Request;
  Otherwise->ResultPointer = nullptr;
  auto Inside = [&](const Source &S) -> Value * {
    return S.Index >= 0 ? Own[S.Index] : S.Constant;
  };
  for (auto [Each, G] : zip(Otherwise->Arguments, Arguments)) {
    Each.Primal = Inside(G.Primal);
    Each.Shadow = Inside(G.Shadow);
    if (!isa_and_nonnull<llvm::Constant>(static_cast<Value *>(Each.Extent)))
      Each.Extent = nullptr;
  }
  Otherwise->Cotangent = Inside(Cotangent);
  return Choice;
}

/// The work gets the request's result as its type.
Function *StructuredRequest::finishWork() {
  FAM.clear(*W, W->getName());
  SmallVector<Type *, 16> Types;
  for (Value *V : Passed)
    Types.push_back(V->getType());
  Function *F = Function::Create(FunctionType::get(R.ResultType, Types, false),
                                 GlobalValue::InternalLinkage, "", &M);
  F->takeName(W);
  F->setAttributes(AttributeList::get(
      M.getContext(), AttributeList::FunctionIndex,
      AttrBuilder(M.getContext(), W->getAttributes().getFnAttrs())));
  for (unsigned K : Restricted)
    F->addParamAttr(K, Attribute::NoAlias);
  markGenerated(*F);
  F->splice(F->begin(), W);
  for (auto [Old, New] : zip(W->args(), F->args())) {
    Old.replaceAllUsesWith(&New);
    New.takeName(&Old);
  }
  if (W->hasPersonalityFn())
    F->setPersonalityFn(W->getPersonalityFn());
  W->eraseFromParent();
  stripDebugInfo(*F);
  return F;
}

/// The function that computes the request; null if it was refused.
Function *StructuredRequest::generate() {
  createWork();
  differentiate();
  if (!Refused)
    return finishWork();
  for (Release &Late : Releases)
    if (!Late.Call->getParent())
      Late.Call->deleteValue();
  FAM.clear(*W, W->getName());
  W->eraseFromParent();
  return nullptr;
}

/// Whether something has to be recorded only because two arguments may overlap.
bool StructuredRequest::gainsByDisjointness(const Unchanged &Memory) const {
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

/// disjoint(arguments) ? faster(arguments) : general(arguments)
Function *
StructuredRequest::withFasterVersion(Function *General,
                                     SmallVectorImpl<Function *> &Others) {
  Refusals None(Refused.hasChoice());
  StructuredRequest Other(R, FAM, Check, None, Disjoint.Arguments);
  Other.MayAssume = !Assumed.empty();
  Function *Faster = Other.generate();
  if (!Faster || Other.Recorded >= Recorded) {
    if (Faster)
      Faster->eraseFromParent();
    return General;
  }
  append_range(Assumed, Other.Assumed);
  size_t Saved = Recorded - Other.Recorded;
  Diagnostics(M.getContext())
      .remark(Remark::ResidualRecorded, *R.Call,
              Twine(Saved) + (Saved == 1 ? " value is" : " values are") +
                  " recorded only if arguments overlap");
  markGenerated(*Disjoint.Test);
  Others.append({Disjoint.Test, General, Faster});
  Faster->setName(General->getName() + ".disjoint.arguments");
  Function *F = Function::Create(General->getFunctionType(),
                                 GlobalValue::InternalLinkage, "", &M);
  F->takeName(General);
  General->setName(F->getName() + ".any.arguments");
  F->copyAttributesFrom(General);
  markGenerated(*F);
  SmallVector<Value *, 16> Arguments;
  for (llvm::Argument &A : F->args())
    Arguments.push_back(&A);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  Value *Holds = B.CreateCall(Disjoint.Test, Arguments);
  auto CallOf = [&](Function *Version, const Twine &Name) {
    BasicBlock *Block = BasicBlock::Create(M.getContext(), Name, F);
    IRBuilder<> Each(Block);
    CallInst *Result = Each.CreateCall(Version, Arguments);
    if (R.ResultType->isVoidTy())
      Each.CreateRetVoid();
    else
      Each.CreateRet(Result);
    return Block;
  };
  B.CreateCondBr(Holds, CallOf(Faster, "disjoint"),
                 CallOf(General, "may.overlap"));
  return F;
}

Function *StructuredRequest::lower(SmallVectorImpl<Function *> &Others) {
  Function *F = generate();
  if (F && !Disjoint.Arguments.empty())
    F = withFasterVersion(F, Others);
  if (Disjoint.Test && Disjoint.Test->use_empty())
    Disjoint.Test->eraseFromParent();
  if (F && !Assumed.empty()) {
    Others.push_back(F);
    F = chooseAtEntry(*F);
  }
  if (F) {
    replaceByCall(R, F, Passed);
    append_range(Others, Gradients.release());
  }
  return F;
}

Lowered verso::lowerStructured(Request &R, FunctionAnalysisManager &FAM,
                               bool Check, Refusals &Refused,
                               SmallVectorImpl<Function *> &Others) {
  // Recursive functions that can be reversed by themselves are.
  if (Circles(FAM).reachesRecursion(*R.Primal)) {
    Refusals Own(Refused.hasChoice());
    Members Kept(FAM, Own);
    StructuredRequest S(R, FAM, Check, Own, {}, &Kept);
    if (Function *Called = S.lower(Others)) {
      append_range(Others, Kept.eraseUnused());
      return {Called, std::move(S.Otherwise)};
    }
    if (Refusal Why = Own.first();
        OptimizationRemarkEmitter(R.Call->getFunction())
            .allowExtraAnalysis("verso"))
      Diagnostics(R.Call->getContext())
          .remark(Remark::RecursionAsLoop, *R.Call,
                  "recursive functions are not reversed by themselves: " +
                      Why.Why + (Why.Where.empty() ? "" : " at " + Why.Where));
  }
  StructuredRequest S(R, FAM, Check, Refused);
  Function *Called = S.lower(Others);
  return {Called, std::move(S.Otherwise)};
}
