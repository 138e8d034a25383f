//===- Instrumenter.cpp - the walk, and values that only move -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/Instrumenter.h"
#include "analysis/MovedBytes.h"
#include "analysis/PointerDistance.h"
#include "emit/Companion.h"
#include "prepare/OutlineAccesses.h"
#include "taped/Halves.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

Instrumenter::Instrumenter(Function &F, Value *Context,
                           ArrayRef<Value *> Companions, const Activity &A,
                           const TargetLibraryInfo *TLI, Twins &Registry,
                           Diagnostics &D)
    : F(F), A(A), C(F, A, Registry.analyses().getResult<LoopAnalysis>(F)),
      TLI(TLI), Registry(Registry), D(D),
      Setup(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
      Tape(F, Context, Setup) {
  const LoopInfo &Loops = Registry.analyses().getResult<LoopAnalysis>(F);
  for (BasicBlock &Block : F) {
    const Loop *L = Loops.getLoopFor(&Block);
    for (Instruction &I : Block)
      LoopOf[&I] = L;
    if (L && L->getHeader() == &Block && L->getLoopPreheader())
      LoopEntry[L] = L->getLoopPreheader()->getTerminator();
  }
  for (Argument &Arg : F.args())
    if (Arg.getArgNo() < Companions.size() && Companions[Arg.getArgNo()])
      setCompanion(&Arg, Companions[Arg.getArgNo()]);
}

void Instrumenter::run() {
  // Reverse post-order: definitions come before uses, but for phis.
  SmallVector<SmallVector<Instruction *, 16>, 16> Blocks;
  ReversePostOrderTraversal<Function *> Order(&F);
  for (BasicBlock *Block : Order) {
    Blocks.emplace_back();
    for (Instruction &I : *Block)
      Blocks.back().push_back(&I);
  }
  for (ArrayRef<Instruction *> Block : Blocks) {
    bool IsEntry = Block.front()->getParent() == &F.getEntryBlock();
    Tape.startSegment(IsEntry ? Setup : *find_if(Block, [](Instruction *I) {
      return !isa<PHINode>(I) && !I->isEHPad();
    }));
    for (Instruction *I : Block) {
      if (isInert(*I))
        continue;
      if (!A.operation(I) || isa<SIToFPInst, UIToFPInst>(I))
        visit(*I);
      else if (A.isActive(I) && C.isRecorded(I))
        emitRecord(*I);
    }
  }
  fillPhis();
  for (Instruction *I : Replaced)
    I->eraseFromParent();
  Tape.finish(Registry.pointersTracked());
}

/// An untracked pointer is its own shadow.
Value *Instrumenter::companion(Value *V) {
  if (!A.isActive(V))
    return V->getType()->isPointerTy() ? V : zeroCompanion(V->getType());
  Value *X = CompanionOf.lookup(V);
  // After an error some values have none; the module is not used any more.
  if (!X) {
    assert(D.hadError() && "an active value without a companion");
    return zeroCompanion(V->getType());
  }
  return X;
}

void Instrumenter::setCompanion(Value *V, Value *X) {
  assert(X->getType() == companionType(V->getType()) && "companion's type");
  bool New = CompanionOf.try_emplace(V, X).second;
  (void)New;
  assert(New && "a value has one companion");
}

void Instrumenter::fail(Instruction &I, const Twine &Message,
                        StringRef Remedy) {
  Registry.fail(I, Message, Remedy);
}

//===----------------------------------------------------------------------===//
// Values that only move
//===----------------------------------------------------------------------===//

void Instrumenter::visitPHINode(PHINode &I) {
  if (!A.isActive(&I))
    return;
  PHINode *Phi =
      PHINode::Create(companionType(I.getType()), I.getNumIncomingValues(), "",
                      I.getParent()->begin());
  setCompanion(&I, Phi);
  Phis.emplace_back(&I, Phi);
}

void Instrumenter::fillPhis() {
  for (auto [I, Phi] : Phis)
    for (auto [K, Block] : enumerate(I->blocks()))
      Phi->addIncoming(companion(I->getIncomingValue(K)), Block);
}

void Instrumenter::visitSelectInst(SelectInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I, B.CreateSelect(I.getCondition(), companion(I.getTrueValue()),
                                  companion(I.getFalseValue())));
}

void Instrumenter::visitFreezeInst(FreezeInst &I) {
  if (A.isActive(&I))
    setCompanion(&I, companion(I.getOperand(0)));
}

/// if (Condition) a fatal error, at run time.
void Instrumenter::failIf(IRBuilderBase &B, Value *Condition, Instruction &I,
                          StringRef Reason) {
  verso::emitIf(B, Condition, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
    callRuntime(Then, RuntimeFunction::Fail,
                {Then.CreateGlobalString(Reason, "verso.reason"),
                 Then.CreateGlobalString(describeLocation(I), "verso.where")});
  });
}

/// shadow(a) - a != shadow(b) - b: in different arrays, whose distance says
/// nothing about that of their shadows.
void Instrumenter::refuseForeignDistance(IRBuilderBase &B,
                                         GetElementPtrInst &I) {
  // Code of ours may have lost sight of one of the two, and means it.
  if (Registry.isOfGenerated())
    return;
  for (const Use &Index : I.indices()) {
    const BinaryOperator *Distance = pointerDistance(Index);
    if (!Distance)
      continue;
    Value *Offsets[2];
    for (unsigned K : {0, 1}) {
      Value *P =
          cast<PtrToIntOperator>(Distance->getOperand(K))->getPointerOperand();
      Offsets[K] = offsetOf(B, placeOf(P));
    }
    if (Offsets[0] != Offsets[1])
      failIf(B, B.CreateICmpNE(Offsets[0], Offsets[1]), I,
             "a pointer with a shadow was computed from the distance of two "
             "arrays; keep the pointers");
  }
}

void Instrumenter::visitGetElementPtrInst(GetElementPtrInst &I) {
  if (!A.isActive(&I))
    return;
  if (I.getType()->isVectorTy()) // A scalable one: others are taken apart.
    return fail(I, "cannot follow a scalable vector of tracked pointers",
                "compile the function with -fno-vectorize");
  BuilderAfter B(I);
  refuseForeignDistance(B, I);
  SmallVector<Value *, 4> Indices(I.indices());
  setCompanion(&I, B.CreateGEP(I.getSourceElementType(),
                               companion(I.getPointerOperand()), Indices, "",
                               I.getNoWrapFlags()));
}

/// \p Shadow, or \p P itself where that is null: a pointer out of an aggregate
/// without companions, or without a handle.
Value *Instrumenter::orItself(IRBuilderBase &B, Value *Shadow, Value *P) {
  if (!P->getType()->isPointerTy())
    return Shadow;
  return B.CreateSelect(B.CreateIsNull(Shadow), P, Shadow);
}

void Instrumenter::visitExtractValueInst(ExtractValueInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  Value *From = I.getAggregateOperand();
  if (Twins::isTwinCall(From))
    setCompanion(&I, B.CreateExtractValue(From, 1));
  else
    setCompanion(
        &I,
        orItself(B, B.CreateExtractValue(companion(From), I.getIndices()), &I));
}

void Instrumenter::visitInsertValueInst(InsertValueInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I, B.CreateInsertValue(companion(I.getAggregateOperand()),
                                       companion(I.getInsertedValueOperand()),
                                       I.getIndices()));
}

void Instrumenter::visitExtractElementInst(ExtractElementInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I,
               orItself(B,
                        B.CreateExtractElement(companion(I.getVectorOperand()),
                                               I.getIndexOperand()),
                        &I));
}

void Instrumenter::visitInsertElementInst(InsertElementInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I, B.CreateInsertElement(companion(I.getOperand(0)),
                                         companion(I.getOperand(1)),
                                         I.getOperand(2)));
}

void Instrumenter::visitShuffleVectorInst(ShuffleVectorInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  setCompanion(&I, B.CreateShuffleVector(companion(I.getOperand(0)),
                                         companion(I.getOperand(1)),
                                         I.getShuffleMask()));
}

void Instrumenter::visitReturnInst(ReturnInst &I) {
  IRBuilder<> B(&I);
  if (isAccessor(F)) {
    // Callers count on room, so that none of them has to check it.
    auto *Here = cast<Instruction>(Tape.next(B));
    Tape.startSegment(Here);
    Tape.reserve(Here, 1);
  }
  Tape.spill(B);
  Value *V = I.getReturnValue();
  if (!V || !Twins::returnsCompanion(V->getType()))
    return;
  Value *Pair = PoisonValue::get(F.getReturnType());
  Pair = B.CreateInsertValue(Pair, V, 0);
  Pair = B.CreateInsertValue(Pair, companion(V), 1);
  B.CreateRet(Pair);
  Replaced.push_back(&I);
}

void Instrumenter::visitResumeInst(ResumeInst &I) {
  IRBuilder<> B(&I);
  Tape.spill(B);
}

void Instrumenter::visitInstruction(Instruction &I) {
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

/// The image of all bits of V, as one integer.
Value *Instrumenter::imageOf(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  Value *X = companion(V);
  auto *Vector = dyn_cast<FixedVectorType>(T);
  if (!Vector) {
    if (T->isIntegerTy())
      return X;
    return T->isPointerTy()
               ? pointerImage(B, V, X)
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
  for (unsigned K = 0; K != Vector->getNumElements(); ++K) {
    BuilderAfter B(I);
    if (auto *Last = dyn_cast<Instruction>(X))
      B.SetInsertPoint(Last->getParent(), std::next(Last->getIterator()));
    else if (auto *First = dyn_cast<Instruction>(Image))
      B.SetInsertPoint(First->getParent(), std::next(First->getIterator()));
    Value *Part =
        B.CreateTrunc(B.CreateLShr(Image, K * Bits), B.getIntNTy(Bits));
    if (E->isFloatingPointTy())
      Part = realOfImage(*cast<Instruction>(B.CreateFreeze(Part)), E, Part);
    if (auto *Last = dyn_cast<Instruction>(Part))
      B.SetInsertPoint(Last->getParent(),
                       isa<PHINode>(Last)
                           ? Last->getParent()->getFirstInsertionPt()
                           : std::next(Last->getIterator()));
    X = B.CreateInsertElement(X, Part, K);
  }
  return X;
}

void Instrumenter::visitCastInst(CastInst &I) {
  Value *X = I.getOperand(0);
  if (losesRealBits(I, A))
    return fail(I,
                "the bits of an active number come back through integer "
                "arithmetic",
                "write it with floating-point operations (copysign, ldexp, "
                "...)");
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  switch (I.getOpcode()) {
  case Instruction::BitCast: {
    if (I.getType()->isPtrOrPtrVectorTy())
      return setCompanion(&I, companion(X));
    if (isHalf(I.getType()))
      return setCompanion(&I, halfOfBits(I, X));
    Value *Image = imageOf(B, X);
    return setCompanion(&I, companionOfImage(I, Image));
  }
  case Instruction::AddrSpaceCast:
    return setCompanion(&I, companion(X));
  case Instruction::PtrToInt:
    if (!I.getType()->isIntegerTy(64))
      return setCompanion(&I, zeroCompanion(I.getType()));
    return setCompanion(&I, pointerImage(B, X, companion(X)));
  case Instruction::IntToPtr:
    return setCompanion(&I, shadowOfInteger(I));
  case Instruction::Trunc:
    if (Value *Image = imageOfPart(B, cast<TruncInst>(I)))
      return setCompanion(&I, Image);
    return setCompanion(&I, B.CreateTrunc(companion(X), I.getType()));
  case Instruction::ZExt:
  case Instruction::SExt:
    if (auto *Bits = dyn_cast<BitCastInst>(X);
        Bits && isHalf(Bits->getOperand(0)->getType()))
      return fail(I, "two-byte numbers are put together as an integer",
                  "copy them as numbers or by memcpy");
    return setCompanion(&I, B.CreateZExt(companion(X), I.getType()));
  default:
    return visitInstruction(I);
  }
}

/// The shadow of a pointer that was an integer: by the same distance from that
/// of the pointer it was computed from, or what its image says.
Value *Instrumenter::shadowOfInteger(Instruction &I) {
  BuilderAfter B(I);
  Value *X = I.getOperand(0);
  if (Value *P = pointerBehindInteger(X)) {
    Value *Distance = B.CreateSub(B.CreateZExtOrTrunc(X, B.getInt64Ty()),
                                  B.CreatePtrToInt(P, B.getInt64Ty()));
    return B.CreateGEP(B.getInt8Ty(), companion(P), Distance);
  }
  Value *Image = B.CreateZExtOrTrunc(companion(X), B.getInt64Ty());
  Value *Lost =
      pairImage(B, B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST)),
                /*Swapped=*/true);
  failIf(B, B.CreateICmpEQ(Image, Lost), I,
         "a pointer with a shadow was computed from two pointers by integer "
         "arithmetic; keep the pointers");
  return orItself(B, shadowOfImage(B, Image), &I);
}

Instrumenter::Image64 Instrumenter::classify(IRBuilderBase &B, Value *Image) {
  auto IsLive = [&](Value *Word) {
    return B.CreateICmpULT(
        B.CreateSub(B.CreateSub(Word, Tape.base()), B.getInt32(1)),
        B.CreateSub(Tape.next(B), B.getInt32(1)));
  };
  Value *Low = B.CreateTrunc(Image, B.getInt32Ty());
  Value *High = B.CreateTrunc(B.CreateLShr(Image, 32), B.getInt32Ty());
  Value *LowLive = IsLive(Low), *HighLive = IsLive(High);
  return {B.CreateAnd(HighLive, B.CreateICmpEQ(Low, B.CreateNot(High))),
          B.CreateOr(LowLive, HighLive)};
}

/// The image of integer \p I, which was computed from \p Operand with this
/// image by arithmetic: a pointer moves, and so does its shadow; a number is
/// lost.
Value *Instrumenter::arithmeticImage(IRBuilderBase &B, Instruction &I,
                                     Value *Operand, Value *Image) {
  auto *T = cast<IntegerType>(Image->getType());
  Value *Zero = Constant::getNullValue(T);
  Value *Lost = B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST));
  if (T->getBitWidth() == 32) {
    Value *Id = B.CreateSub(B.CreateSub(Image, Tape.base()), B.getInt32(1));
    Value *IsLive =
        B.CreateICmpULT(Id, B.CreateSub(Tape.next(B), B.getInt32(1)));
    return B.CreateSelect(IsLive, Lost, Zero);
  }
  if (T->getBitWidth() != 64)
    return Zero;
  Image64 Is = classify(B, Image);
  Value *Number =
      B.CreateSelect(Is.Live, pairImage(B, Lost, /*Swapped=*/false), Zero);
  if (!Registry.pointersTracked())
    return Number;
  Value *Shadow = shadowOfImage(B, B.CreateSelect(Is.Pointer, Image, Zero));
  Value *P = B.CreateIntToPtr(&I, B.getPtrTy());
  Value *Moved = B.CreateSelect(
      B.CreateIsNull(Shadow), P,
      B.CreateGEP(B.getInt8Ty(), Shadow, B.CreateSub(&I, Operand)));
  return B.CreateSelect(Is.Pointer, pointerImage(B, P, Moved), Number);
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

/// Moves the image as the operation moves the bytes.
void Instrumenter::visitBinaryOperator(BinaryOperator &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  Value *L = I.getOperand(0), *R = I.getOperand(1);
  Value *Both = A.isActive(L) && A.isActive(R)
                    ? B.CreateOr(companion(L), companion(R))
                    : companion(A.isActive(L) ? L : R);
  auto Lost = [&] {
    return A.isActive(L) && A.isActive(R)
               ? arithmeticImage(B, I)
               : arithmeticImage(B, I, A.isActive(L) ? L : R, Both);
  };
  auto KeepIf = [&](Value *Keeps, Value *Image) {
    setCompanion(&I, B.CreateSelect(Keeps, Image, Lost()));
  };
  switch (I.getOpcode()) {
  case Instruction::Or:
    return setCompanion(&I, Both);
  case Instruction::And: {
    if (A.isActive(L) && A.isActive(R))
      return setCompanion(&I, Lost());
    Value *Mask = A.isActive(L) ? R : L;
    if (isa<ConstantInt>(Mask))
      return setCompanion(&I, keepsBytes(I) ? B.CreateAnd(Both, Mask) : Lost());
    Value *Kept = B.CreateAnd(Both, Mask);
    Value *AllOrNothing = B.CreateOr(
        B.CreateIsNull(Mask),
        B.CreateICmpEQ(Mask, Constant::getAllOnesValue(Mask->getType())));
    return KeepIf(AllOrNothing, Kept);
  }
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr: {
    if (!A.isActive(L))
      return setCompanion(&I, zeroCompanion(I.getType()));
    Value *Image = companion(L);
    Image = I.getOpcode() == Instruction::Shl ? B.CreateShl(Image, R)
                                              : B.CreateLShr(Image, R);
    return KeepIf(
        B.CreateIsNull(B.CreateAnd(R, ConstantInt::get(R->getType(), 7))),
        Image);
  }
  default:
    return setCompanion(&I, Lost());
  }
}
