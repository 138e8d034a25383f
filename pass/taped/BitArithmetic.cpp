//===- BitArithmetic.cpp - integer operations on the bits of numbers ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that moves whole bytes moves those of the image. What another
// one makes of the bits of a number is *lost*: a whole word has the image of
// VERSO_ID_LOST, and less than a word whose image is not zero has bytes of
// their own (no more can be told: a byte of an ID may be zero, and beside the
// bytes of a packed number lie others'). In registers a number that is put
// together of such parts, or of bytes of which some are nobody's, is LOST; in
// memory the runtime knows a double all of whose bytes are lost (LostBits.h).
//
// A pointer whose bits are computed with leads as far from its shadow as
// before: tags are or-ed to it, and masked or shifted out. That is told from
// putting pointers together of their bytes by the other operand, which has no
// image, and by the mask, which keeps what an address has between its lowest
// and its highest bytes.
//
//===----------------------------------------------------------------------===//

#include "analysis/MovedBytes.h"
#include "emit/Companion.h"
#include "emit/WholeWords.h"
#include "taped/Instrumenter.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// Whether \p Word is that of an ID of a record of this request.
Value *Instrumenter::isLiveWord(IRBuilderBase &B, Value *Word) {
  return B.CreateICmpULT(
      B.CreateSub(B.CreateSub(Word, Tape.base()), B.getInt32(1)),
      B.CreateSub(Tape.next(B), B.getInt32(1)));
}

Instrumenter::Image64 Instrumenter::classify(IRBuilderBase &B, Value *Image) {
  Value *Low = B.CreateTrunc(Image, B.getInt32Ty());
  Value *High = B.CreateTrunc(B.CreateLShr(Image, 32), B.getInt32Ty());
  Value *LowLive = isLiveWord(B, Low), *HighLive = isLiveWord(B, High);
  return {B.CreateAnd(HighLive, B.CreateICmpEQ(Low, partner(B, High))),
          B.CreateOr(LowLive, HighLive)};
}

/// Whether a word of an image is there, and not of a constant. It need not be
/// live: moved by less than words it is no ID any more.
Value *Instrumenter::isNumberWord(IRBuilderBase &B, Value *Word) {
  Value *Constant = B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_CONSTANT));
  return B.CreateAnd(B.CreateIsNotNull(Word),
                     B.CreateAnd(B.CreateICmpNE(Word, Constant),
                                 B.CreateICmpNE(Word, partner(B, Constant))));
}

/// Whether any bytes of integer \p V are of a number, by its image alone.
Value *Instrumenter::holdsNumberByImage(IRBuilderBase &B, Value *Image) {
  unsigned N = Image->getType()->getIntegerBitWidth();
  if (N % 32)
    return B.CreateIsNotNull(Image);
  Value *Any = B.getFalse();
  for (unsigned Shift = 0; Shift != N; Shift += 32)
    Any = B.CreateOr(Any,
                     isNumberWord(B, B.CreateTrunc(B.CreateLShr(Image, Shift),
                                                   B.getInt32Ty())));
  return Any;
}

/// Whether any bytes of integer \p V are, or were before they went through
/// arithmetic, those of a number.
Value *Instrumenter::holdsNumber(IRBuilderBase &B, Value *V) {
  return A.isActive(V) && !Registry.isSilent()
             ? holdsNumberByImage(B, companion(V))
             : B.getFalse();
}

/// What stands for lost bits.
Value *Instrumenter::lostImage(IRBuilderBase &B, Type *T) {
  unsigned N = T->getIntegerBitWidth();
  if (N % 8)
    return Constant::getAllOnesValue(T);
  if (N % 32)
    return B.getInt(APInt::getSplat(N, APInt(8, VERSO_LOST_BYTE)));
  Value *Lost = B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST));
  if (N == 32)
    return Lost;
  Value *Pair = B.CreateZExtOrTrunc(pairImage(B, Lost, /*Swapped=*/false), T);
  Value *Image = Pair;
  for (unsigned Shift = 64; Shift < N; Shift += 64)
    Image = B.CreateOr(Image, B.CreateShl(Pair, Shift));
  return Image;
}

/// The image of integer \p I, which was computed from \p Operand with this
/// image by arithmetic: a pointer moves, and so does its shadow; a number is
/// lost.
Value *Instrumenter::arithmeticImage(IRBuilderBase &B, Instruction &I,
                                     Value *Operand, Value *Image) {
  Type *T = Image->getType();
  Value *Zero = Constant::getNullValue(T);
  Value *Number =
      B.CreateSelect(holdsNumber(B, Operand), lostImage(B, T), Zero);
  if (!T->isIntegerTy(64))
    return Number;
  Image64 Is = classify(B, Image);
  Number = B.CreateSelect(Is.Pointer, Zero, Number);
  if (!Registry.pointersTracked())
    return Number;
  Value *Shadow = shadowOfImage(B, B.CreateSelect(Is.Pointer, Image, Zero));
  Value *P = B.CreateIntToPtr(&I, B.getPtrTy());
  Value *Moved = B.CreateSelect(
      B.CreateIsNull(Shadow), P,
      B.CreateGEP(B.getInt8Ty(), Shadow, B.CreateSub(&I, Operand)));
  return B.CreateSelect(
      Is.Pointer, pointerImage(B, P, Moved, /*MayBeNumber=*/false), Number);
}

/// The same where both operands have an image. The difference of two pointers
/// is an integer; whatever else is made of them is lost.
Value *Instrumenter::arithmeticImage(IRBuilderBase &B, BinaryOperator &I) {
  Value *L = companion(I.getOperand(0)), *R = companion(I.getOperand(1));
  Value *FromL = arithmeticImage(B, I, I.getOperand(0), L);
  Value *FromR = arithmeticImage(B, I, I.getOperand(1), R);
  if (!I.getType()->isIntegerTy(64) || !Registry.pointersTracked())
    return B.CreateOr(FromL, FromR);
  Value *LeftPointer = classify(B, L).Pointer;
  Value *RightPointer = classify(B, R).Pointer;
  Value *Lost =
      pairImage(B, B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST)),
                /*Swapped=*/true);
  Value *OfTwo = I.getOpcode() == Instruction::Sub ? B.getInt64(0) : Lost;
  Value *OfOne = B.CreateSelect(
      LeftPointer, FromL,
      B.CreateSelect(RightPointer, FromR, B.CreateOr(FromL, FromR)));
  return B.CreateSelect(B.CreateAnd(LeftPointer, RightPointer), OfTwo, OfOne);
}

/// \p Image with lost words where \p Bytes has any.
Value *Instrumenter::withLostWords(IRBuilderBase &B, Value *Image,
                                   uint64_t Bytes) {
  const unsigned N = Image->getType()->getIntegerBitWidth();
  Value *Lost = B.CreateZExt(
      B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST)), Image->getType());
  for (unsigned Shift = 0; Shift != N; Shift += 32)
    if (Bytes >> Shift / 8 & 1) {
      APInt Others = ~APInt::getBitsSet(N, Shift, Shift + 32);
      Image = B.CreateOr(B.CreateAnd(Image, B.getInt(Others)),
                         B.CreateShl(Lost, Shift));
    }
  return Image;
}

/// The image of \p V, an operand of an Or, by its bytes: words of which a part
/// is lost are so as a whole.
Value *Instrumenter::imageOfOperand(IRBuilderBase &B, Value *V) {
  Value *Image = imageByBytes(V);
  const uint64_t Lost = partlyLost(V, A, F.getDataLayout());
  const unsigned N = Image->getType()->getScalarSizeInBits();
  if (Lost && !hasWords(V->getType()))
    return B.CreateSelect(holdsNumber(B, V), lostImage(B, V->getType()), Image);
  for (unsigned Shift = 0; Lost && Shift != N; Shift += 32)
    if (const uint64_t Word = Lost & UINT64_C(0xf) << Shift / 8)
      Image = B.CreateSelect(
          isNumberWord(
              B, B.CreateTrunc(B.CreateLShr(Image, Shift), B.getInt32Ty())),
          withLostWords(B, Image, Word), Image);
  return Image;
}

/// Whether \p Mask may be laid over \p Image: it keeps whole words, or of a
/// pointer, which is one thing, all or nothing.
Value *Instrumenter::keepsImage(IRBuilderBase &B, Value *Image, Value *Mask) {
  Value *Keeps = keepsWholeWords(B, Mask);
  if (!Image->getType()->isIntegerTy(64) || !Registry.pointersTracked())
    return Keeps;
  return B.CreateAnd(Keeps,
                     B.CreateOr(keepsAllOrNothing(B, Mask),
                                B.CreateNot(classify(B, Image).Pointer)));
}

/// \p Image, of an integer to which bits of an inactive one are added: words in
/// which these are not zero are lost.
Value *Instrumenter::underTag(IRBuilderBase &B, Value *Image, Value *Tag) {
  auto *T = cast<IntegerType>(Image->getType());
  if (!hasWords(T) || Registry.holdsPacked())
    return Image;
  const uint64_t Used = usedWords(Tag, F.getDataLayout());
  for (unsigned W = 0; W != T->getBitWidth() / WordBits; ++W)
    if (const uint64_t Changed = Used & UINT64_C(0xf) << 4 * W)
      Image = B.CreateSelect(B.CreateAnd(isNumberWord(B, wordOf(B, Image, W)),
                                         B.CreateIsNotNull(wordOf(B, Tag, W))),
                             withLostWords(B, Image, Changed), Image);
  return Image;
}

/// \p Image, that of the integer \p X, where a number is made of its bits: of
/// what is moved there from other places than words, numbers are lost, unless
/// that brings them back. The words of others are no IDs, and zero as numbers.
Value *Instrumenter::imageInOrder(IRBuilderBase &B, Value *X, Value *Image) {
  if (!hasWords(X->getType()) || Registry.sharesGranules())
    return Image;
  uint64_t Words = 0;
  Value *Any = B.getFalse();
  for (const PlacedBytes &P : Places.of(X))
    if (A.isActive(P.Of) && P.By % int(BytePlaces::WordBytes) &&
        P.Of->getType()->getIntegerBitWidth() >= WordBits) {
      Words |= P.Bytes;
      Any = B.CreateOr(Any, holdsNumber(B, P.Of));
    }
  for (unsigned W = 0; W != X->getType()->getIntegerBitWidth() / WordBits; ++W)
    if (Words >> 4 * W & 0xf) {
      Value *Word = wordOf(B, Image, W);
      Value *IsBack =
          B.CreateOr(isLiveWord(B, Word), isLiveWord(B, partner(B, Word)));
      Value *IsLost = B.CreateAnd(B.CreateAnd(Any, isNumberWord(B, Word)),
                                  B.CreateNot(IsBack));
      Image = B.CreateSelect(
          IsLost, withLostWords(B, Image, UINT64_C(0xf) << 4 * W), Image);
    }
  return Image;
}

/// The image of arithmetic, by words: those that do not change keep their
/// image. A pointer is one thing.
Value *Instrumenter::imageByWords(IRBuilderBase &B, BinaryOperator &I,
                                  const KeptWords &Words,
                                  function_ref<Value *()> AsWhole) {
  Type *T = I.getType();
  const unsigned N = T->getIntegerBitWidth();
  Value *Lost = B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST));
  Value *Image = Constant::getNullValue(T), *AnyPointer = B.getFalse();
  SmallVector<Value *, 4> IsLive(N / 32, B.getFalse());
  for (unsigned K : {0, 1}) {
    if (!A.isActive(I.getOperand(K)))
      continue;
    Value *Mine = companion(I.getOperand(K));
    Image = B.CreateOr(Image, B.CreateAnd(Mine, Words.Of[K]));
    for (unsigned W = 0; W != N / 32; ++W) {
      Value *Word = B.CreateTrunc(B.CreateLShr(Mine, 32 * W), B.getInt32Ty());
      Value *Live = isNumberWord(B, Word);
      for (unsigned To = 0; To != N / 32; ++To)
        if (Words.flows(W, To))
          IsLive[To] = B.CreateOr(IsLive[To], Live);
    }
    if (N == 64 && Registry.pointersTracked() && Words.mayBeAddress())
      AnyPointer = B.CreateOr(AnyPointer, classify(B, Mine).Pointer);
  }
  for (unsigned W = 0; W != N / 32; ++W)
    if (Words.Lost[32 * W])
      Image = B.CreateOr(
          Image,
          B.CreateShl(
              B.CreateZExt(B.CreateSelect(IsLive[W], Lost, B.getInt32(0)), T),
              32 * W));
  return match(AnyPointer, m_Zero())
             ? Image
             : B.CreateSelect(AnyPointer, AsWhole(), Image);
}

/// \p Image, or where \p Operand holds a pointer, that of the pointer that \p I
/// makes of it.
Value *Instrumenter::orMovedPointer(IRBuilderBase &B, Instruction &I,
                                    Value *Operand, Value *Image) {
  if (!I.getType()->isIntegerTy(64) || !Registry.pointersTracked() ||
      !A.isActive(Operand))
    return Image;
  Value *Of = companion(Operand);
  Value *IsPointer = classify(B, Of).Pointer;
  Value *Moved = arithmeticImage(B, I, Operand, Of);
  return B.CreateSelect(IsPointer, Moved, Image);
}

/// The image of \p V, byte by byte, where it is to be put together with others.
Value *Instrumenter::imageByBytes(Value *V) {
  Value *Image = UncutImages.lookup(V);
  return Image ? Image : companion(V);
}

/// Sets the image of \p I, which moves bytes. A number of which a part is left
/// behind is lost, wherever \p I goes but where the rest may be added to its
/// bytes alone, \p Uncut if not \p Image.
void Instrumenter::setMovedImage(IRBuilderBase &B, Instruction &I, Value *Image,
                                 Value *Uncut) {
  if (!Uncut)
    Uncut = Image;
  if (Uncut != Image)
    UncutImages[&I] = Uncut;
  // A number that is no word of its operand's may be in part at any place.
  if (Registry.holdsPacked()) {
    UncutImages[&I] = Uncut;
    const bool IsHandedOn =
        hasWords(I.getType()) && !all_of(I.users(), BytePlaces::isMove);
    return setCompanion(&I, IsHandedOn && movesPieces(&I)
                                ? loadImage(B, I.getType(), placePieces(B, &I))
                                : Image);
  }
  Value *Whole = Image, *IsPointer = B.getFalse();
  for (const CutWord &Cut : Places.cutWords(&I)) {
    if (!A.isActive(Cut.Of))
      continue;
    Value *Of = companion(Cut.Of);
    Value *IsCut = isNumberWord(
        B, B.CreateTrunc(B.CreateLShr(Of, 8 * BytePlaces::WordBytes * Cut.Word),
                         B.getInt32Ty()));
    if (Of->getType()->isIntegerTy(64) && Registry.pointersTracked())
      IsPointer = B.CreateOr(IsPointer, classify(B, Of).Pointer);
    Image = B.CreateSelect(IsCut, withLostWords(B, Image, Cut.Bytes), Image);
  }
  if (Image != Whole) {
    UncutImages[&I] = Uncut;
    Image = B.CreateSelect(IsPointer, Whole, Image);
  }
  setCompanion(&I, Image);
}

/// Whether \p V has bytes that are not where they were in their words, among
/// which a packed number may be.
bool Instrumenter::movesPieces(Value *V) {
  if (Registry.isSilent() || !Registry.holdsPacked() || !BytePlaces::isMove(V))
    return false;
  return any_of(Places.of(V), [&](const PlacedBytes &P) {
    if (!A.isActive(P.Of) || P.Of->getType()->getIntegerBitWidth() < WordBits)
      return false;
    bool HasWholeWords = P.By % int(BytePlaces::WordBytes) == 0;
    for (uint64_t Left = P.Bytes; Left; Left >>= BytePlaces::WordBytes)
      HasWholeWords &= (Left & 0xf) == 0xf || (Left & 0xf) == 0;
    return !HasWholeWords;
  });
}

/// The bytes of the integer \p V that are not known to be zero, a bit each.
static uint64_t usedBytes(const Value *V, const DataLayout &DL) {
  const KnownBits Bits = computeKnownBits(V, DL);
  uint64_t Used = 0;
  for (unsigned K = 0; 8 * K != Bits.getBitWidth(); ++K)
    Used |= uint64_t(!Bits.Zero.extractBits(8, 8 * K).isAllOnes()) << K;
  return Used;
}

/// A place for the image of \p V, put together in memory, where pieces of
/// packed numbers find one another. Of what is computed with in its place, as
/// bit-fields are, the zeros are none of it, and where two share a byte, one
/// that has no image leaves the other's.
Value *Instrumenter::placePieces(IRBuilderBase &B, Value *V) {
  const uint64_t Bytes = V->getType()->getIntegerBitWidth() / 8;
  Value *Slot = imageSlot(V->getType());
  clearImages(B, {Slot, nullptr}, B.getInt64(Bytes));
  uint64_t Placed = 0;
  for (const PlacedBytes &P : Places.of(V)) {
    if (!A.isActive(P.Of))
      continue;
    uint64_t Used = P.Bytes;
    if (isa<BinaryOperator>(P.Of)) {
      const uint64_t Own = usedBytes(P.Of, F.getDataLayout());
      Used &= P.By < 0 ? Own >> -P.By : Own << P.By;
    }
    Value *From = KeptParts.lookup(P.Of);
    if (!From) {
      From = imageSlot(P.Of->getType());
      storeImage(B, companion(P.Of), From);
    }
    auto Copy = [&](IRBuilderBase &Here, uint64_t These) {
      auto At = [&](Value *Base, int64_t Byte) {
        return Place{Here.CreateConstGEP1_64(Here.getInt8Ty(), Base, Byte),
                     nullptr};
      };
      for (unsigned First = 0; First != 64 && These >> First;) {
        First += countr_zero(These >> First);
        const unsigned Count = countr_one(These >> First);
        copyImagesOf(Here, At(Slot, First), At(From, int64_t(First) - P.By),
                     Here.getIntNTy(8 * Count));
        First += Count;
      }
    };
    Copy(B, Used & ~Placed);
    if (const uint64_t Shared = Used & Placed)
      verso::emitIf(B, holdsNumber(B, P.Of), /*Unlikely=*/true,
                    [&](IRBuilder<> &Then) { Copy(Then, Shared); });
    Placed |= Used;
  }
  return Slot;
}

/// An address without the tag in its highest bits: x << tag >> tag.
static Value *withoutHighBits(const BinaryOperator &I) {
  Value *X;
  const APInt *Up, *Down;
  return match(&I, m_Shr(m_Shl(m_Value(X), m_APInt(Up)), m_APInt(Down))) &&
                 *Up == *Down && Up->ule(16)
             ? X
             : nullptr;
}

// Where a granule may hold two numbers its word tells nothing in parts, and
// nothing at another place.

/// Whether two images have words in the same place.
static Value *shareWords(IRBuilderBase &B, Value *L, Value *R) {
  auto *T = cast<IntegerType>(L->getType());
  Value *Any = B.getFalse();
  for (unsigned Shift = 0; Shift < T->getBitWidth(); Shift += 32) {
    Value *Word = ConstantInt::get(
        T, APInt::getBitsSet(T->getBitWidth(), Shift,
                             std::min(Shift + 32, T->getBitWidth())));
    Any = B.CreateOr(Any, B.CreateAnd(B.CreateIsNotNull(B.CreateAnd(L, Word)),
                                      B.CreateIsNotNull(B.CreateAnd(R, Word))));
  }
  return Any;
}

/// \p Image, of integers put together of such with images \p Parts, with lost
/// words where a part has them: bits beside them in the word make another ID.
Value *Instrumenter::orLostWords(IRBuilderBase &B, ArrayRef<Value *> Parts,
                                 Value *Image) {
  auto *T = cast<IntegerType>(Image->getType());
  if (T->getBitWidth() % 32)
    return Image;
  Value *Lost = B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST));
  for (unsigned Shift = 0; Shift != T->getBitWidth(); Shift += 32) {
    Value *Mask = ConstantInt::get(
        T, APInt::getBitsSet(T->getBitWidth(), Shift, Shift + 32));
    for (Value *Part : Parts) {
      Value *Word = B.CreateTrunc(B.CreateLShr(Part, Shift), B.getInt32Ty());
      Value *IsLost = B.CreateOr(B.CreateICmpEQ(Word, Lost),
                                 B.CreateICmpEQ(Word, B.CreateNeg(Lost)));
      Image = B.CreateSelect(IsLost,
                             B.CreateOr(B.CreateAnd(Image, B.CreateNot(Mask)),
                                        B.CreateAnd(Part, Mask)),
                             Image);
    }
  }
  return Image;
}

/// Whether \p Mask keeps parts of words.
bool Instrumenter::cutsWords(const APInt &Mask) const {
  if (!Registry.holdsHalves())
    return false;
  for (unsigned Shift = 0; Shift < Mask.getBitWidth(); Shift += 32) {
    const APInt Word =
        Mask.extractBits(std::min(32u, Mask.getBitWidth() - Shift), Shift);
    if (!Word.isZero() && !Word.isAllOnes())
      return true;
  }
  return false;
}

/// The image of an integer that is extended.
Value *Instrumenter::widened(IRBuilderBase &B, CastInst &I, Value *Image) {
  if (!Registry.holdsHalves() || Image->getType()->isVectorTy() ||
      Image->getType()->getIntegerBitWidth() % 32 == 0 ||
      I.getType()->getIntegerBitWidth() % 32)
    return B.CreateZExt(Image, I.getType());
  return B.CreateSelect(B.CreateIsNotNull(Image), lostImage(B, I.getType()),
                        Constant::getNullValue(I.getType()));
}

/// Moves the image as the operation moves the bytes.
void Instrumenter::visitBinaryOperator(BinaryOperator &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I, RunEnd);
  Value *L = I.getOperand(0), *R = I.getOperand(1);
  const bool OfTwo = A.isActive(L) && A.isActive(R);
  Value *Active = A.isActive(L) ? L : R;
  // Before anything uses I that the program does not have.
  const std::optional<KeptWords> Words = keptWords(I);
  auto AsWhole = [&] {
    return OfTwo ? arithmeticImage(B, I)
                 : arithmeticImage(B, I, Active, companion(Active));
  };
  auto Lost = [&] {
    return Words ? imageByWords(B, I, *Words, AsWhole) : AsWhole();
  };
  switch (I.getOpcode()) {
  case Instruction::Or: {
    Value *Image = nullptr;
    for (Value *Part : {L, R}) {
      if (!A.isActive(Part))
        continue;
      Value *Of = imageOfOperand(B, Part);
      Image = Image ? orLostWords(B, {Image, Of}, B.CreateOr(Image, Of)) : Of;
    }
    if (!OfTwo)
      Image = underTag(B, Image, Active == L ? R : L);
    if (Registry.holdsHalves() && OfTwo)
      Image = B.CreateSelect(shareWords(B, companion(L), companion(R)),
                             lostImage(B, I.getType()), Image);
    for (auto [Tagged, Tag] : {std::pair(L, R), std::pair(R, L)}) {
      Value *Moved = orMovedPointer(B, I, Tagged, Image);
      Image = OfTwo
                  ? B.CreateSelect(B.CreateIsNull(companion(Tag)), Moved, Image)
                  : Moved;
    }
    return setMovedImage(B, I, Image);
  }
  case Instruction::And: {
    if (OfTwo) {
      // A mask of a blend that comes out of memory.
      Value *Image = Lost();
      for (auto [Of, Mask] : {std::pair(L, R), std::pair(R, L)})
        Image = B.CreateSelect(B.CreateAnd(B.CreateIsNull(companion(Mask)),
                                           keepsImage(B, companion(Of), Mask)),
                               B.CreateAnd(companion(Of), Mask), Image);
      return setCompanion(&I, Image);
    }
    Value *Mask = Active == L ? R : L;
    if (auto *Bits = dyn_cast<ConstantInt>(Mask)) {
      if (!keepsBytes(I) || cutsWords(Bits->getValue()))
        return setCompanion(&I, Lost());
      Value *Image = B.CreateAnd(imageByBytes(Active), Mask);
      return setMovedImage(B, I,
                           keepsAddress(Bits->getValue())
                               ? orMovedPointer(B, I, Active, Image)
                               : Image,
                           Image);
    }
    Value *Image = companion(Active);
    return setCompanion(&I, B.CreateSelect(keepsImage(B, Image, Mask),
                                           B.CreateAnd(Image, Mask), Lost()));
  }
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr: {
    if (!A.isActive(L))
      return setCompanion(&I, zeroCompanion(I.getType()));
    Value *Image = imageByBytes(L);
    Image = I.getOpcode() == Instruction::Shl ? B.CreateShl(Image, R)
                                              : B.CreateLShr(Image, R);
    const unsigned InPlace = Registry.holdsHalves() ? 31 : 7;
    Value *IsInPlace =
        B.CreateIsNull(B.CreateAnd(R, ConstantInt::get(R->getType(), InPlace)));
    if (!match(IsInPlace, m_One()))
      Image = B.CreateSelect(IsInPlace, Image, Lost());
    if (Value *Tagged = withoutHighBits(I))
      Image = orMovedPointer(B, I, Tagged, Image);
    return setMovedImage(B, I, Image);
  }
  default:
    return setCompanion(&I, Lost());
  }
}

/// An operation of the processor on integers: bytes that move take their image
/// with them, which the same operation does; others are lost, all of them.
void Instrumenter::callOnBytes(CallBase &I, bool Moves) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  if (Moves)
    return setCompanion(
        &I, B.CreateCall(I.getCalledFunction(),
                         {companion(I.getArgOperand(0)), I.getArgOperand(1)}));
  auto AsInteger = [&](Type *T) {
    return B.getIntNTy(T->getPrimitiveSizeInBits().getFixedValue());
  };
  Value *Any = B.getFalse();
  for (Value *X : I.args())
    if (A.isActive(X))
      Any = B.CreateOr(
          Any, holdsNumberByImage(
                   B, B.CreateBitCast(companion(X), AsInteger(X->getType()))));
  Type *T = AsInteger(I.getType());
  Value *Image =
      B.CreateSelect(Any, lostImage(B, T), Constant::getNullValue(T));
  setCompanion(&I, B.CreateBitCast(Image, I.getType()));
}

/// The ID of the number that \p I makes of bytes, of which some may be a
/// number's and others are none's, or are lost: nobody knows the derivative
/// then. Null if all are moved alike.
Value *Instrumenter::idOfParts(IRBuilderBase &B, CastInst &I) {
  Value *X = I.getOperand(0);
  if (!I.getType()->isFloatingPointTy() || !X->getType()->isIntegerTy())
    return nullptr;
  SmallVector<Value *, 4> From = mixedBytes(I, A);
  if (partlyLost(X, A, F.getDataLayout()))
    From.push_back(X);
  if (From.empty())
    return nullptr;
  Value *Any = B.getFalse();
  for (Value *V : From)
    Any = B.CreateOr(Any, holdsNumber(B, V));
  return B.CreateSelect(Any, B.getInt32(VERSO_ID_LOST), B.getInt32(0));
}

/// Less than a word that was computed: nothing that has a derivative, for the
/// words around it; but what was computed from a number's bytes shows.
void Instrumenter::storeComputed(IRBuilderBase &B, Value *Image,
                                 Align Alignment, Place At) {
  clearBytes(B, F.getDataLayout().getTypeStoreSize(Image->getType()), At,
             Alignment);
  if (Registry.holdsPacked() && Image->getType()->getIntegerBitWidth() % 8 == 0)
    return storeParts(B, Image, At);
  // In tracked memory the word says by now that it is constant, beside the rest
  // of a number.
  if (Image->getType()->getIntegerBitWidth() % 8)
    return;
  // Two-byte numbers share a word, which says what its halves are.
  const bool IsHalf = mayPartGranules(Image->getType(), Alignment);
  if (IsHalf && (!Image->getType()->isIntegerTy(16) || Alignment < Align(2)))
    return;
  Value *IsMarked = B.CreateIsNotNull(Image);
  if (At.Shadow)
    IsMarked = B.CreateAnd(IsMarked, B.CreateNot(isTracked(B, At)));
  verso::emitIf(B, IsMarked, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
    if (IsHalf)
      callHalves(Then, RuntimeFunction::StoreHalf, {At.Pointer, nullptr},
                 VERSO_CELL_RAW, Then.getInt32(VERSO_ID_LOST));
    else
      storeImage(Then, Image, At.Pointer);
  });
}
