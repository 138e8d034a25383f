//===- ForwardInstrumenter.cpp - the walk, moves --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/ForwardInstrumenter.h"
#include "analysis/EarlierPointers.h"
#include "analysis/MovedBytes.h"
#include "emit/BuilderAfter.h"
#include "emit/Companion.h"
#include "emit/Fusing.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "emit/WholeWords.h"
#include "forward/LanesApart.h"
#include "prepare/LinearBits.h"
#include "rules/Overflows.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

/// A partial that may be infinite makes zero of zero tangents: of those of its
/// own operand, not of those of the sources of a cone; so does one that is zero
/// since another operand was chosen. A cone is of one type.
static bool standsAlone(const Instruction &I, const Operation &Op) {
  if (Op.chooses() || isOverflow(&I) || isOfLogarithm(&I))
    return true;
  for (unsigned K = 0, N = Op.operands().size(); K != N; ++K)
    if (Op.isSingular(K) || comesToLimit(I, Op, K) ||
        Op.operands()[K]->getType() != I.getType())
      return true;
  return false;
}

ForwardInstrumenter::ForwardInstrumenter(Function &F, Value *Context,
                                         ArrayRef<Value *> Tangents,
                                         const Activity &A,
                                         const TargetLibraryInfo *TLI,
                                         Twins &Registry, Diagnostics &D)
    : F(F), Context(Context), A(A), TLI(TLI), Registry(Registry), D(D),
      Width(Registry.mode().Width), Fuses(mayFuse(F)), Sides(F, A, Width),
      AreLanesApart(
          Width > 1 && (Width <= MostApart || Sides.isEmpty()) &&
          prefersLanesApart(F, A, Registry.analyses(),
                            [&](Value *P) { return isNeverMapped(P); })),
      C(F, A, Registry.analyses().getResult<LoopAnalysis>(F), standsAlone),
      Setup(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
      Deltas(Width, nullptr) {
  if (AreLanesApart) {
    Sides.giveUp();
    markLanesApart(F);
  }
  for (Argument &Arg : F.args())
    if (Arg.getArgNo() < Tangents.size() && Tangents[Arg.getArgNo()])
      setTangent(&Arg, Tangents[Arg.getArgNo()]);
}

/// A pointer without a shadow leads into no argument that has one.
void ForwardInstrumenter::checkEarlier(LoadInst &Load) {
  auto *Last = A.isActive(&Load)
                   ? dyn_cast_or_null<Instruction>(TangentOf.lookup(&Load))
                   : nullptr;
  BuilderAfter B(Last ? *Last : Load);
  Value *Doubtful =
      A.isActive(&Load)
          ? B.CreateSelect(
                B.CreateICmpEQ(lanes(B, &Load)[0], mapped(B, &Load, 0)), &Load,
                ConstantPointerNull::get(B.getPtrTy()))
          : &Load;
  callRuntime(B, RuntimeFunction::CheckPointer,
              {Context, Doubtful, emitLocation(B, Load), B.getInt32(1)});
}

void ForwardInstrumenter::run() {
  SmallVector<LoadInst *, 4> Earlier = earlierPointers(F);
  // Reverse post-order: definitions come before uses, but for phis.
  SmallVector<Instruction *, 64> Order;
  for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F))
    for (Instruction &I : *Block)
      if (auto *Call = dyn_cast<CallBase>(&I);
          !isInert(I) || (Call && takesOfArena(*Call)))
        Order.push_back(&I);
  if (preaccumulatesAll())
    findLoopSums(Order);
  for (Instruction *I : Order) {
    const Operation *Op = A.operation(I);
    if (!Op || isa<SIToFPInst, UIToFPInst>(I))
      visit(*I);
    else if (A.isActive(I) && !isPreaccumulated(*C.rootOf(*I)))
      emitOperation(*I, *Op);
    else if (C.isRecorded(I))
      emitCone(*I);
  }
  fillPhis();
  Lost.fill([&](IRBuilderBase &B, Value *Number, unsigned K) -> Value * {
    return A.isActive(Number) ? B.CreateFCmpUNE(lanes(B, Number)[K],
                                                llvm::Constant::getNullValue(
                                                    Number->getType()))
                              : nullptr;
  });
  for (LoadInst *Load : Earlier)
    checkEarlier(*Load);
  for (Instruction *I : Replaced)
    I->eraseFromParent();
}

void ForwardInstrumenter::findLoopSums(ArrayRef<Instruction *> Order) {
  const LoopInfo &Loops = Registry.analyses().getResult<LoopAnalysis>(F);
  for (Instruction *I : Order)
    if (C.isRecorded(I))
      if (std::optional<LoopSum> S = matchLoopSum(*I, C, A, Sides, Loops))
        Sums.try_emplace(I, std::move(*S));
}

void ForwardInstrumenter::fail(Instruction &I, const Twine &Message,
                               StringRef Remedy) {
  Registry.fail(I, Message, Remedy);
}

//===----------------------------------------------------------------------===//
// Tangents of values
//===----------------------------------------------------------------------===//

Value *ForwardInstrumenter::tangent(IRBuilderBase &B, Value *V) {
  if (!A.isActive(V))
    return V->getType()->isPointerTy() ? packLanes(B, V->getType(), lanes(B, V))
                                       : zeroTangent(V->getType(), Width);
  Value *T = TangentOf.lookup(V);
  // After an error some values have none; the module is not used any more.
  if (!T) {
    assert(D.hadError() && "an active value without a tangent");
    return zeroTangent(V->getType(), Width);
  }
  return T;
}

ForwardInstrumenter::Lanes ForwardInstrumenter::lanes(IRBuilderBase &B,
                                                      Value *V) {
  Lanes Each;
  bool IsMapped = V->getType()->isPointerTy() && !A.isActive(V);
  Value *Whole = IsMapped ? nullptr : tangent(B, V);
  for (unsigned K = 0; K != Width; ++K)
    Each.push_back(IsMapped ? mapped(B, V, K) : takeLane(B, Whole, Width, K));
  return Each;
}

void ForwardInstrumenter::setTangent(Value *V, Value *T) {
  assert(T->getType() == tangentType(V->getType(), Width) && "tangent's type");
  bool New = TangentOf.try_emplace(V, T).second;
  (void)New;
  assert(New && "a value has one tangent");
}

void ForwardInstrumenter::setLanes(IRBuilderBase &B, Value *V,
                                   const Lanes &Each) {
  setTangent(V, packLanes(B, V->getType(), Each));
}

void ForwardInstrumenter::mapLanes(
    Instruction &I, function_ref<Value *(IRBuilderBase &, unsigned)> Emit) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  Lanes Each;
  for (unsigned K = 0; K != Width; ++K)
    Each.push_back(Emit(B, K));
  setLanes(B, &I, Each);
}

//===----------------------------------------------------------------------===//
// Values that only move
//===----------------------------------------------------------------------===//

void ForwardInstrumenter::visitPHINode(PHINode &I) {
  // The result of a sum has its tangent.
  if (!A.isActive(&I) || TangentOf.contains(&I) || stepSide(I))
    return;
  PHINode *Phi =
      PHINode::Create(tangentType(I.getType(), Width), I.getNumIncomingValues(),
                      "", I.getParent()->begin());
  setTangent(&I, Phi);
  Phis.emplace_back(&I, Phi);
}

void ForwardInstrumenter::fillPhis() {
  for (auto [I, Phi] : Phis)
    for (auto [K, Block] : enumerate(I->blocks())) {
      // One entry for each edge, the same for all edges from one block.
      int Before = Phi->getBasicBlockIndex(Block);
      IRBuilder<> B(Block->getTerminator());
      Value *From = I->getIncomingValue(K);
      auto Sum = NextOfSum.find(I);
      bool IsNext = Sum != NextOfSum.end() && Sum->second.first == From;
      Phi->addIncoming(Before >= 0 ? Phi->getIncomingValue(Before)
                       : IsNext    ? Sum->second.second
                                   : tangent(B, From),
                       Block);
    }
  for (auto [I, Phi] : SidePhis)
    for (auto [From, Block] : zip(I->incoming_values(), I->blocks()))
      Phi->addIncoming(SideOf.lookup(From), Block);
}

void ForwardInstrumenter::visitSelectInst(SelectInst &I) {
  if (!A.isActive(&I) || stepSide(I))
    return;
  BuilderAfter B(I);
  Value *True = tangent(B, I.getTrueValue());
  Value *False = tangent(B, I.getFalseValue());
  setTangent(&I, B.CreateSelect(I.getCondition(), True, False));
}

void ForwardInstrumenter::visitFreezeInst(FreezeInst &I) {
  BuilderAfter B(I);
  if (A.isActive(&I))
    setTangent(&I, B.CreateFreeze(tangent(B, I.getOperand(0))));
}

void ForwardInstrumenter::visitGetElementPtrInst(GetElementPtrInst &I) {
  if (stepSide(I))
    return;
  if (A.isActive(&I) && I.getType()->isVectorTy())
    return fail(I, "cannot follow a scalable vector of tracked pointers",
                "compile the function with -fno-vectorize");
  SmallVector<Value *, 4> Indices(I.indices());
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Base = takeLane(B, tangent(B, I.getPointerOperand()), Width, K);
    return B.CreateGEP(I.getSourceElementType(), Base, Indices, "",
                       I.getNoWrapFlags());
  });
}

/// The shadow of \p P by what stands beside it in memory: see pointerBits().
Value *ForwardInstrumenter::shadowOfBits(IRBuilderBase &B, Value *Bits,
                                         Value *P, unsigned Lane) {
  if (!P->getType()->isPointerTy())
    return Bits;
  Value *Itself =
      B.CreateICmpEQ(B.CreatePtrToInt(Bits, B.getInt64Ty()),
                     B.CreateOr(B.CreatePtrToInt(P, B.getInt64Ty()),
                                B.getInt64(VERSO_SHADOW_IS_ITSELF)));
  Value *None = B.CreateOr(B.CreateIsNull(Bits), B.CreateICmpEQ(Bits, P));
  return B.CreateSelect(None, mapped(B, P, Lane),
                        B.CreateSelect(Itself, P, Bits));
}

/// Nobody knows the shadow of a pointer that was in an aggregate without
/// tangents: it is the mapped one.
Value *ForwardInstrumenter::orMapped(IRBuilderBase &B, Value *Shadow, Value *P,
                                     unsigned Lane) {
  if (!P->getType()->isPointerTy())
    return Shadow;
  return B.CreateSelect(B.CreateIsNull(Shadow), mapped(B, P, Lane), Shadow);
}

void ForwardInstrumenter::visitExtractValueInst(ExtractValueInst &I) {
  Value *From = I.getAggregateOperand();
  if (Twins::isTwinCall(From)) {
    BuilderAfter B(I);
    if (A.isActive(&I))
      setTangent(&I, B.CreateExtractValue(From, 1));
    return;
  }
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Whole = takeLane(B, tangent(B, From), Width, K);
    return orMapped(B, B.CreateExtractValue(Whole, I.getIndices()), &I, K);
  });
}

void ForwardInstrumenter::visitInsertValueInst(InsertValueInst &I) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Whole = takeLane(B, tangent(B, I.getAggregateOperand()), Width, K);
    Value *Part = lanes(B, I.getInsertedValueOperand())[K];
    return B.CreateInsertValue(Whole, Part, I.getIndices());
  });
}

void ForwardInstrumenter::visitExtractElementInst(ExtractElementInst &I) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Whole = takeLane(B, tangent(B, I.getVectorOperand()), Width, K);
    return orMapped(B, B.CreateExtractElement(Whole, I.getIndexOperand()), &I,
                    K);
  });
}

void ForwardInstrumenter::visitInsertElementInst(InsertElementInst &I) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    Value *Whole = takeLane(B, tangent(B, I.getOperand(0)), Width, K);
    Value *Part = lanes(B, I.getOperand(1))[K];
    return B.CreateInsertElement(Whole, Part, I.getOperand(2));
  });
}

void ForwardInstrumenter::visitShuffleVectorInst(ShuffleVectorInst &I) {
  mapLanes(I, [&](IRBuilderBase &B, unsigned K) {
    return B.CreateShuffleVector(
        takeLane(B, tangent(B, I.getOperand(0)), Width, K),
        takeLane(B, tangent(B, I.getOperand(1)), Width, K), I.getShuffleMask());
  });
}

void ForwardInstrumenter::visitReturnInst(ReturnInst &I) {
  Value *V = I.getReturnValue();
  if (!V || !Twins::returnsCompanion(V->getType()))
    return;
  IRBuilder<> B(&I);
  Value *Pair = PoisonValue::get(F.getReturnType());
  Pair = B.CreateInsertValue(Pair, V, 0);
  Pair = B.CreateInsertValue(Pair, tangent(B, V), 1);
  B.CreateRet(Pair);
  Replaced.push_back(&I);
}

void ForwardInstrumenter::visitInstruction(Instruction &I) {
  if (isa<VAArgInst>(I))
    return fail(I, "cannot differentiate va_arg",
                "pass the numbers as an array");
  if (A.isActive(&I))
    fail(I, Twine("cannot differentiate a ") + I.getOpcodeName(),
         "mark the function verso_inactive if it carries no derivative");
}

//===----------------------------------------------------------------------===//
// Casts and integer operations on bytes
//===----------------------------------------------------------------------===//

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

/// What stands beside lost bits.
Constant *ForwardInstrumenter::lostTangent(Type *T) {
  unsigned N = T->getIntegerBitWidth();
  return N == 16 || N == 32 || N == 64
             ? ConstantInt::get(T, VERSO_LOST_TANGENT >> (64 - N))
             : Constant::getAllOnesValue(T);
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
    APInt Lost(64, VERSO_LOST_TANGENT);
    unsigned N = T->getIntegerBitWidth();
    Constant *Bits = B.getInt(N % 64 ? Lost.lshr(64 - N % 64).trunc(N)
                                     : APInt::getSplat(N, Lost));
    return B.CreateBitCast(B.CreateSelect(Any, Bits, Constant::getNullValue(T)),
                           I.getType());
  });
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
    Value *Shadow = B.CreateAdd(B.CreateSub(&I, Operand), Bits);
    Moved = B.CreateSelect(isBelowUserEnd(B, Bits), Shadow, Lost);
  }
  return B.CreateSelect(B.CreateIsNull(Bits), Zero, Moved);
}

/// The bytes beside \p I, if those of the whole are known: words that do not
/// change keep theirs. A pointer is one thing.
Value *ForwardInstrumenter::bitsByWords(IRBuilderBase &B, BinaryOperator &I,
                                        unsigned Lane, Value *AsWhole) {
  std::optional<KeptWords> Words =
      keptWords(I, Registry.holdsPacked() ? 8 : WordBits);
  if (!Words)
    return AsWhole;
  Type *T = I.getType();
  const unsigned N = T->getIntegerBitWidth();
  const unsigned Unit = Words->WordBits;
  auto UnitOf = [&](Value *V, unsigned W) {
    return B.CreateTrunc(B.CreateLShr(V, Unit * W), B.getIntNTy(Unit));
  };
  Constant *AllLost = Unit == WordBits
                          ? B.getInt32(VERSO_LOST_TANGENT >> 32)
                          : Constant::getAllOnesValue(B.getIntNTy(Unit));
  Value *None = Constant::getNullValue(B.getIntNTy(Unit));
  Value *Bits = Constant::getNullValue(T), *AnyPointer = B.getFalse();
  SmallVector<Value *, 4> Changed(N / Unit, None);
  for (unsigned K : {0, 1}) {
    if (!A.isActive(I.getOperand(K)))
      continue;
    Value *Mine = lanes(B, I.getOperand(K))[Lane];
    Bits = B.CreateOr(Bits, B.CreateAnd(Mine, Words->Of[K]));
    for (unsigned From = 0; From != N / Unit; ++From)
      for (unsigned To = 0; To != N / Unit; ++To)
        if (Words->flows(From, To))
          Changed[To] = B.CreateOr(Changed[To], UnitOf(Mine, From));
    if (N != 64)
      continue;
    // A float in the lower half looks like one, too.
    Value *IsPointer = looksLikePointer(B, Mine);
    if (!Words->Lost[0])
      IsPointer = B.CreateAnd(IsPointer, B.CreateIsNotNull(wordOf(B, Mine, 1)));
    AnyPointer = B.CreateOr(AnyPointer, IsPointer);
  }
  for (unsigned W = 0; W != N / Unit; ++W)
    if (Words->Lost[Unit * W]) {
      Value *Lost = B.CreateSelect(B.CreateIsNull(Changed[W]), None, AllLost);
      Bits = B.CreateOr(Bits, B.CreateShl(B.CreateZExt(Lost, T), Unit * W));
    }
  return B.CreateSelect(AnyPointer, AsWhole, Bits);
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
    if (Bytes >> Shift / 8 & 1) {
      APInt Others = ~APInt::getBitsSet(N, Shift, Shift + 32);
      Bits = B.CreateOr(B.CreateAnd(Bits, B.getInt(Others)),
                        B.getInt(APInt(N, VERSO_LOST_TANGENT >> 32) << Shift));
    }
  return Bits;
}

/// What stands beside \p V, an operand of an Or, by its bytes: words of which a
/// part is lost are so as a whole.
Value *ForwardInstrumenter::bytesOfOperand(IRBuilderBase &B, Value *V,
                                           unsigned Lane) {
  Value *Bits = bytesBeside(B, V, Lane);
  const uint64_t Lost = partlyLost(V, A, F.getDataLayout());
  const unsigned N = Bits->getType()->getScalarSizeInBits();
  if (Lost && !hasWords(V->getType()))
    return B.CreateSelect(B.CreateIsNull(Bits), Bits,
                          lostTangent(V->getType()));
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
      Value *IsNone = B.CreateOr(
          B.CreateIsNull(Beside),
          B.CreateICmpEQ(Beside, B.getInt32(VERSO_LOST_TANGENT >> 32)));
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

/// Moves the bytes beside the operands as the operation moves theirs.
void ForwardInstrumenter::visitBinaryOperator(BinaryOperator &I) {
  Value *L = I.getOperand(0), *R = I.getOperand(1);
  bool Both = A.isActive(L) && A.isActive(R);
  Value *Active = A.isActive(L) ? L : R;
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
                         : B.getInt64(VERSO_LOST_TANGENT);
      Value *LeftPointer = looksLikePointer(B, Bits);
      Value *RightPointer = looksLikePointer(B, Others);
      Value *OfOne = B.CreateSelect(
          LeftPointer, FromL,
          B.CreateSelect(RightPointer, FromR, B.CreateOr(FromL, FromR)));
      return B.CreateSelect(B.CreateAnd(LeftPointer, RightPointer), OfTwo,
                            OfOne);
    };
    auto Arithmetic = [&] { return bitsByWords(B, I, K, AsWhole()); };
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
        if (!keepsAddress(C->getValue()))
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
