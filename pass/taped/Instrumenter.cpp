//===- Instrumenter.cpp - the walk, and values that only move -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/Instrumenter.h"
#include "emit/Companion.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

Instrumenter::Instrumenter(Function &F, Value *Context,
                           ArrayRef<Value *> Companions, const Activity &A,
                           const TargetLibraryInfo *TLI, Twins &Registry,
                           Diagnostics &D)
    : F(F), A(A),
      C(F, A, Registry.analyses().getResult<LoopAnalysis>(F)), TLI(TLI), Registry(Registry), D(D),
      Setup(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
      Tape(F, Context, Setup) {
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
      if (!A.operation(I))
        visit(*I);
      else if (A.isActive(I) && C.isRecorded(I))
        emitRecord(*I);
    }
  }
  fillPhis();
  for (Instruction *I : Replaced)
    I->eraseFromParent();
  Tape.finish();
}

Value *Instrumenter::companion(Value *V) {
  if (!A.isActive(V))
    return zeroCompanion(V->getType());
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

static BasicBlock::iterator pointAfter(Instruction &I) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&I))
    return Invoke->getNormalDest()->getFirstInsertionPt();
  if (isa<PHINode>(I) || I.isEHPad())
    return I.getParent()->getFirstInsertionPt();
  return std::next(I.getIterator());
}

BuilderAfter::BuilderAfter(Instruction &I)
    : IRBuilder<>(pointAfter(I)->getParent(), pointAfter(I)) {
  SetCurrentDebugLocation(I.getDebugLoc());
}

void Instrumenter::fail(Instruction &I, const Twine &Message,
                        StringRef Remedy) {
  if (!Registry.isDeferred()) {
    D.error(I, Message, Remedy, Registry.callChain());
    return;
  }
  // Only a table leads here, perhaps nobody ever does: an error at run time.
  IRBuilder<> B(&I);
  std::string Text = (Message + "; " + Remedy).str();
  callRuntime(B, RuntimeFunction::Fail,
              {B.CreateGlobalString(Text, "verso.reason"),
               B.CreateGlobalString(describeLocation(I), "verso.where")});
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
  setCompanion(&I, B.CreateSelect(I.getCondition(),
                                  companion(I.getTrueValue()),
                                  companion(I.getFalseValue())));
}

void Instrumenter::visitFreezeInst(FreezeInst &I) {
  if (A.isActive(&I))
    setCompanion(&I, companion(I.getOperand(0)));
}

void Instrumenter::visitGetElementPtrInst(GetElementPtrInst &I) {
  if (!A.isActive(&I))
    return;
  Value *Offset = companion(I.getPointerOperand());
  if (I.getType()->isVectorTy()) // A scalable one: others are taken apart.
    return fail(I, "cannot follow a scalable vector of tracked pointers",
                "compile the function with -fno-vectorize");
  setCompanion(&I, Offset);
}

void Instrumenter::visitExtractValueInst(ExtractValueInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  Value *From = I.getAggregateOperand();
  if (Twins::isTwinCall(From))
    setCompanion(&I, B.CreateExtractValue(From, 1));
  else
    setCompanion(&I, B.CreateExtractValue(companion(From), I.getIndices()));
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
  setCompanion(&I, B.CreateExtractElement(companion(I.getVectorOperand()),
                                          I.getIndexOperand()));
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
    return T->isPointerTy() ? pointerImage(B, X)
                            : B.CreateZExtOrTrunc(
                                  realImage(B, T, storableId(B, V)),
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
          B, E,
          Tape.record(B, {{ConstantFP::get(B.getDoubleTy(), 1), Part}}));
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

/// Whether \p I moves whole bytes of its operands.
static bool keepsBytes(const Instruction &I) {
  const ConstantInt *C = nullptr;
  if (auto *B = dyn_cast<BinaryOperator>(&I))
    C = dyn_cast<ConstantInt>(B->getOperand(1));
  switch (I.getOpcode()) {
  case Instruction::Or:
    return true;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return !C || C->getValue().urem(8) == 0;
  case Instruction::And:
    for (unsigned K = 0; C && K + 8 <= C->getBitWidth(); K += 8)
      if (APInt Byte = C->getValue().extractBits(8, K);
          !Byte.isZero() && !Byte.isAllOnes())
        return false;
    return true;
  default:
    return !isa<BinaryOperator>(I);
  }
}

/// Whether the bits of an active real number went into V, through an operation
/// that does not keep its bytes if Lost is set on the way.
static bool losesRealBits(const Value *V, const Activity &A, bool Lost,
                          unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == 0 || !V->getType()->isIntOrIntVectorTy())
    return false;
  if (auto *Cast = dyn_cast<BitCastInst>(I))
    return Lost && Cast->getSrcTy()->isFPOrFPVectorTy() &&
           A.isVaried(Cast->getOperand(0));
  if (!isa<BinaryOperator, CastInst, SelectInst>(I))
    return false;
  Lost |= !keepsBytes(*I);
  return any_of(I->operands(), [&](const Use &U) {
    return losesRealBits(U, A, Lost, Depth - 1);
  });
}

void Instrumenter::visitCastInst(CastInst &I) {
  Value *X = I.getOperand(0);
  if (isa<BitCastInst>(I) && I.getType()->isFPOrFPVectorTy() &&
      X->getType()->isIntOrIntVectorTy() &&
      losesRealBits(X, A, /*Lost=*/false, 8))
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
    Value *Image = imageOf(B, X);
    return setCompanion(&I, companionOfImage(I, Image));
  }
  case Instruction::AddrSpaceCast:
    return setCompanion(&I, companion(X));
  case Instruction::PtrToInt:
    if (!I.getType()->isIntegerTy(64))
      return setCompanion(&I, zeroCompanion(I.getType()));
    return setCompanion(&I, pointerImage(B, companion(X)));
  case Instruction::IntToPtr:
    return setCompanion(&I, offsetOfInteger(I));
  case Instruction::Trunc:
    return setCompanion(&I, B.CreateTrunc(companion(X), I.getType()));
  case Instruction::ZExt:
  case Instruction::SExt:
    return setCompanion(&I, B.CreateZExt(companion(X), I.getType()));
  default:
    return visitInstruction(I);
  }
}

/// The offset of a pointer that was an integer: that of the pointer it was
/// computed from, or what its image says.
Value *Instrumenter::offsetOfInteger(Instruction &I) {
  if (Value *P = pointerBehindInteger(I.getOperand(0)))
    return companion(P);
  BuilderAfter B(I);
  Value *Image = B.CreateZExtOrTrunc(companion(I.getOperand(0)),
                                     B.getInt64Ty());
  return offsetOfImage(B, Image);
}

/// The image of an integer that was computed from one with this image by
/// arithmetic: a pointer stays one, a number is lost.
Value *Instrumenter::arithmeticImage(IRBuilderBase &B, Value *Image) {
  auto *T = cast<IntegerType>(Image->getType());
  Value *Zero = Constant::getNullValue(T);
  auto IsLive = [&](Value *Word) {
    return B.CreateICmpULT(
        B.CreateSub(B.CreateSub(Word, Tape.base()), B.getInt32(1)),
        B.CreateSub(Tape.next(B), B.getInt32(1)));
  };
  Value *Lost = B.CreateAdd(Tape.base(), B.getInt32(VERSO_ID_LOST));
  if (T->getBitWidth() == 32)
    return B.CreateSelect(IsLive(Image), Lost, Zero);
  if (T->getBitWidth() != 64)
    return Zero;
  Value *Low = B.CreateTrunc(Image, B.getInt32Ty());
  Value *High = B.CreateTrunc(B.CreateLShr(Image, 32), B.getInt32Ty());
  Value *IsPointer = B.CreateAnd(IsLive(High),
                                 B.CreateICmpEQ(Low, B.CreateNot(High)));
  Value *LostPair = B.CreateOr(
      B.CreateZExt(Lost, T), B.CreateShl(B.CreateZExt(B.CreateNot(Lost), T), 32));
  Value *Number = B.CreateSelect(B.CreateOr(IsLive(Low), IsLive(High)),
                                 LostPair, Zero);
  return B.CreateSelect(IsPointer, Image, Number);
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
  auto Lost = [&] { return arithmeticImage(B, Both); };
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
    Value *AllOrNothing =
        B.CreateOr(B.CreateIsNull(Mask),
                   B.CreateICmpEQ(Mask, Constant::getAllOnesValue(
                                            Mask->getType())));
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
    return KeepIf(B.CreateIsNull(
                      B.CreateAnd(R, ConstantInt::get(R->getType(), 7))),
                  Image);
  }
  default:
    return setCompanion(&I, Lost());
  }
}
