//===- Images.cpp - images, and values whose bits move --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an image (Layout.h) says, and the image that a value has in memory. An
// integer that only moves bits has their image for its companion: it is read
// when the bits become a number or a pointer again, and lost where arithmetic
// changes them.
//
//===----------------------------------------------------------------------===//

#include "analysis/MovedBytes.h"
#include "emit/Companion.h"
#include "prepare/LinearBits.h"
#include "taped/Halves.h"
#include "taped/Instrumenter.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Images of values
//===----------------------------------------------------------------------===//

/// img * (2^32 + 1): what the word and its partner are the image of, or more
/// than any word where they do not fit together. (Swapped: 2^32 less that.)
Value *Instrumenter::productOfPair(IRBuilderBase &B, Value *Image) {
  return B.CreateAdd(Image, B.CreateShl(Image, 32));
}

/// What a live image of a pointer says: the relative ID, as i64. Anything else
/// gives a number that is not below next.
Value *Instrumenter::handleOfPair(IRBuilderBase &B, Value *Image) {
  return B.CreateSub(
      B.CreateSub(B.getInt64(UINT64_C(1) << 32), Tape.wideBase()),
      productOfPair(B, Image));
}

Value *Instrumenter::partner(IRBuilderBase &B, Value *Word) {
  return B.CreateNeg(Word);
}

Value *Instrumenter::isLive(IRBuilderBase &B, Value *Id) {
  return B.CreateICmpULT(Id, Id->getType()->isIntegerTy(64) ? Tape.wideNext(B)
                                                            : Tape.next(B));
}

/// word in the low half, its partner in the high one (Swapped: the other way
/// round).
Value *Instrumenter::pairImage(IRBuilderBase &B, Value *Word, bool Swapped) {
  Value *Other = partner(B, Word);
  Value *Low = B.CreateZExt(Swapped ? Other : Word, B.getInt64Ty());
  Value *High = B.CreateZExt(Swapped ? Word : Other, B.getInt64Ty());
  return B.CreateOr(Low, B.CreateShl(High, 32));
}

/// The ID that an image can hold: a direct one gets a record of its own.
Value *Instrumenter::storableId(IRBuilderBase &B, Value *V) {
  Value *Id = companion(V);
  if (!Registry.pointersTracked() || Tape.isNeverDirect(Id))
    return Id;
  Instruction *Test = cast<Instruction>(B.CreateFreeze(Id));
  Tape.reserve(Test, TapeWriter::recordBytes(1));
  Value *IsDirect = B.CreateICmpSLT(Test, B.getInt32(0));
  return emitIf(B, IsDirect, Test, [&](IRBuilder<> &Then) {
    return Tape.recordReserved(
        Then, {{ConstantFP::get(Then.getDoubleTy(), 1), Test}});
  });
}

Value *Instrumenter::realImage(IRBuilderBase &B, Type *T, Value *Id) {
  if (isHalf(T))
    return imageOfHalf(B, Id);
  if (T->isFloatTy())
    return B.CreateAdd(Id, Tape.base());
  // word * (1 - 2^32)
  Value *Word = B.CreateAdd(B.CreateZExt(Id, B.getInt64Ty()), Tape.wideBase());
  return B.CreateSub(Word, B.CreateShl(Word, 32));
}

/// Where a handle's shadow is kept; null for handle 0.
Value *Instrumenter::slotOf(IRBuilderBase &B, Value *Handle) {
  return B.CreateGEP(B.getInt64Ty(), Tape.adjoints(),
                     B.CreateZExt(Handle, B.getInt64Ty()));
}

std::pair<Value *, Value *>
Instrumenter::splitPair(IRBuilderBase &B, Value *Image, bool Swapped) {
  Value *Low = B.CreateTrunc(Image, B.getInt32Ty());
  Value *High = B.CreateTrunc(B.CreateLShr(Image, 32), B.getInt32Ty());
  return Swapped ? std::pair(High, Low) : std::pair(Low, High);
}

/// Where Bad, the image is live but raw: the runtime gives it a type.
Value *Instrumenter::settle(IRBuilderBase &B, Value *Bad, Value *Id, Value *P,
                            verso_cell_kind Kind) {
  return emitIf(B, Bad, Id,
                [&](IRBuilder<> &Then) { return settle(Then, P, Kind); });
}

Value *Instrumenter::settle(IRBuilderBase &B, Value *P, verso_cell_kind Kind) {
  Tape.spill(B);
  Value *Settled =
      B.CreateCall(getSupportFunction(*F.getParent(), "__verso_settle_claimed"),
                   {Tape.context(), P, B.getInt32(Kind)});
  Tape.reload(B);
  Tape.setNeverDirect(Settled);
  return Settled;
}

/// The image of an i64 or i128 without those of numbers.
Value *Instrumenter::pointersOf(IRBuilderBase &B, Value *Image) {
  Type *T = Image->getType();
  Value *Kept = Constant::getNullValue(T);
  for (unsigned Shift = 0; Shift != T->getIntegerBitWidth(); Shift += 64) {
    Value *Word = B.CreateTrunc(B.CreateLShr(Image, Shift), B.getInt64Ty());
    Word = B.CreateSelect(classify(B, Word).Pointer, Word, B.getInt64(0));
    Kept = B.CreateOr(Kept, B.CreateShl(B.CreateZExt(Word, T), Shift));
  }
  return Kept;
}

/// The ID of a real number of type T whose bits were an integer with this
/// image, known after I.
Value *Instrumenter::realOfImage(Instruction &I, Type *T, Value *Image) {
  BuilderAfter B(I);
  if (auto *Last = dyn_cast<Instruction>(Image);
      Last && !isa<PHINode>(Last) && Last->getParent() == I.getParent())
    B.SetInsertPoint(Last->getParent(), std::next(Last->getIterator()));
  if (isHalf(T))
    return halfOfImage(B, Image);
  bool IsPair = !T->isFloatTy();
  if (Image->getType()->getIntegerBitWidth() > 64)
    Image = B.CreateTrunc(Image, B.getInt64Ty());
  Value *Low = Image, *High = nullptr;
  if (IsPair)
    std::tie(Low, High) = splitPair(B, Image, /*Swapped=*/false);
  auto IdOf = [&](Value *Word) {
    Value *Id = B.CreateSub(Word, Tape.base());
    return B.CreateSelect(B.CreateICmpULT(Id, Tape.next(B)), Id, B.getInt32(0));
  };
  Value *Id = IdOf(Low);
  // The upper half of a double's bits is no float, nor a float half a double.
  Value *IsLost =
      IsPair || Registry.holdsPacked() ? B.getFalse() : isUpperHalf(B, Low);
  if (Registry.sharesGranules()) {
    // Put together of halves, or of bytes, that are marked (Halves.cpp): at the
    // top no ID looks so, nor its partner.
    auto IsMarked = [&](Value *Word) {
      return B.CreateICmpUGE(Word, B.getInt32(0xffff0000));
    };
    Value *EndsMarked =
        B.CreateICmpEQ(B.CreateAnd(Low, 0xffff), B.getInt32(0xffff));
    IsLost = B.CreateOr(IsLost, IsMarked(Low));
    IsLost = B.CreateOr(IsLost, B.CreateAnd(EndsMarked, B.CreateIsNull(Id)));
    if (High)
      IsLost = B.CreateOr(IsLost, IsMarked(High));
  }
  const bool OfUnion = !IsPair && mayBeMember(I);
  if (!IsPair && !Registry.holdsPacked() && !OfUnion)
    return B.CreateSelect(IsLost, B.getInt32(VERSO_ID_LOST), Id);
  // In part: of the upper half alone the ID is the partner's.
  Value *Bad;
  if (IsPair) {
    Value *Any =
        Registry.holdsPacked()
            ? Image // Anything may be pieces of a number.
            : B.CreateOr(Id, B.CreateOr(IdOf(High), IdOf(partner(B, High))));
    Bad = B.CreateAnd(B.CreateIsNotNull(Any),
                      B.CreateICmpNE(High, partner(B, Low)));
  } else { // It may have come in pieces, or in a double.
    Bad = OfUnion ? B.CreateOr(B.CreateIsNotNull(Id), IsLost)
                  : B.CreateAnd(B.CreateIsNotNull(Low), B.CreateIsNull(Id));
    Image = B.CreateZExt(Image, B.getInt64Ty());
  }
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  Value *Slot = Entry.CreateAlloca(
      B.getInt64Ty(), B.getInt32(T->isX86_FP80Ty() ? 2 : 1), "verso.bits");
  storeImage(B, Image, Slot);
  Value *Settled =
      settle(B, Bad, Id, Slot,
             OfUnion ? VERSO_CELL_MEMBER : verso_cell_kind(cellKind(T)));
  return Registry.sharesGranules()
             ? B.CreateSelect(IsLost, B.getInt32(VERSO_ID_LOST), Settled)
             : Settled;
}

//===----------------------------------------------------------------------===//
// Casts of bytes
//===----------------------------------------------------------------------===//

/// The image of all bits of V, as one integer.
Value *Instrumenter::imageOf(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  Value *X = companion(V);
  auto *Vector = dyn_cast<FixedVectorType>(T);
  if (!Vector) {
    if (T->isIntegerTy())
      return X;
    return T->isPointerTy()
               ? pointerImage(B, V, X, mayBeNumber(V))
               : B.CreateZExtOrTrunc(realImage(B, T, storableId(B, V)),
                                     B.getIntNTy(T->getPrimitiveSizeInBits()));
  }
  Type *E = Vector->getElementType();
  unsigned Bits = E->getPrimitiveSizeInBits();
  Type *Whole = B.getIntNTy(T->getPrimitiveSizeInBits());
  Value *Image = Constant::getNullValue(Whole);
  for (unsigned K = 0; K != Vector->getNumElements(); ++K) {
    Value *Part = B.CreateExtractElement(X, K);
    if (E->isFloatingPointTy()) // One record each, in case one is direct.
      Part = realImage(
          B, E, Tape.record(B, {{ConstantFP::get(B.getDoubleTy(), 1), Part}}));
    Image = B.CreateOr(Image, B.CreateShl(B.CreateZExt(Part, Whole), K * Bits));
  }
  return Image;
}

/// The companion of I, whose bits have this image.
Value *Instrumenter::companionOfImage(Instruction &I, Value *Image) {
  Type *T = I.getType();
  auto *Vector = dyn_cast<FixedVectorType>(T);
  if (!Vector)
    return T->isIntegerTy() ? Image : realOfImage(I, T, Image);
  Type *E = Vector->getElementType();
  unsigned Bits = E->getPrimitiveSizeInBits();
  Value *X = zeroCompanion(T);
  auto MoveAfter = [](IRBuilderBase &B, Instruction &Last) {
    B.SetInsertPoint(Last.getParent(),
                     isa<PHINode>(Last)
                         ? Last.getParent()->getFirstInsertionPt()
                         : std::next(Last.getIterator()));
  };
  for (unsigned K = 0; K != Vector->getNumElements(); ++K) {
    BuilderAfter B(I);
    if (auto *Last = dyn_cast<Instruction>(X))
      MoveAfter(B, *Last);
    else if (auto *First = dyn_cast<Instruction>(Image))
      MoveAfter(B, *First);
    Value *Part =
        B.CreateTrunc(B.CreateLShr(Image, K * Bits), B.getIntNTy(Bits));
    if (E->isFloatingPointTy())
      Part = realOfImage(*cast<Instruction>(B.CreateFreeze(Part)), E, Part);
    if (auto *Last = dyn_cast<Instruction>(Part))
      MoveAfter(B, *Last);
    X = B.CreateInsertElement(X, Part, K);
  }
  return X;
}

void Instrumenter::visitCastInst(CastInst &I) {
  Value *X = I.getOperand(0);
  const SmallVector<Value *, 2> Numbers = NumbersIn.lookup(&I);
  if (!isValueOfBits(I) && Numbers.empty() && LosesBits.contains(&I))
    return fail(I,
                "the bits of an active number come back through integer "
                "arithmetic",
                "write it with floating-point operations (copysign, ldexp, "
                "...)");
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I, RunEnd);
  switch (I.getOpcode()) {
  case Instruction::SIToFP:
  case Instruction::UIToFP: {
    Value *Any = Numbers.empty() ? B.getFalse() : Lost.at(B, I);
    return setCompanion(
        &I, noteIfLost(I, B.CreateSelect(Any, B.getInt32(VERSO_ID_LOST),
                                         B.getInt32(0))));
  }
  case Instruction::BitCast: {
    if (I.getType()->isPtrOrPtrVectorTy())
      return setCompanion(&I, companion(X));
    if (isHalf(I.getType()))
      return setCompanion(&I, halfOfBits(I, X));
    if (Value *Id = idOfParts(B, I))
      return setCompanion(&I, noteIfLost(I, Id));
    Value *Image = imageInOrder(B, X, imageOf(B, X));
    return setCompanion(
        &I, noteIfLost(I, orHandle(cast<BitCastInst>(I),
                                   companionOfImage(I, Image), Image)));
  }
  case Instruction::AddrSpaceCast:
    return setCompanion(&I, companion(X));
  case Instruction::PtrToInt:
    if (!I.getType()->isIntegerTy(64))
      return setCompanion(&I, zeroCompanion(I.getType()));
    return setCompanion(&I, pointerImage(B, X, companion(X), mayBeNumber(X)));
  case Instruction::IntToPtr:
    return setCompanion(&I, shadowOfInteger(I));
  case Instruction::Trunc:
    if (Value *Image = imageOfPart(B, cast<TruncInst>(I)))
      return setCompanion(&I, Image);
    return setMovedImage(B, I, B.CreateTrunc(imageByBytes(X), I.getType()));
  case Instruction::ZExt:
  case Instruction::SExt:
    if (auto *Bits = dyn_cast<BitCastInst>(X);
        Bits && isHalf(Bits->getOperand(0)->getType()))
      return fail(I, "two-byte numbers are put together as an integer",
                  "copy them as numbers or by memcpy");
    return setMovedImage(B, I, widened(B, I, imageByBytes(X)));
  default:
    return visitInstruction(I);
  }
}
