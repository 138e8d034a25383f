//===- TapedRequest.cpp - a reverse-mode request by tape ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/TapedRequest.h"
#include "emit/Companion.h"
#include "emit/DirectBase.h"
#include "emit/Runtime.h"
#include "request/RequestFunction.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace verso;

namespace {

/// Emits the body of a request's function.
class TapedRequest : RequestFunction {
public:
  TapedRequest(Request &R, Twins &Registry, TapeChecks Checks,
               bool TakesKernels)
      : RequestFunction(R, "verso.gradient."), Registry(Registry),
        M(*F->getParent()), Check(Checks != TapeChecks::None),
        InCopy(Checks == TapeChecks::InCopy), TakesKernels(TakesKernels) {
    if (InCopy)
      markJudge(*F);
  }

  Function *lower();

private:
  void trackPointers(Value *Shadow);
  void passArguments();
  Value *companionOf(const RequestArgument &A, unsigned K);
  Value *makeLeaves(Type *T);
  Value *newLeaf();
  Value *adjointCell(Value *Id);
  Value *resultCell(Value *Id);
  void seed(Value *Ids, Value *Cotangent, Type *T);
  Value *takeAdjoints(Value *Ids, Type *T);
  void flatten(Value *V, Value *Ids, Type *T, SmallVectorImpl<Value *> &Reals,
               SmallVectorImpl<Value *> &RealIds);
  CallInst *takeMap(RuntimeFunction Which, Value *Ids, Value *Primal);
  Value *spread(Type *T, ArrayRef<Value *> Each);
  BasicBlock *forkForCheck();
  void emitCopy(BasicBlock *Copy);
  void emitComparison(Value *Ids, Value *Primal);
  Value *gather(Type *T, Value *&Array);

  Twins &Registry;
  Module &M;
  const bool Check, InCopy, TakesKernels;
  Value *Role = nullptr; ///< What __verso_check_fork said.
  Value *Context = nullptr;
  SmallVector<Value *, 16> Arguments, Companions;
  BitVector Varied;
  bool PointersTracked = false;
  /// What the request returns besides the value: IDs of leaves, or the local
  /// shadow of a struct that is passed by pointer.
  struct Wanted {
    Value *Ids;
    Type *T;
    Value *Shadow;
  };
  SmallVector<Wanted, 4> Outs;
};

} // namespace

/// leaf: header, cursor += 4, next += 1
Value *TapedRequest::newLeaf() {
  Value *Cursor = loadField(B, Context, field::Cursor);
  inert(B.CreateAlignedStore(
      B.getInt32(VERSO_RECORD_HEADER(0, VERSO_RECORD_LEAF)), Cursor, Align(4)));
  storeField(B, Context, field::Cursor,
             B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Cursor, 4));
  Value *Id = loadField(B, Context, field::Next);
  storeField(B, Context, field::Next, B.CreateNUWAdd(Id, B.getInt64(1)));
  return B.CreateTrunc(Id, B.getInt32Ty());
}

/// The IDs of a value all of whose reals are inputs.
Value *TapedRequest::makeLeaves(Type *T) {
  if (T->isFloatingPointTy())
    return newLeaf();
  Value *Ids = zeroCompanion(T);
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    if (V->getElementType()->isFloatingPointTy())
      for (unsigned K = 0; K != V->getNumElements(); ++K)
        Ids = B.CreateInsertElement(Ids, newLeaf(), K);
    return Ids;
  }
  if (isa<StructType, ArrayType>(T))
    for (unsigned K = 0, E = T->isArrayTy() ? T->getArrayNumElements()
                                            : T->getStructNumElements();
         K != E; ++K)
      Ids = B.CreateInsertValue(
          Ids, makeLeaves(ExtractValueInst::getIndexedType(T, K)), K);
  return Ids;
}

Value *TapedRequest::adjointCell(Value *Id) {
  return B.CreateGEP(B.getDoubleTy(), loadField(B, Context, field::Adj),
                     B.CreateZExt(Id, B.getInt64Ty()));
}

/// The adjoint cell of a result, whose ID may be direct.
Value *TapedRequest::resultCell(Value *Id) {
  Value *IsDirect = B.CreateICmpSLT(Id, B.getInt32(0));
  Value *Cells = B.CreateSelect(IsDirect, loadField(B, Context, field::Direct),
                                loadField(B, Context, field::Adj));
  Value *Index = B.CreateAnd(Id, B.getInt32(~VERSO_ID_DIRECT));
  return B.CreateGEP(B.getDoubleTy(), Cells,
                     B.CreateZExt(Index, B.getInt64Ty()));
}

static unsigned elementCount(Type *T) {
  return T->isArrayTy() ? T->getArrayNumElements() : T->getStructNumElements();
}

/// adj[id] += cotangent, for every real of a value of type T.
void TapedRequest::seed(Value *Ids, Value *Cotangent, Type *T) {
  if (T->isFloatingPointTy()) {
    Value *Cell = resultCell(Ids);
    Value *Old = B.CreateLoad(B.getDoubleTy(), Cell);
    B.CreateStore(B.CreateFAdd(Old, B.CreateFPCast(Cotangent, B.getDoubleTy())),
                  Cell);
  } else if (auto *V = dyn_cast<FixedVectorType>(T)) {
    for (unsigned K = 0; K != V->getNumElements(); ++K)
      if (V->getElementType()->isFloatingPointTy())
        seed(B.CreateExtractElement(Ids, K),
             B.CreateExtractElement(Cotangent, K), V->getElementType());
  } else if (isa<StructType, ArrayType>(T)) {
    for (unsigned K = 0; K != elementCount(T); ++K)
      seed(B.CreateExtractValue(Ids, K), B.CreateExtractValue(Cotangent, K),
           ExtractValueInst::getIndexedType(T, K));
  }
}

/// The adjoints of leaves, as a value of type T; their cells become zero.
Value *TapedRequest::takeAdjoints(Value *Ids, Type *T) {
  if (T->isFloatingPointTy()) {
    Value *Cell = adjointCell(Ids);
    Value *X = B.CreateLoad(B.getDoubleTy(), Cell);
    B.CreateStore(ConstantFP::get(B.getDoubleTy(), 0), Cell);
    return B.CreateFPCast(X, T);
  }
  Value *Result = Constant::getNullValue(T);
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    for (unsigned K = 0; K != V->getNumElements(); ++K)
      Result = B.CreateInsertElement(
          Result,
          takeAdjoints(B.CreateExtractElement(Ids, K), V->getElementType()), K);
  } else if (isa<StructType, ArrayType>(T)) {
    for (unsigned K = 0; K != elementCount(T); ++K)
      Result = B.CreateInsertValue(
          Result,
          takeAdjoints(B.CreateExtractValue(Ids, K),
                       ExtractValueInst::getIndexedType(T, K)),
          K);
  }
  return Result;
}

/// Direct IDs reach the surroundings of the request's first shadow.
void TapedRequest::trackPointers(Value *Shadow) {
  if (PointersTracked)
    return;
  PointersTracked = true;
  // Watched memory has images from the beginning: fresh loads have to look.
  Value *Base = B.CreateSelect(
      B.CreateIsNull(callRuntime(B, RuntimeFunction::IsWatching, {})),
      directBase(B, Shadow), unreachableBase(B));
  if (Role) // What is compared are the log's cells.
    Base = B.CreateSelect(B.CreateICmpEQ(Role, B.getInt32(1)),
                          unreachableBase(B), Base);
  storeField(B, Context, field::Direct, Base);
}

/// The companion that goes with argument K; null if it is constant.
Value *TapedRequest::companionOf(const RequestArgument &A, unsigned K) {
  Value *Primal = Arguments[K];
  Type *T = Primal->getType();
  switch (A.Activity) {
  case ArgumentActivity::Const:
    return nullptr;
  case ArgumentActivity::Dup:
  case ArgumentActivity::DupNoNeed: {
    if (!T->isPointerTy())
      return nullptr;
    Value *Shadow = inside(A.Shadow);
    trackPointers(Shadow);
    Value *Bytes = A.Extent ? inside(A.Extent)
                            : B.getInt64(std::max<uint64_t>(1, A.LeastBytes));
    callRuntime(B, RuntimeFunction::RefuseWatchedArgument,
                {Primal, B.CreateZExtOrTrunc(Bytes, B.getInt64Ty())});
    return Shadow;
  }
  case ArgumentActivity::Out: {
    if (Type *Struct =
            T->isPointerTy() ? R.Primal->getParamByValType(K) : nullptr) {
      // A struct in memory: a local shadow collects its derivative.
      IRBuilder<> Entry(&F->getEntryBlock(), F->getEntryBlock().begin());
      Value *Shadow = Entry.CreateAlloca(Struct);
      B.CreateStore(Constant::getNullValue(Struct), Shadow);
      trackPointers(Shadow);
      Outs.push_back({nullptr, Struct, Shadow});
      return Shadow;
    }
    Value *Ids = makeLeaves(T);
    Outs.push_back({Ids, T, nullptr});
    return Ids;
  }
  }
  llvm_unreachable("every activity is covered");
}

void TapedRequest::passArguments() {
  refuseNamedArguments();
  Varied.resize(R.Arguments.size());
  for (RequestArgument &A : R.Arguments)
    Arguments.push_back(inside(A.Primal));
  for (auto [K, A] : enumerate(R.Arguments))
    if (Value *Companion = companionOf(A, K)) {
      Varied.set(K);
      Companions.push_back(Companion);
      noteArgument(A, Context, /*IsForward=*/false);
    }
}

/// The real scalars of \p V, of type \p T, and their IDs.
void TapedRequest::flatten(Value *V, Value *Ids, Type *T,
                           SmallVectorImpl<Value *> &Reals,
                           SmallVectorImpl<Value *> &RealIds) {
  if (T->isFloatingPointTy()) {
    RealIds.push_back(Ids);
    if (V)
      Reals.push_back(B.CreateFPCast(V, B.getDoubleTy()));
  } else if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    for (unsigned K = 0; K != Vector->getNumElements(); ++K)
      flatten(V ? B.CreateExtractElement(V, K) : nullptr,
              B.CreateExtractElement(Ids, K), Vector->getElementType(), Reals,
              RealIds);
  } else if (isa<StructType, ArrayType>(T)) {
    for (unsigned K = 0; K != elementCount(T); ++K)
      flatten(V ? B.CreateExtractValue(V, K) : nullptr,
              B.CreateExtractValue(Ids, K),
              ExtractValueInst::getIndexedType(T, K), Reals, RealIds);
  }
}

/// An array of these values.
Value *TapedRequest::spread(Type *T, ArrayRef<Value *> Each) {
  IRBuilder<> Entry(&F->getEntryBlock(), F->getEntryBlock().begin());
  Value *Array = Entry.CreateAlloca(T, Entry.getInt32(Each.size()));
  for (auto [K, V] : enumerate(Each))
    B.CreateStore(V, B.CreateConstInBoundsGEP1_32(T, Array, K));
  return Array;
}

/// Hands the recorded map, from the out arguments and what the tape knows of
/// memory to the returned value, to the runtime.
CallInst *TapedRequest::takeMap(RuntimeFunction Which, Value *Ids,
                                Value *Primal) {
  SmallVector<Value *, 8> AllIds, Values, None;
  for (const Wanted &W : Outs)
    if (!W.Shadow)
      flatten(nullptr, W.Ids, W.T, None, AllIds);
  unsigned NumArguments = AllIds.size();
  if (Ids)
    flatten(Primal, Ids, Primal->getType(), Values, AllIds);
  Value *IdArray = spread(B.getInt32Ty(), AllIds);
  Value *ValueArray = spread(B.getDoubleTy(), Values);
  SmallVector<Value *, 6> Given{Context, IdArray, B.getInt32(NumArguments),
                                B.getInt32(Values.size()), ValueArray};
  if (Which == RuntimeFunction::CheckTape)
    Given.push_back(B.getInt32(R.Precision));
  return callRuntime(B, Which, Given);
}

//===----------------------------------------------------------------------===//
// -verso-check
//===----------------------------------------------------------------------===//

/// The block that the copy of the process runs; B goes on in the process.
BasicBlock *TapedRequest::forkForCheck() {
  auto *Calls = new GlobalVariable(M, B.getInt64Ty(), /*isConstant=*/false,
                                   GlobalValue::InternalLinkage, B.getInt64(0),
                                   "verso.calls");
  Role = callRuntime(B, RuntimeFunction::CheckFork, {where(), Calls});
  BasicBlock *Copy = BasicBlock::Create(M.getContext(), "copy", F);
  BasicBlock *Process = BasicBlock::Create(M.getContext(), "process", F);
  B.CreateCondBr(B.CreateICmpEQ(Role, B.getInt32(2)), Copy, Process);
  B.SetInsertPoint(Process);
  return Copy;
}

/// A value of type \p T out of the next doubles of \p Array.
Value *TapedRequest::gather(Type *T, Value *&Array) {
  if (T->isFloatingPointTy()) {
    Value *X = B.CreateLoad(B.getDoubleTy(), Array);
    Array = B.CreateConstInBoundsGEP1_32(B.getDoubleTy(), Array, 1);
    return B.CreateFPCast(X, T);
  }
  Value *Whole = Constant::getNullValue(T);
  if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    for (unsigned K = 0; K != Vector->getNumElements(); ++K)
      if (Vector->getElementType()->isFloatingPointTy())
        Whole = B.CreateInsertElement(
            Whole, gather(Vector->getElementType(), Array), K);
  } else if (isa<StructType, ArrayType>(T)) {
    for (unsigned K = 0; K != elementCount(T); ++K)
      Whole = B.CreateInsertValue(
          Whole, gather(ExtractValueInst::getIndexedType(T, K), Array), K);
  }
  return Whole;
}

/// Forward mode, in the direction that the runtime gives.
void TapedRequest::emitCopy(BasicBlock *Copy) {
  IRBuilderBase::InsertPointGuard Guard(B);
  B.SetInsertPoint(Copy);
  Value *Memory = callRuntime(B, RuntimeFunction::BeginTangents,
                              {where(), frameAddress(B), B.getInt32(1)});
  SmallVector<Value *, 8> None, AllIds;
  for (const Wanted &W : Outs)
    if (!W.Shadow)
      flatten(nullptr, W.Ids, W.T, None, AllIds);
  IRBuilder<> Entry(&F->getEntryBlock(), F->getEntryBlock().begin());
  Value *Direction =
      Entry.CreateAlloca(B.getDoubleTy(), B.getInt32(AllIds.size()));
  callRuntime(B, RuntimeFunction::CheckInputs,
              {Memory, Direction, B.getInt32(AllIds.size())});
  SmallVector<Value *, 16> All{Memory};
  append_range(All, Arguments);
  const Wanted *Out = Outs.begin();
  for (const RequestArgument &A : R.Arguments) {
    if (A.Activity == ArgumentActivity::Out) {
      All.push_back(Out->Shadow ? Out->Shadow : gather(Out->T, Direction));
      ++Out;
    } else if (A.Activity != ArgumentActivity::Const &&
               A.Primal->getType()->isPointerTy()) {
      All.push_back(inside(A.Shadow));
    }
  }
  TwinMode Mode = {.Width = 1,
                   .PointersTracked = PointersTracked,
                   .IsRoot = true,
                   .Checked = true};
  Value *Returned = B.CreateCall(Registry.get(*R.Primal, Varied, Mode), All);
  SmallVector<Value *, 8> Tangents, Unused;
  if (Type *T = R.Primal->getReturnType(); Twins::returnsCompanion(T)) {
    Value *Dot = B.CreateExtractValue(Returned, 1);
    flatten(Dot, Dot, T, Tangents, Unused);
  }
  Value *Reply = spread(B.getDoubleTy(), Tangents);
  callRuntime(B, RuntimeFunction::CheckReply,
              {Reply, B.getInt32(Tangents.size())});
  B.CreateUnreachable();
}

void TapedRequest::emitComparison(Value *Ids, Value *Primal) {
  BasicBlock *Compare = BasicBlock::Create(M.getContext(), "compare", F);
  BasicBlock *Sweep = BasicBlock::Create(M.getContext(), "sweep", F);
  B.CreateCondBr(B.CreateICmpEQ(Role, B.getInt32(1)), Compare, Sweep);
  B.SetInsertPoint(Compare);
  takeMap(RuntimeFunction::CheckTape, Ids, Primal);
  B.CreateBr(Sweep);
  B.SetInsertPoint(Sweep);
}

Function *TapedRequest::lower() {
  BasicBlock *Copy =
      Check && R.Kind != RequestKind::Linearize ? forkForCheck() : nullptr;
  Value *Frame = frameAddress(B);
  const bool KeepsMap = Check || R.Kind == RequestKind::Linearize;
  if (unsigned Flags =
          (TakesKernels ? VERSO_FRAME_TAKES_KERNELS : 0) |
          (KeepsMap ? VERSO_FRAME_KEEPS_MAP : 0) |
          (R.Kind == RequestKind::Linearize ? VERSO_FRAME_SEEDS_FOLLOW : 0))
    Frame = B.CreateConstGEP1_64(B.getInt8Ty(), Frame, Flags);
  Context = callRuntime(B, RuntimeFunction::Begin, {where(), Frame});
  passArguments();
  if (Copy)
    emitCopy(Copy);
  Function *Twin =
      Registry.get(*R.Primal, Varied,
                   {.PointersTracked = PointersTracked,
                    // Most requests beside a watch will have to look.
                    .IsRoot = !M.getFunction("verso_watch"),
                    .Checked = InCopy});
  SmallVector<Value *, 16> All{Context};
  append_range(All, Arguments);
  append_range(All, Companions);
  Value *Returned = B.CreateCall(Twin, All);
  Type *T = R.Primal->getReturnType();
  Value *Primal = Returned, *Ids = nullptr;
  if (Twins::returnsCompanion(T)) {
    Primal = B.CreateExtractValue(Returned, 0);
    Ids = B.CreateExtractValue(Returned, 1);
  }
  if (R.Kind == RequestKind::Linearize) {
    CallInst *Map = takeMap(RuntimeFunction::Keep, Ids, Primal);
    Map->setMetadata("verso.inert", nullptr); // An outer request refuses it.
    callRuntime(B, RuntimeFunction::End, {Context});
    Registry.setCaller(*Twin, finish({Map}));
    return F;
  }
  if (Copy)
    emitComparison(Ids, Primal);
  B.CreateCall(getSupportFunction(M, "__verso_release"), {Context});
  if (Ids && holdsReal(T)) {
    if (R.Cotangent)
      seed(Ids, inside(R.Cotangent), T);
    else if (T->isFloatingPointTy())
      seed(Ids, ConstantFP::get(T, 1), T);
  }
  B.CreateCall(getSupportFunction(M, "__verso_resolve"), {Context});
  SmallVector<Value *, 8> Results;
  if (R.DeliversValue && !T->isVoidTy())
    Results.push_back(Primal);
  for (const Wanted &W : Outs)
    Results.push_back(W.Shadow ? B.CreateLoad(W.T, W.Shadow)
                               : takeAdjoints(W.Ids, W.T));
  callRuntime(B, RuntimeFunction::End, {Context});
  Registry.setCaller(*Twin, finish(Results));
  return F;
}

Function *verso::lowerTaped(Request &R, Twins &Registry, TapeChecks Checks,
                            bool TakesKernels) {
  return TapedRequest(R, Registry, Checks, TakesKernels).lower();
}
