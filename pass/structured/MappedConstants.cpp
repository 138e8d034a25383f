//===- MappedConstants.cpp - scratch memory that is verso_const -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/MappedConstants.h"
#include "emit/Companion.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "verso/Layout.h"

using namespace llvm;
using namespace verso;

/// In bytes of the second window.
static constexpr uint8_t ByConstant = 1, ByShadowed = 2;

static constexpr StringLiteral Meets =
    "memory that a number was stored in was given both as an argument with a "
    "shadow and as one that does not vary; give it once, or use "
    "-verso-strategy=taped";

Value *MappedConstants::mapped(IRBuilderBase &B, Value *P, unsigned Lane) {
  if (!Windows) {
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Entry.SetCurrentDebugLocation(Call.getDebugLoc());
    Windows = callRuntime(
        Entry, RuntimeFunction::BeginTangents,
        {emitLocation(Entry, Call), frameAddress(Entry), Entry.getInt32(2)});
    for (unsigned K : {0, 1}) {
      Value *Field = Entry.CreateConstInBoundsGEP1_64(
          Entry.getInt8Ty(), Windows,
          offsetof(verso_tangents, delta) + K * sizeof(int64_t));
      Delta[K] = inert(Entry.CreateLoad(Entry.getInt64Ty(), Field,
                                        Lane ? "marks" : "adjoints"));
    }
  }
  return mappedAddress(B, P, Delta[Lane]);
}

void MappedConstants::follow(
    ArrayRef<Instruction *> Accesses,
    function_ref<void(Instruction &, StringRef, const Instruction &)> Fail) {
  if (!V.mapsConstants())
    return;
  const DataLayout &DL = F.getDataLayout();
  const Objects &O = V.objects();
  for (Instruction *I : Accesses) {
    auto *P = const_cast<Value *>(getLoadStorePointerOperand(I));
    Type *T = P ? getLoadStoreType(I) : nullptr;
    if (!T || !T->isFloatingPointTy())
      continue;
    uint64_t Size = DL.getTypeStoreSize(T);
    bool IsConstant = V.mayBeMapped(P);
    // What has a shadow of the caller's, or none that is known.
    bool IsOther = any_of(O.placesOf(P), [&](const Place &Q) {
      return O[Q.Object].K == Object::Dup || O[Q.Object].K == Object::Loaded;
    });
    if (!IsConstant && !IsOther)
      continue;
    IRBuilder<> B(I);
    // Stores of either leave marks, and adjoints come where numbers are.
    if (IsConstant || isa<StoreInst>(I))
      callRuntime(B, RuntimeFunction::TouchTangents,
                  {Windows, P, B.getInt64(Size)});
    Value *Mark = mapped(B, P, 1);
    if (isa<StoreInst>(I)) {
      inert(B.CreateMemSet(Mark,
                           B.getInt8(IsConstant ? ByConstant : ByShadowed),
                           Size, MaybeAlign(1)));
    } else if (!(IsConstant && IsOther)) {
      Value *Found =
          inert(B.CreateLoad(B.getInt8Ty(), Mark, /*isVolatile=*/false));
      Value *Wrong = B.CreateICmpEQ(
          Found, B.getInt8(IsConstant ? ByShadowed : ByConstant));
      Fail(*cast<Instruction>(Wrong), Meets, *I);
    }
  }
}

void MappedConstants::end(IRBuilderBase &B) const {
  callRuntime(B, RuntimeFunction::EndTangents, {Windows});
}
