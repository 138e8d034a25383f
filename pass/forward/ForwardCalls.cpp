//===- ForwardCalls.cpp - twins and library functions ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/MovedBytes.h"
#include "emit/BuilderAfter.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "forward/ForwardInstrumenter.h"
#include "forward/LocalObjects.h"
#include "prepare/UnseenWrites.h"
#include "rules/Detached.h"
#include "rules/Staged.h"
#include "rules/Zero.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace verso;

void ForwardInstrumenter::visitCallBase(CallBase &I) {
  if (Twins::isTwinCall(&I))
    return callTwin(I);
  if (beginLife(I))
    return;
  if (isZeroTest(I))
    return testTangents(I);
  if (takesOfArena(I))
    return takeBlock(I);
  if (ByteCall Bytes = byteCall(I); Bytes != ByteCall::None)
    return callOnBytes(I, Bytes == ByteCall::Moves);
  CallModel M = modelRewrittenCall(I, TLI);
  switch (M.K) {
  case CallModel::Operation:
  case CallModel::Inactive:
    return;
  case CallModel::Library:
    return callLibrary(I, *M.Known);
  case CallModel::Unsupported:
    return fail(I, M.Why, M.Remedy);
  case CallModel::Direct:
  case CallModel::Indirect:
  case CallModel::Silent:
  case CallModel::Twin:
    llvm_unreachable("handled above");
  }
}

/// Zero has no effect only if its tangents are zero too.
void ForwardInstrumenter::testTangents(CallBase &I) {
  Value *X = I.getArgOperand(0);
  if (!A.isActive(X))
    return;
  BuilderAfter B(I);
  SmallPtrSet<User *, 8> Tests;
  Value *All = &I;
  for (Value *Dot : lanes(B, X)) {
    All = B.CreateAnd(All, emitIsZero(B, Dot));
    Tests.insert(cast<User>(All));
  }
  I.replaceUsesWithIf(All,
                      [&](Use &U) { return !Tests.contains(U.getUser()); });
}

/// The call was rewritten by Twins::rewriteCalls; its tangents, which come
/// last, are still zero.
void ForwardInstrumenter::callTwin(CallBase &I) {
  IRBuilder<> B(&I);
  unsigned First = Twins::firstCompanion(I), Next = First;
  for (unsigned K = 1; Next < I.arg_size() && K < First; ++K)
    if (Twins::hasCompanion(I, K))
      I.setArgOperand(Next++, tangent(B, I.getArgOperand(K)));
}

void ForwardInstrumenter::callLibrary(CallBase &I, const KnownCall &K) {
  auto Arg = [&](int N) { return I.getArgOperand(N); };
  if (A.isActive(&I) && K.K == KnownCall::ArraysOfPlan) {
    Value *Plan = Arg(0);
    mapLanes(I, [&](IRBuilderBase &B, unsigned Lane) -> Value * {
      Value *Shadow = lanes(B, Plan)[Lane];
      Value *HasNone = B.CreateICmpEQ(Shadow, mapped(B, Plan, Lane));
      Value *Arrays =
          callRuntime(B, RuntimeFunction::ArraysOfShadow,
                      {Context, &I, Plan, B.CreateSelect(HasNone, Plan, Shadow),
                       I.getArgOperand(2), B.getInt32(1)});
      return B.CreateSelect(HasNone, mapped(B, &I, Lane), Arrays);
    });
  } else if (A.isActive(&I) && K.returnsArgument() >= 0) {
    // The result lies in the argument's object.
    Value *Whole = Arg(K.returnsArgument());
    mapLanes(I, [&](IRBuilderBase &B, unsigned Lane) {
      Value *Distance = B.CreateSub(B.CreatePtrToInt(&I, B.getInt64Ty()),
                                    B.CreatePtrToInt(Whole, B.getInt64Ty()));
      return orMapped(
          B,
          B.CreateSelect(
              B.CreateIsNull(&I), Constant::getNullValue(I.getType()),
              B.CreateGEP(B.getInt8Ty(), lanes(B, Whole)[Lane], Distance)),
          &I, Lane);
    });
  }
  BuilderAfter B(I);
  Value *Bytes = K.K == KnownCall::WritesBytes ? bytesWritten(B, I, K)
                                               : bytesOfCall(B, I, K);
  switch (K.K) {
  case KnownCall::Copy:
    // Tangents are moved after the bytes: they may overlap, but are moved as
    // one piece as well.
    if (isDirect(I))
      zeroRange(B, Arg(K.Destination), Bytes);
    else
      copyRange(B, Arg(K.Destination), Arg(K.Source), Bytes);
    if (isStaged(I))
      for (auto [OfTo, OfFrom] :
           zip(lanes(B, Arg(K.Destination)), lanes(B, Arg(K.Source))))
        if (!emitJvpOfStaged(B, I, {OfTo, OfFrom}))
          return fail(I, "no JVP is given of " + nameOfStaged(I),
                      "give one as the last operand of VERSO_CUSTOM_VJP");
    return;
  case KnownCall::Set:
    if (detachesNumbers(I))
      return detachRange(B, Arg(K.Destination), Bytes);
    [[fallthrough]];
  case KnownCall::WritesBytes:
    clearScanned(I, K);
    if (Bytes && K.Destination >= 0)
      clearRange(B, Arg(K.Destination), Bytes);
    return;
  case KnownCall::Allocate:
  case KnownCall::AllocateZeroed:
    if (Bytes)
      takeHeapBlock(B, I, bytesOfBlock(B, I, K));
    return;
  case KnownCall::Reallocate: {
    IRBuilder<> Before(&I);
    Before.SetCurrentDebugLocation(I.getDebugLoc());
    Value *Old = bytesBeforeCall(Before, I, K);
    Lanes Source = lanes(Before, Arg(K.Source));
    Value *Kept =
        B.CreateBinaryIntrinsic(Intrinsic::umin, Old, bytesOfBlock(B, I, K));
    callRuntime(B, RuntimeFunction::TouchTangents, {Context, &I, Kept});
    for (unsigned L = 0; L != Width; ++L) {
      Value *Shadow = mapped(B, &I, L);
      B.CreateMemMove(Shadow, Align(1), Source[L], Align(1), Kept);
      if (Registry.isSilent())
        keepPointers(B, &I, Shadow, Kept);
    }
    return;
  }
  case KnownCall::Free:
    if (hasSibling(I)) {
      for (Value *Sibling : lanes(B, Arg(K.Source)))
        releaseHeapSibling(B, Sibling);
    } else if (Value *Freed = bytesToForget(I, K)) {
      IRBuilder<> Before(&I);
      callRuntime(Before, RuntimeFunction::ClearTangents,
                  {Context, Arg(K.Source), Freed});
    }
    return;
  case KnownCall::Sort:
    return fail(I, "cannot differentiate a sort through this function",
                "call qsort or std::sort");
  default:
    return clearScanned(I, K);
  }
}

/// What scanf and its like write through their pointer arguments is inactive.
void ForwardInstrumenter::clearScanned(CallBase &I, const KnownCall &K) {
  if (K.FirstScanned < 1 || unsigned(K.FirstScanned) >= I.arg_size())
    return;
  StringRef Format;
  std::optional<SmallVector<unsigned, 8>> Sizes;
  if (getConstantStringInfo(I.getArgOperand(K.FirstScanned - 1), Format))
    Sizes = scannedSizes(Format);
  if (!Sizes)
    return fail(I, "the format of this call is not known",
                "give the format as a string literal");
  for (auto [N, Bytes] : enumerate(*Sizes))
    if (unsigned Arg = K.FirstScanned + N; Bytes && Arg < I.arg_size()) {
      BuilderAfter B(I);
      clearRange(B, I.getArgOperand(Arg), B.getInt64(Bytes));
    }
}
