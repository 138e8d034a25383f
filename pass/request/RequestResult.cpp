//===- RequestResult.cpp - what a request returns -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/RequestResult.h"
#include "emit/Location.h"
#include "emit/Runtime.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

/// V as a T: floating-point types convert, others must agree.
static Value *convert(IRBuilderBase &B, Value *V, Type *T) {
  if (V->getType() == T)
    return V;
  if (V->getType()->isFloatingPointTy() && T->isFloatingPointTy())
    return B.CreateFPCast(V, T);
  return nullptr;
}

/// The scalars of V in order.
static void flatten(IRBuilderBase &B, Value *V,
                    SmallVectorImpl<Value *> &Scalars) {
  Type *T = V->getType();
  if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    for (unsigned K = 0; K != Vector->getNumElements(); ++K)
      Scalars.push_back(B.CreateExtractElement(V, K));
  } else if (isa<StructType, ArrayType>(T)) {
    unsigned N =
        T->isArrayTy() ? T->getArrayNumElements() : T->getStructNumElements();
    for (unsigned K = 0; K != N; ++K)
      flatten(B, B.CreateExtractValue(V, K), Scalars);
  } else {
    Scalars.push_back(V);
  }
}

/// Fills a value of type T with scalars, in order; null if they do not fit.
static Value *fill(IRBuilderBase &B, Type *T, ArrayRef<Value *> &Scalars) {
  if (!isa<StructType, ArrayType, FixedVectorType>(T)) {
    if (Scalars.empty())
      return nullptr;
    Value *V = convert(B, Scalars.front(), T);
    Scalars = Scalars.drop_front();
    return V;
  }
  Value *Whole = PoisonValue::get(T);
  if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    for (unsigned K = 0; K != Vector->getNumElements(); ++K) {
      Value *E = fill(B, Vector->getElementType(), Scalars);
      if (!E)
        return nullptr;
      Whole = B.CreateInsertElement(Whole, E, K);
    }
    return Whole;
  }
  unsigned N =
      T->isArrayTy() ? T->getArrayNumElements() : T->getStructNumElements();
  for (unsigned K = 0; K != N; ++K) {
    Value *E = fill(B, ExtractValueInst::getIndexedType(T, K), Scalars);
    if (!E)
      return nullptr;
    Whole = B.CreateInsertValue(Whole, E, K);
  }
  return Whole;
}

Value *verso::packResults(IRBuilderBase &B, ArrayRef<Value *> Results,
                          Type *T) {
  if (Results.empty())
    return Constant::getNullValue(T);
  SmallVector<Value *, 8> Scalars;
  for (Value *V : Results)
    flatten(B, V, Scalars);
  ArrayRef<Value *> Left = Scalars;
  if (Value *Whole = fill(B, T, Left))
    return Whole;
  // The ABI packed the struct (two floats in an i64, ...): through memory.
  SmallVector<Type *, 8> Types;
  for (Value *V : Scalars)
    Types.push_back(V->getType());
  StructType *Packed = StructType::get(B.getContext(), Types);
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  Function *F = B.GetInsertBlock()->getParent();
  IRBuilder<> Entry(&F->getEntryBlock(), F->getEntryBlock().begin());
  uint64_t Size =
      std::max<uint64_t>(DL.getTypeAllocSize(Packed), DL.getTypeAllocSize(T));
  AllocaInst *Slot =
      Entry.CreateAlloca(ArrayType::get(Entry.getInt8Ty(), Size));
  Slot->setAlignment(Align(16));
  for (auto [K, V] : enumerate(Scalars))
    B.CreateStore(V, B.CreateStructGEP(Packed, Slot, K));
  return B.CreateLoad(T, Slot);
}

/// At the start of \p F, which is called with \p Arguments: if (argument &&
/// !shadow) fail(). An outer request would lose what it knows of arguments.
static void refuseNullShadows(const Request &R, Function &F,
                              ArrayRef<Value *> Arguments) {
  const SimplifyQuery Query(F.getDataLayout(), R.Call);
  auto Inside = [&](Value *V) -> Value * {
    return isa<Constant>(V) ? V
                            : F.getArg(find(Arguments, V) - Arguments.begin());
  };
  for (auto [K, A] : enumerate(R.Arguments)) {
    SmallVector<Value *, 4> Shadows;
    if (A.Shadow && A.Primal->getType()->isPointerTy())
      Shadows.push_back(A.Shadow);
    append_range(Shadows, A.OtherShadows);
    for (Value *Shadow : Shadows) {
      if (!Shadow->getType()->isPointerTy() ||
          isa<ConstantPointerNull>(A.Primal) || isKnownNonZero(Shadow, Query))
        continue;
      BasicBlock::iterator At =
          F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
      IRBuilder<> B(&*At);
      Value *IsNull = B.CreateAnd(B.CreateIsNull(Inside(Shadow)),
                                  B.CreateIsNotNull(Inside(A.Primal)));
      B.SetInsertPoint(SplitBlockAndInsertIfThen(
          IsNull, At, /*Unreachable=*/true,
          MDBuilder(F.getContext()).createUnlikelyBranchWeights()));
      unsigned Number = K + 1 - (R.SretParameter && *R.SretParameter < K);
      std::string Reason =
          "the shadow of parameter " + std::to_string(Number) + " of '" +
          sourceName(*R.Primal) +
          "' is a null pointer (give memory that is as large as what the "
          "argument points to, or mark it verso_const)";
      callRuntime(B, RuntimeFunction::Fail,
                  {B.CreateGlobalString(Reason, "verso.reason"),
                   emitLocation(B, *R.Call)});
    }
  }
}

CallBase &verso::replaceByCall(Request &R, Function *F,
                               ArrayRef<Value *> Arguments) {
  if (!R.IsInner)
    refuseNullShadows(R, *F, Arguments);
  CallBase &Old = *R.Call;
  IRBuilder<> B(&Old);
  CallBase *New;
  BasicBlock::iterator After;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Old)) {
    New = B.CreateInvoke(F, Invoke->getNormalDest(), Invoke->getUnwindDest(),
                         Arguments);
    After = Invoke->getNormalDest()->getFirstInsertionPt();
  } else {
    New = B.CreateCall(F, Arguments);
    After = Old.getIterator();
  }
  New->setDebugLoc(Old.getDebugLoc());
  if (R.ResultPointer) {
    IRBuilder<> Store(After->getParent(), After);
    Store.CreateStore(New, R.ResultPointer);
  } else if (!Old.getType()->isVoidTy()) {
    Old.replaceAllUsesWith(New);
  }
  eraseRequestCall(R);
  return *New;
}
