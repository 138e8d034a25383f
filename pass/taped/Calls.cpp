//===- Calls.cpp - twins and library functions ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Companion.h"
#include "taped/Instrumenter.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace verso;

void Instrumenter::visitCallBase(CallBase &I) {
  if (Twins::isTwinCall(&I))
    return callTwin(I);
  CallModel M = modelCall(I, TLI);
  if (!I.doesNotThrow()) {
    // Whoever catches takes up the tape where the context says it ends.
    IRBuilder<> B(&I);
    Tape.spill(B);
    if (auto *Invoke = dyn_cast<InvokeInst>(&I))
      reloadIn(*Invoke->getUnwindDest());
  }
  switch (M.K) {
  case CallModel::Operation:
  case CallModel::Inactive:
    return;
  case CallModel::Library:
    return callLibrary(I, *M.Known);
  case CallModel::Unsupported:
    return fail(I, M.Why, M.Remedy);
  case CallModel::Direct:
    return fail(I, "cannot differentiate this call of a variadic function",
                "pass the numbers as an array, or mark it verso_inactive if it "
                "carries no derivative");
  case CallModel::Indirect:
    return fail(
        I,
        "cannot differentiate a call of a variadic function through a pointer",
        "call the function by its name or pass the numbers as an array; if the "
        "pointer has no prototype, give it one");
  case CallModel::Twin:
    llvm_unreachable("handled above");
  }
}

/// The call was rewritten by Twins::rewriteCalls; its companions, which come
/// last, are still zero.
void Instrumenter::callTwin(CallBase &I) {
  unsigned Companion = Twins::firstCompanion(I);
  for (unsigned K = 1; Companion < I.arg_size() && K < Twins::firstCompanion(I);
       ++K)
    if (Twins::hasCompanion(I, K))
      I.setArgOperand(Companion++, companion(I.getArgOperand(K)));
  checkShadows(I);
  IRBuilder<> Before(&I);
  Tape.spill(Before);
  BuilderAfter B(I);
  Tape.reload(B);
  Tape.startSegment(&*B.GetInsertPoint());
  if (auto *Invoke = dyn_cast<InvokeInst>(&I))
    reloadIn(*Invoke->getUnwindDest());
}

/// The sweep of an inner request reads and writes its shadows through addresses
/// that it keeps itself, where an outer offset does not go along. So their cells
/// must have been touched before: then their images say all that is needed.
void Instrumenter::checkShadows(CallBase &I) {
  for (unsigned K = 1; K < I.arg_size(); ++K) {
    if (!I.getAttributes().hasParamAttr(K, "verso-shadow") ||
        !isTracked(I.getArgOperand(K)))
      continue;
    Value *Shadow = I.getArgOperand(K);
    IRBuilder<> B(&I);
    Value *Word = loadImage(B, B.getInt32Ty(), Shadow);
    Value *Untouched = B.CreateICmpUGE(B.CreateSub(Word, Tape.base()),
                                       Tape.next(B));
    Value *Tracked = B.CreateIsNotNull(companion(Shadow));
    emitIf(B, B.CreateAnd(Untouched, Tracked), nullptr,
           [&](IRBuilder<> &Then) {
             callRuntime(
                 Then, RuntimeFunction::Fail,
                 {Then.CreateGlobalString(
                      "the shadow of an inner request is itself "
                      "differentiated, and was not written before; set it to "
                      "zero in the differentiated function",
                      "verso.reason"),
                  Then.CreateGlobalString(describeLocation(I),
                                          "verso.where")});
             return nullptr;
           });
  }
}

void Instrumenter::reloadIn(BasicBlock &Pad) {
  if (!ReloadedPads.insert(&Pad).second)
    return;
  IRBuilder<> B(&Pad, Pad.getFirstInsertionPt());
  Tape.reload(B);
}

/// The offset of pointer argument K, null if it is untracked for certain.
Value *Instrumenter::argumentOffset(CallBase &I, int K) {
  return K < 0 ? nullptr : placeOf(I.getArgOperand(K)).Offset;
}

/// The number of bytes that the call works on, null if it is not known.
Value *Instrumenter::bytesOf(IRBuilderBase &B, CallBase &I,
                             const KnownCall &K) {
  if (K.Size < 0)
    return K.FixedSize ? B.getInt64(K.FixedSize) : nullptr;
  Value *Bytes = B.CreateZExtOrTrunc(I.getArgOperand(K.Size), B.getInt64Ty());
  if (K.Count >= 0)
    Bytes = B.CreateMul(Bytes, B.CreateZExtOrTrunc(I.getArgOperand(K.Count),
                                                   B.getInt64Ty()));
  return Bytes;
}

void Instrumenter::copyImages(IRBuilderBase &B, Value *To, Value *From,
                              Value *Bytes, Value *ToOffset,
                              Value *FromOffset) {
  if (!ToOffset && !FromOffset) {
    inert(B.CreateMemMove(shadow(B, To), Align(1), shadow(B, From), Align(1),
                          Bytes));
    return;
  }
  Tape.spill(B);
  Value *None = B.getInt64(0);
  callRuntime(B, RuntimeFunction::CopyImages,
              {Tape.context(), To, From, Bytes, ToOffset ? ToOffset : None,
               FromOffset ? FromOffset : None});
  Tape.reload(B);
  Tape.startSegment(&*B.GetInsertPoint());
}

void Instrumenter::clearImages(IRBuilderBase &B, Value *P, Value *Bytes,
                               Value *Offset) {
  if (!Offset && isa<ConstantInt>(Bytes)) {
    inert(B.CreateMemSet(shadow(B, P), B.getInt8(0), Bytes, Align(1)));
    return;
  }
  Tape.spill(B);
  callRuntime(B, RuntimeFunction::ClearImages,
              {Tape.context(), P, Bytes, Offset ? Offset : B.getInt64(0)});
  Tape.reload(B);
  Tape.startSegment(&*B.GetInsertPoint());
}

void Instrumenter::callLibrary(CallBase &I, const KnownCall &K) {
  if (A.isActive(&I) && K.returnsArgument() >= 0)
    setCompanion(&I, companion(I.getArgOperand(K.returnsArgument())));
  BuilderAfter B(I);
  Value *Bytes = bytesOf(B, I, K);
  auto Arg = [&](int N) { return I.getArgOperand(N); };
  switch (K.K) {
  case KnownCall::Copy:
    // The images of the source are read after the copy: memmove may overlap,
    // but images are moved as one piece as well.
    return copyImages(B, Arg(K.Destination), Arg(K.Source), Bytes,
                      argumentOffset(I, K.Destination),
                      argumentOffset(I, K.Source));
  case KnownCall::Set:
  case KnownCall::WritesBytes:
    clearScanned(I, K);
    if (Bytes && K.Destination >= 0)
      clearImages(B, Arg(K.Destination), Bytes,
                  argumentOffset(I, K.Destination));
    return;
  case KnownCall::AllocateZeroed:
    return clearImages(B, &I, B.CreateFreeze(Bytes), nullptr);
  case KnownCall::Reallocate: {
    IRBuilder<> Before(&I);
    Module *M = F.getParent();
    FunctionCallee Usable = M->getOrInsertFunction(
        "malloc_usable_size", Before.getInt64Ty(), Before.getPtrTy());
    Value *Old = inert(Before.CreateCall(Usable, Arg(K.Source)));
    return copyImages(
        B, &I, Arg(K.Source),
        B.CreateBinaryIntrinsic(Intrinsic::umin, Old, Bytes), nullptr, nullptr);
  }
  case KnownCall::Sort:
    return fail(I, "cannot differentiate a sort through this function",
                "call qsort or std::sort");
  default:
    clearScanned(I, K);
    return; // Allocation and release leave no images that anybody reads.
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
      clearImages(B, I.getArgOperand(Arg), B.getInt64(Bytes),
                  argumentOffset(I, Arg));
    }
}
