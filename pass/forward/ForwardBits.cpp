//===- ForwardBits.cpp - what stands beside integers in forward mode ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers and pointers travel through integers, and their tangents and shadows
// stand beside these, byte by byte. What only moves bytes moves them; words of
// which a part is computed or left behind have the tangent that nobody knows,
// and the shadow of a pointer moves as it does. The counterpart of
// taped/BitArithmetic.cpp.
//
//===----------------------------------------------------------------------===//

#include "analysis/EarlierPointers.h"
#include "analysis/MovedBytes.h"
#include "emit/BuilderAfter.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "emit/WholeWords.h"
#include "forward/ForwardInstrumenter.h"
#include "prepare/LinearBits.h"

#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// What stands beside a pointer in memory and in integers: its shadow, or zero
/// where that is the mapped one.
Value *ForwardInstrumenter::pointerBits(IRBuilderBase &B, Value *P,
                                        Value *Shadow, unsigned Lane) {
  Value *IsMapped = B.CreateOr(B.CreateIsNull(Shadow),
                               B.CreateICmpEQ(Shadow, mapped(B, P, Lane)));
  Value *Itself =
      B.CreateIntToPtr(B.CreateOr(B.CreatePtrToInt(P, B.getInt64Ty()),
                                  B.getInt64(VERSO_SHADOW_IS_ITSELF)),
                       P->getType());
  return B.CreateSelect(
      IsMapped, Constant::getNullValue(P->getType()),
      B.CreateSelect(B.CreateICmpEQ(Shadow, P), Itself, Shadow));
}

/// A number that is put together of bytes that vary and of others has a
/// derivative that nobody knows.
Value *ForwardInstrumenter::castTangent(IRBuilderBase &B, CastInst &I,
                                        Value *Dot, unsigned Lane) {
  Dot = B.CreateBitCast(Dot, I.getType());
  SmallVector<Value *, 4> Mixed = mixedBytes(I, A);
  if (Mixed.empty())
    return Dot;
  Value *IsZero = B.getTrue();
  for (Value *From : Mixed)
    IsZero = B.CreateAnd(IsZero, B.CreateIsNull(lanes(B, From)[Lane]));
  return B.CreateSelect(IsZero, Constant::getNullValue(I.getType()),
                        ConstantFP::getNaN(I.getType()));
}

void ForwardInstrumenter::visitCastInst(CastInst &I) {
  Value *X = I.getOperand(0);
  Type *To = I.getType();
  SmallVector<Value *, 2> Numbers = numbersInPart(I);
  if (!isValueOfBits(I) && Numbers.empty() && losesRealBits(I, A))
    return fail(I,
                "the bits of an active number come back through integer "
                "arithmetic",
                "write it with floating-point operations (copysign, ldexp, "
                "...)");
  if (isa<TruncInst, ZExtInst, SExtInst>(I))
    return mapBytes(I, [&](IRBuilderBase &B, unsigned K) {
      return B.CreateZExtOrTrunc(bytesBeside(B, X, K), To);
    });
  // Nobody knows the tangent of what is made of lost numbers that have one.
  auto IfNoneIsLost = [&](IRBuilderBase &B, Value *Dot, unsigned K) {
    if (!Numbers.empty())
      Dot = B.CreateSelect(Lost.at(B, I, K), ConstantFP::getNaN(To), Dot);
    return Dot;
  };
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) -> Value * {
    Value *Dot = lanes(B, X)[K];
    switch (I.getOpcode()) {
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return IfNoneIsLost(B, llvm::Constant::getNullValue(To), K);
    case Instruction::BitCast:
      return IfNoneIsLost(B, castTangent(B, I, Dot, K), K);
    case Instruction::AddrSpaceCast:
      return Dot;
    case Instruction::PtrToInt:
      if (!To->isIntegerTy(64))
        return Constant::getNullValue(To);
      return B.CreatePtrToInt(pointerBits(B, X, Dot, K), To);
    case Instruction::IntToPtr:
      if (Value *P = pointerBehindInteger(X)) {
        Value *Distance = B.CreateSub(B.CreateZExtOrTrunc(X, B.getInt64Ty()),
                                      B.CreatePtrToInt(P, B.getInt64Ty()));
        return B.CreateGEP(B.getInt8Ty(), lanes(B, P)[K], Distance);
      }
      return shadowOfBits(B, B.CreateIntToPtr(Dot, To), &I, K);
    default:
      visitInstruction(I);
      return Constant::getNullValue(To);
    }
  });
}

static constexpr uint64_t UserBegin = 1 << 16;

/// User space ends at 2^47, and what lies below 2^32 is a program of a fixed
/// place with its heap: a float's tangent alone in the lower half is more, but
/// for those below 1e-19.
static Value *isBelowUserEnd(IRBuilderBase &B, Value *Bits) {
  constexpr uint64_t FixedEnd = UINT64_C(1) << 29,
                     FloatsEnd = UINT64_C(1) << 32, UserEnd = UINT64_C(1) << 47;
  return B.CreateOr(B.CreateICmpULT(Bits, B.getInt64(FixedEnd)),
                    B.CreateICmpULT(B.CreateSub(Bits, B.getInt64(FloatsEnd)),
                                    B.getInt64(UserEnd - FloatsEnd)));
}

/// No tangent that matters looks like the shadow of a pointer.
static Value *looksLikePointer(IRBuilderBase &B, Value *Bits) {
  return B.CreateAnd(isBelowUserEnd(B, Bits),
                     B.CreateICmpUGE(Bits, B.getInt64(UserBegin)));
}

/// Whether \p Mask may be laid over \p Bits: it keeps whole words, or of a
/// pointer, which is one thing, all or nothing.
static Value *keepsBits(IRBuilderBase &B, Value *Bits, Value *Mask) {
  Value *Keeps = keepsWholeWords(B, Mask);
  if (!Bits->getType()->isIntegerTy(64))
    return Keeps;
  return B.CreateAnd(Keeps, B.CreateOr(keepsAllOrNothing(B, Mask),
                                       B.CreateNot(looksLikePointer(B, Bits))));
}

/// What stands beside an i64 or i128 without the tangents of numbers.
Value *ForwardInstrumenter::pointersOf(IRBuilderBase &B, Value *Bits) {
  Type *T = Bits->getType();
  Value *Kept = Constant::getNullValue(T);
  for (unsigned Shift = 0; Shift != T->getIntegerBitWidth(); Shift += 64) {
    Value *Word = B.CreateTrunc(B.CreateLShr(Bits, Shift), B.getInt64Ty());
    Value *Address = B.CreateAnd(Word, B.getInt64(~VERSO_SHADOW_IS_ITSELF));
    Word = B.CreateSelect(looksLikePointer(B, Address), Word, B.getInt64(0));
    Kept = B.CreateOr(Kept, B.CreateShl(B.CreateZExt(Word, T), Shift));
  }
  return Kept;
}

/// What stands beside lost bits: a NaN of every kind, and at any place, where
/// nobody knows where a number begins.
Constant *ForwardInstrumenter::lostTangent(Type *T) {
  return Constant::getAllOnesValue(T);
}

/// An operation of the processor on integers moves the bytes beside its
/// operand, too, or loses them.
void ForwardInstrumenter::callOnBytes(CallBase &I, bool Moves) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) -> Value * {
    if (Moves)
      return B.CreateCall(
          I.getCalledFunction(),
          {lanes(B, I.getArgOperand(0))[K], I.getArgOperand(1)});
    auto AsInteger = [&](Type *T) {
      return B.getIntNTy(T->getPrimitiveSizeInBits().getFixedValue());
    };
    Value *Any = B.getFalse();
    for (Value *X : I.args())
      if (A.isActive(X))
        Any = B.CreateOr(Any, B.CreateIsNotNull(B.CreateBitCast(
                                  lanes(B, X)[K], AsInteger(X->getType()))));
    Type *T = AsInteger(I.getType());
    return B.CreateBitCast(
        B.CreateSelect(Any, lostTangent(T), Constant::getNullValue(T)),
        I.getType());
  });
}

/// Whether \p I leaves alone what of \p Operand is an address: a shadow stays
/// what it is, and so do numbers that look like one.
static bool keepsUserAddress(const Instruction &I, const Value *Operand) {
  auto *Op = dyn_cast<BinaryOperator>(&I);
  return Op &&
         keptBits(*Op, Op->getOperand(0) == Operand ? 0 : 1).countr_one() >= 48;
}

/// The bytes beside \p I, which was computed from \p Operand by arithmetic. A
/// shadow's distance is kept; what a number's bits become nobody knows.
Value *ForwardInstrumenter::arithmeticBits(IRBuilderBase &B, Instruction &I,
                                           Value *Operand, Value *Bits) {
  auto *T = cast<IntegerType>(I.getType());
  unsigned N = T->getBitWidth();
  Value *Zero = Constant::getNullValue(T);
  Constant *Lost = lostTangent(T);
  Value *Moved = Lost;
  if (N == 64) {
    Value *Shadow = keepsUserAddress(I, Operand)
                        ? Bits
                        : B.CreateAdd(B.CreateSub(&I, Operand), Bits);
    Moved = B.CreateSelect(isBelowUserEnd(B, Bits), Shadow, Lost);
  }
  return B.CreateSelect(B.CreateIsNull(Bits), Zero, Moved);
}

/// The bytes beside \p I, by words: those that do not change keep theirs. A
/// pointer is one thing.
Value *ForwardInstrumenter::bitsByWords(IRBuilderBase &B, BinaryOperator &I,
                                        unsigned Lane, const KeptWords &Words,
                                        function_ref<Value *()> AsWhole) {
  Type *T = I.getType();
  const unsigned N = T->getIntegerBitWidth();
  const unsigned Unit = Words.WordBits;
  auto UnitOf = [&](Value *V, unsigned W) {
    return B.CreateTrunc(B.CreateLShr(V, Unit * W), B.getIntNTy(Unit));
  };
  Constant *AllLost = lostTangent(B.getIntNTy(Unit));
  Value *None = Constant::getNullValue(B.getIntNTy(Unit));
  Value *Bits = Constant::getNullValue(T), *AnyPointer = B.getFalse();
  SmallVector<Value *, 4> Changed(N / Unit, None);
  for (unsigned K : {0, 1}) {
    if (!A.isActive(I.getOperand(K)))
      continue;
    Value *Mine = lanes(B, I.getOperand(K))[Lane];
    Bits = B.CreateOr(Bits, B.CreateAnd(Mine, Words.Of[K]));
    for (unsigned From = 0; From != N / Unit; ++From)
      for (unsigned To = 0; To != N / Unit; ++To)
        if (Words.flows(From, To))
          Changed[To] = B.CreateOr(Changed[To], UnitOf(Mine, From));
    if (N != 64 || !Words.mayBeAddress())
      continue;
    // A float in the lower half looks like one, too.
    Value *IsPointer = looksLikePointer(B, Mine);
    if (!Words.Lost[0])
      IsPointer = B.CreateAnd(IsPointer, B.CreateIsNotNull(wordOf(B, Mine, 1)));
    AnyPointer = B.CreateOr(AnyPointer, IsPointer);
  }
  // Nobody knows where a packed number ends: none beside lost bytes is left.
  Value *AnyLost = B.getFalse();
  for (unsigned W = 0; W != N / Unit; ++W)
    if (Words.Lost[Unit * W]) {
      if (Registry.holdsPacked())
        AnyLost = B.CreateOr(AnyLost, B.CreateIsNotNull(Changed[W]));
      Value *Lost = B.CreateSelect(B.CreateIsNull(Changed[W]), None, AllLost);
      Bits = B.CreateOr(Bits, B.CreateShl(B.CreateZExt(Lost, T), Unit * W));
    }
  Bits = B.CreateSelect(AnyLost, lostTangent(T), Bits);
  return Words.mayBeAddress() ? B.CreateSelect(AnyPointer, AsWhole(), Bits)
                              : Bits;
}

/// What stands beside \p V, byte by byte, where it is to be put together with
/// others.
Value *ForwardInstrumenter::bytesBeside(IRBuilderBase &B, Value *V,
                                        unsigned Lane) {
  auto It = UncutBytes.find({V, Lane});
  return It != UncutBytes.end() ? It->second : lanes(B, V)[Lane];
}

/// \p Bits with lost words where \p Bytes has any.
static Value *withLostWords(IRBuilderBase &B, Value *Bits, uint64_t Bytes) {
  const unsigned N = Bits->getType()->getIntegerBitWidth();
  for (unsigned Shift = 0; Shift != N; Shift += 32)
    if (Bytes >> Shift / 8 & 1)
      Bits =
          B.CreateOr(Bits, B.getInt(APInt::getBitsSet(N, Shift, Shift + 32)));
  return Bits;
}

/// What stands beside \p V, an operand of an Or, by its bytes: words of which a
/// part is lost are so as a whole, or the integer where numbers may be packed.
Value *ForwardInstrumenter::bytesOfOperand(IRBuilderBase &B, Value *V,
                                           unsigned Lane) {
  Value *Bits = bytesBeside(B, V, Lane);
  const uint64_t Lost = partlyLost(V, A, F.getDataLayout());
  const unsigned N = Bits->getType()->getScalarSizeInBits();
  if (Lost && !hasWords(V->getType()))
    return B.CreateSelect(B.CreateIsNull(Bits), Bits,
                          lostTangent(V->getType()));
  if (Lost && Registry.holdsPacked()) {
    APInt Mask = APInt::getZero(N);
    for (unsigned Byte = 0; Byte != N / 8; ++Byte)
      if (Lost >> Byte & 1)
        Mask.setBits(8 * Byte, 8 * Byte + 8);
    return B.CreateSelect(B.CreateIsNull(B.CreateAnd(Bits, B.getInt(Mask))),
                          Bits, lostTangent(V->getType()));
  }
  for (unsigned Shift = 0; Lost && Shift != N; Shift += 32)
    if (const uint64_t Word = Lost & UINT64_C(0xf) << Shift / 8)
      Bits = B.CreateSelect(B.CreateIsNull(B.CreateTrunc(
                                B.CreateLShr(Bits, Shift), B.getInt32Ty())),
                            Bits, withLostWords(B, Bits, Word));
  return Bits;
}

/// \p Bits, beside an integer to which bits of an inactive one are added: words
/// in which these are not zero are lost.
Value *ForwardInstrumenter::underTag(IRBuilderBase &B, Value *Bits,
                                     Value *Tag) {
  auto *T = dyn_cast<IntegerType>(Bits->getType());
  if (!T || !hasWords(T) || Registry.holdsPacked())
    return Bits;
  const uint64_t Used = usedWords(Tag, F.getDataLayout());
  const unsigned Words = T->getBitWidth() / WordBits;
  Value *Result = Bits;
  for (unsigned W = 0; W != Words; ++W)
    if (const uint64_t Changed = Used & UINT64_C(0xf) << 4 * W) {
      // Where both words are there, they may be one number's.
      Value *Other = (W ^ 1) < Words ? wordOf(B, Bits, W ^ 1) : B.getInt32(0);
      Value *AllLost = withLostWords(B, Result, Changed);
      AllLost = B.CreateSelect(
          B.CreateIsNull(Other), AllLost,
          withLostWords(B, AllLost, UINT64_C(0xf) << 4 * (W ^ 1)));
      // What is lost already, as a part that was computed, stays so alone.
      Value *Beside = wordOf(B, Bits, W);
      Value *IsNone =
          B.CreateOr(B.CreateIsNull(Beside),
                     B.CreateICmpEQ(Beside, lostTangent(B.getInt32Ty())));
      Result =
          B.CreateSelect(B.CreateOr(IsNone, B.CreateIsNull(wordOf(B, Tag, W))),
                         Result, AllLost);
    }
  return Words == 2 ? B.CreateSelect(looksLikePointer(B, Bits), Bits, Result)
                    : Result;
}

/// mapLanes() of what moves bytes: a number of which a part is left behind has
/// a tangent that nobody knows, wherever \p I goes but where the rest may be
/// added.
void ForwardInstrumenter::mapBytes(
    Instruction &I, function_ref<Value *(IRBuilderBase &, unsigned)> Emit) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Bits = Emit(B, K);
    // A number that is no word of its operand's may be in part at any place.
    if (Registry.holdsPacked())
      return Bits;
    Value *Whole = Bits, *IsPointer = B.getFalse();
    for (const CutWord &Cut : Places.cutWords(&I)) {
      if (!A.isActive(Cut.Of))
        continue;
      Value *Of = lanes(B, Cut.Of)[K];
      // Where both words are there, they may be one number's.
      Value *AllLost = withLostWords(B, Bits, Cut.Bytes);
      if (Cut.Other)
        AllLost = B.CreateSelect(B.CreateIsNull(wordOf(B, Of, Cut.Word ^ 1)),
                                 AllLost, withLostWords(B, AllLost, Cut.Other));
      Bits = B.CreateSelect(B.CreateIsNull(wordOf(B, Of, Cut.Word)), Bits,
                            AllLost);
      if (Of->getType()->isIntegerTy(64))
        IsPointer = B.CreateOr(
            IsPointer, B.CreateAnd(looksLikePointer(B, Of),
                                   B.CreateIsNotNull(wordOf(B, Of, 1))));
    }
    if (Bits == Whole)
      return Bits;
    UncutBytes.try_emplace({&I, K}, Whole);
    return B.CreateSelect(IsPointer, Whole, Bits);
  });
}

/// Whether \p V was moved by less than words, as a record's bytes are that are
/// no pointer, though a packed float among them may look like one.
bool ForwardInstrumenter::isOutOfPlace(Value *V) {
  return any_of(Places.of(V), [&](const PlacedBytes &P) {
    return A.isActive(P.Of) && P.By % int(BytePlaces::WordBytes);
  });
}

/// Moves the bytes beside the operands as the operation moves theirs.
void ForwardInstrumenter::visitBinaryOperator(BinaryOperator &I) {
  Value *L = I.getOperand(0), *R = I.getOperand(1);
  bool Both = A.isActive(L) && A.isActive(R);
  Value *Active = A.isActive(L) ? L : R;
  // Before anything uses I that the program does not have.
  const std::optional<KeptWords> Words =
      keptWords(I, Registry.holdsPacked() ? 8 : WordBits);
  mapBytes(I, [&](IRBuilderBase &B, unsigned K) -> Value * {
    Value *Bits = lanes(B, Active)[K];
    auto AsWhole = [&]() -> Value * {
      if (!Both)
        return arithmeticBits(B, I, Active, Bits);
      // The difference of two pointers is an integer; whatever else is made of
      // them is lost.
      Value *Others = lanes(B, R)[K];
      Value *FromL = arithmeticBits(B, I, L, Bits);
      Value *FromR = arithmeticBits(B, I, R, Others);
      if (!I.getType()->isIntegerTy(64))
        return B.CreateOr(FromL, FromR);
      Value *OfTwo = I.getOpcode() == Instruction::Sub
                         ? B.getInt64(0)
                         : lostTangent(I.getType());
      Value *LeftPointer = looksLikePointer(B, Bits);
      Value *RightPointer = looksLikePointer(B, Others);
      Value *OfOne = B.CreateSelect(
          LeftPointer, FromL,
          B.CreateSelect(RightPointer, FromR, B.CreateOr(FromL, FromR)));
      return B.CreateSelect(B.CreateAnd(LeftPointer, RightPointer), OfTwo,
                            OfOne);
    };
    auto Arithmetic = [&] {
      return Words ? bitsByWords(B, I, K, *Words, AsWhole) : AsWhole();
    };
    switch (I.getOpcode()) {
    case Instruction::Or: {
      auto ByBytes = [&](Value *V) { return bytesOfOperand(B, V, K); };
      if (Both)
        return B.CreateOr(ByBytes(L), ByBytes(R));
      // A small integer may be the tag of a pointer.
      Value *Tag = Active == L ? R : L;
      auto *C = dyn_cast<ConstantInt>(Tag);
      if (!I.getType()->isIntegerTy(64) || (C && C->getValue().uge(4096)))
        return underTag(B, ByBytes(Active), Tag);
      Value *IsTagged = B.CreateAnd(
          isBelowUserEnd(B, Bits),
          B.CreateICmpULT(B.CreateSub(Tag, B.getInt64(1)), B.getInt64(4095)));
      return B.CreateSelect(IsTagged, Arithmetic(),
                            underTag(B, ByBytes(Active), Tag));
    }
    case Instruction::And: {
      if (Both) {
        // A mask of a blend that comes out of memory.
        Value *Others = lanes(B, R)[K], *Result = Arithmetic();
        for (auto [Mask, MaskBits, Kept] :
             {std::tuple(L, Bits, Others), std::tuple(R, Others, Bits)})
          Result = B.CreateSelect(
              B.CreateAnd(B.CreateIsNull(MaskBits), keepsBits(B, Kept, Mask)),
              B.CreateAnd(Kept, Mask), Result);
        return Result;
      }
      Value *Mask = Active == L ? R : L;
      Value *Kept = B.CreateAnd(Bits, Mask);
      if (auto *C = dyn_cast<ConstantInt>(Mask)) {
        if (!keepsBytes(I))
          return Arithmetic();
        Kept = B.CreateAnd(bytesBeside(B, Active, K), Mask);
        if (!keepsAddress(C->getValue()) || isOutOfPlace(Active))
          return Kept;
        UncutBytes.try_emplace({&I, K}, Kept);
        // Highest bits were never in the shadow's address.
        APInt Low = ~C->getValue() & APInt::getLowBitsSet(64, 24);
        return B.CreateSelect(looksLikePointer(B, Bits),
                              B.CreateSub(Bits, B.CreateAnd(Active, Low)),
                              Kept);
      }
      return B.CreateSelect(keepsBits(B, Bits, Mask), Kept, Arithmetic());
    }
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr: {
      if (!A.isActive(L))
        return Constant::getNullValue(I.getType());
      Value *Moved = bytesBeside(B, L, K);
      Value *Kept = I.getOpcode() == Instruction::Shl ? B.CreateShl(Moved, R)
                                                      : B.CreateLShr(Moved, R);
      Value *WholeBytes =
          B.CreateIsNull(B.CreateAnd(R, ConstantInt::get(R->getType(), 7)));
      return B.CreateSelect(WholeBytes, Kept, Arithmetic());
    }
    default:
      return Arithmetic();
    }
  });
}
