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

/// A byte of the second window says by what kind of argument it was stored, as
/// what, and whether it is the first of what was stored.
static constexpr uint8_t ByConstant = 1, ByShadowed = 2, IsFirst = 0x80;
static constexpr unsigned KindShift = 2;

static constexpr StringLiteral Meets =
    "memory that a number was stored in was given both as an argument with a "
    "shadow and as one that does not vary, or something of another type was "
    "stored over a part of it; give it once, or use -verso-strategy=taped";

/// The marks of a value of type \p T.
static APInt marksOf(Type *T, uint64_t Bytes, uint8_t By) {
  const uint8_t Kind = T->isFloatingPointTy() ? 1 + T->getTypeID() : 0;
  APInt Marks =
      APInt::getSplat(8 * Bytes, APInt(8, By | uint8_t(Kind << KindShift)));
  Marks |= IsFirst;
  return Marks;
}

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
    const bool IsStore = isa<StoreInst>(I);
    if (!T || !(T->isFloatingPointTy() || (IsStore && T->isIntegerTy())))
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
    if (IsConstant || IsStore)
      callRuntime(B, RuntimeFunction::TouchTangents,
                  {Windows, P, B.getInt64(Size)});
    Value *Place = mapped(B, P, 1);
    if (IsStore) {
      APInt Marks = marksOf(T, Size, IsConstant ? ByConstant : ByShadowed);
      inert(B.CreateAlignedStore(B.getInt(Marks), Place, Align(1)));
    } else if (!(IsConstant && IsOther)) {
      Value *Found = inert(
          B.CreateAlignedLoad(B.getIntNTy(8 * Size), Place, MaybeAlign(1)));
      APInt OfConstants = APInt::getSplat(8 * Size, APInt(8, ByConstant));
      Value *Wrong =
          IsConstant
              ? B.CreateAnd(B.CreateIsNotNull(Found),
                            B.CreateICmpNE(
                                Found, B.getInt(marksOf(T, Size, ByConstant))))
              : B.CreateIsNotNull(B.CreateAnd(Found, B.getInt(OfConstants)));
      Fail(*cast<Instruction>(Wrong), Meets, *I);
    }
  }
}

void MappedConstants::end(IRBuilderBase &B) const {
  callRuntime(B, RuntimeFunction::EndTangents, {Windows});
}
