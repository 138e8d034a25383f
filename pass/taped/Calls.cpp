//===- Calls.cpp - twins and library functions ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/MovedBytes.h"
#include "emit/Companion.h"
#include "emit/Location.h"
#include "prepare/OutlineAccesses.h"
#include "prepare/UnseenWrites.h"
#include "rules/Detached.h"
#include "rules/Staged.h"
#include "taped/Instrumenter.h"
#include "taped/StagedRecords.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace verso;

void Instrumenter::visitCallBase(CallBase &I) {
  if (Twins::isTwinCall(&I))
    return callTwin(I);
  if (ByteCall Bytes = byteCall(I); Bytes != ByteCall::None)
    return callOnBytes(I, Bytes == ByteCall::Moves);
  CallModel M = modelRewrittenCall(I, TLI);
  if (!I.doesNotThrow()) {
    // Whoever catches takes up the tape where the context says it ends.
    IRBuilder<> B(&I);
    Tape.spill(B);
    if (auto *Invoke = dyn_cast<InvokeInst>(&I))
      reloadIn(*Invoke->getUnwindDest());
  }
  if (isLongJump(I))
    visitLongJump(I);
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

/// Where a jump ends, what was on the tape before it was made still is.
void Instrumenter::visitLongJump(CallBase &I) {
  IRBuilder<> Before(&I);
  Tape.spill(Before);
  if (!I.hasFnAttr(Attribute::ReturnsTwice))
    return;
  BuilderAfter B(I);
  Tape.reload(B);
  Tape.startSegment(&*B.GetInsertPoint(), /*HasRoom=*/false);
}

/// The call was rewritten by Twins::rewriteCalls; its companions, which come
/// last, are still zero.
void Instrumenter::callTwin(CallBase &I) {
  unsigned Companion = Twins::firstCompanion(I);
  for (unsigned K = 1; Companion < I.arg_size() && K < Twins::firstCompanion(I);
       ++K)
    if (Twins::hasCompanion(I, K))
      I.setArgOperand(Companion++, companion(I.getArgOperand(K)));
  IRBuilder<> Before(&I);
  Tape.spill(Before);
  BuilderAfter B(I);
  Tape.reload(B);
  const Function *Twin = I.getCalledFunction();
  Tape.startSegment(&*B.GetInsertPoint(),
                    /*HasRoom=*/Twin && isAccessor(*Twin));
  if (auto *Invoke = dyn_cast<InvokeInst>(&I))
    reloadIn(*Invoke->getUnwindDest());
}

void Instrumenter::reloadIn(BasicBlock &Pad) {
  if (!ReloadedPads.insert(&Pad).second)
    return;
  IRBuilder<> B(&Pad, Pad.getFirstInsertionPt());
  Tape.reload(B);
}

/// What pointer argument K points to, which may be null: one that passes for a
/// zero has no shadow.
Instrumenter::Place Instrumenter::argumentPlace(IRBuilderBase &B, CallBase &I,
                                                int K) {
  Value *P = I.getArgOperand(K);
  return {P, placeOf(P).Shadow ? addressShadow(B, P) : nullptr};
}

void Instrumenter::copyImages(IRBuilderBase &B, Place To, Place From,
                              Value *Bytes) {
  if (Registry.isSilent() && !Registry.pointersTracked())
    return clearImages(B, To, Bytes);
  auto IsWhole = [&](Place At) {
    return At.Pointer->getPointerAlignment(F.getDataLayout()) >= Align(4);
  };
  auto *Known = dyn_cast<ConstantInt>(Bytes);
  bool MayPartGranules =
      Registry.sharesGranules() && !(Known && Known->getZExtValue() % 4 == 0 &&
                                     IsWhole(To) && IsWhole(From));
  if (!Registry.isSilent() && !MayPartGranules && !To.Shadow && !From.Shadow) {
    inert(B.CreateMemMove(shadow(B, To.Pointer), Align(1),
                          shadow(B, From.Pointer), Align(1), Bytes));
    return;
  }
  callClaiming(B, "__verso_copy_claimed",
               {Tape.context(), To.Pointer, shadowOf(To), From.Pointer,
                shadowOf(From), Bytes, B.getInt32(Registry.isSilent())});
  Tape.startSegment(&*B.GetInsertPoint());
}

void Instrumenter::clearImages(IRBuilderBase &B, Place At, Value *Bytes) {
  auto *Known = dyn_cast<ConstantInt>(Bytes);
  bool WholeGranules =
      Known && Known->getZExtValue() % 4 == 0 &&
      At.Pointer->getPointerAlignment(F.getDataLayout()) >= Align(4);
  if (!At.Shadow && WholeGranules) {
    inert(B.CreateMemSet(shadow(B, At.Pointer), B.getInt8(0), Bytes, Align(1)));
    return;
  }
  callClaiming(B, "__verso_clear_claimed",
               {Tape.context(), At.Pointer, shadowOf(At), Bytes});
  Tape.startSegment(&*B.GetInsertPoint());
}

/// As if an inactive function had copied them to where they are.
void Instrumenter::detachNumbers(IRBuilderBase &B, Place At, Value *Bytes) {
  if (!Registry.pointersTracked())
    return clearImages(B, At, Bytes);
  callClaiming(B, "__verso_copy_claimed",
               {Tape.context(), At.Pointer, shadowOf(At), At.Pointer,
                shadowOf(At), Bytes, B.getInt32(/*OnlyPointers=*/1)});
  Tape.startSegment(&*B.GetInsertPoint());
}

void Instrumenter::recordStaged(IRBuilderBase &B, CallBase &I) {
  Tape.spill(B);
  Value *IsRecorded = emitStagedRecord(B, I, Tape.context());
  if (!IsRecorded)
    return fail(I, "no VJP is given of " + nameOfStaged(I),
                "give one as the fifth operand of VERSO_CUSTOM_VJP");
  failIf(B, B.CreateNot(IsRecorded), I,
         "a function whose VJP is given is called in a taped request that is "
         "differentiated itself (-Rpass-missed=verso says why it is not "
         "structured), or its record does not fit on the tape "
         "(VERSO_TAPE_LIMIT)");
  Tape.reload(B);
  Tape.startSegment(&*B.GetInsertPoint());
}

void Instrumenter::callLibrary(CallBase &I, const KnownCall &K) {
  BuilderAfter B(I);
  if (A.isActive(&I) && K.K == KnownCall::ArraysOfPlan) {
    Value *Plan = I.getArgOperand(0);
    setCompanion(&I, callRuntime(B, RuntimeFunction::ArraysOfShadow,
                                 {Tape.context(), &I, Plan, companion(Plan),
                                  I.getArgOperand(2), B.getInt32(0)}));
  } else if (A.isActive(&I) && K.returnsArgument() >= 0) {
    // null, or as far into the shadow as it is into the memory
    Value *Into = I.getArgOperand(K.returnsArgument());
    Value *Distance = B.CreateSub(B.CreatePtrToInt(&I, B.getInt64Ty()),
                                  B.CreatePtrToInt(Into, B.getInt64Ty()));
    setCompanion(&I, B.CreateSelect(B.CreateIsNull(&I), &I,
                                    B.CreatePtrAdd(companion(Into), Distance)));
  }
  Value *Bytes = K.K == KnownCall::WritesBytes ? bytesWritten(B, I, K)
                                               : bytesOfCall(B, I, K);
  auto Arg = [&](int N) { return I.getArgOperand(N); };
  switch (K.K) {
  case KnownCall::Copy: {
    if (isStaged(I))
      return recordStaged(B, I);
    Place To = placeOf(Arg(K.Destination)), From = placeOf(Arg(K.Source));
    if (!To.Shadow && overwritesPart(I))
      return overwritePart(B, To, Bytes);
    CopiedRecord R = copiedRecord(I);
    erase_if(R.Fields, [](const CopiedRecord::Field &Each) {
      return Each.Kind == VERSO_COPIED_UNKNOWN;
    });
    if (!R.Fields.empty())
      touchBytes(B, From, Bytes, {}, R);
    else if (auto Known = copiedNumbers(I); !Known.empty())
      touchBytes(B, From, Bytes, Known);
    // The images of the source are read after the copy: memmove may overlap,
    // but images are moved as one piece as well.
    return copyImages(B, To, From, Bytes);
  }
  case KnownCall::Set:
    if (detachesNumbers(I))
      return detachNumbers(B, placeOf(Arg(K.Destination)), Bytes);
    if (Place To = placeOf(Arg(K.Destination)); overwritesPart(I)) {
      if (!To.Shadow)
        return overwritePart(B, To, Bytes);
      Value *Tracked = isTracked(B, To);
      verso::emitIf(B, B.CreateNot(Tracked), /*Unlikely=*/false,
                    [&](IRBuilder<> &Then) { overwritePart(Then, To, Bytes); });
      return verso::emitIf(
          B, Tracked, /*Unlikely=*/false, [&](IRBuilder<> &Then) {
            callClaiming(Then, "__verso_clear_claimed",
                         {Tape.context(), To.Pointer, To.Shadow, Bytes});
          });
    }
    return clearImages(B, placeOf(Arg(K.Destination)), Bytes);
  case KnownCall::WritesBytes:
    clearScanned(I, K);
    if (Bytes && K.Destination >= 0)
      clearImages(B, argumentPlace(B, I, K.Destination), Bytes);
    return;
  case KnownCall::AllocateZeroed:
    return clearImages(B, {&I, nullptr}, bytesOfBlock(B, I, K));
  case KnownCall::Reallocate: {
    IRBuilder<> Before(&I);
    Value *Old = bytesBeforeCall(Before, I, K);
    // The size that is asked for may be known behind the call only.
    touchBytes(Before, placeOf(Arg(K.Source)), Old, {});
    return copyImages(
        B, {&I, nullptr}, {Arg(K.Source), nullptr},
        B.CreateBinaryIntrinsic(Intrinsic::umin, Old, bytesOfBlock(B, I, K)));
  }
  case KnownCall::Sort:
    return fail(I, "cannot differentiate a sort through this function",
                "call qsort or std::sort");
  case KnownCall::Free:
    // Images of the user's cells stay: they say what their shadows get.
    if (Value *Freed = bytesToForget(I, K)) {
      IRBuilder<> Before(&I);
      Place At = argumentPlace(Before, I, K.Source);
      if (At.Shadow)
        Freed = Before.CreateSelect(Before.CreateICmpEQ(At.Shadow, At.Pointer),
                                    Freed, Before.getInt64(0));
      callRuntime(Before, RuntimeFunction::ClearImages,
                  {Tape.context(), At.Pointer, Freed, Before.getInt64(0)});
    }
    return;
  default:
    clearScanned(I, K);
    return; // Allocation leaves no images that anybody reads.
  }
}

/// What scanf and its like write through their pointer arguments is inactive.
void Instrumenter::clearScanned(CallBase &I, const KnownCall &K) {
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
      clearImages(B, argumentPlace(B, I, Arg), B.getInt64(Bytes));
    }
}
