//===- Halves.cpp - two-byte numbers in memory, on the tape ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taped/Halves.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "emit/WholeWords.h"
#include "prepare/BfloatsByHand.h"
#include "taped/Instrumenter.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

bool verso::isHalf(const Type *T) { return T->isHalfTy() || T->isBFloatTy(); }

static unsigned halvesIn(Type *T) {
  if (isHalf(T))
    return 1u << cellKind(T);
  if (T->isArrayTy() || T->isVectorTy())
    return halvesIn(T->getContainedType(0));
  unsigned Kinds = 0;
  if (auto *S = dyn_cast<StructType>(T))
    for (Type *E : S->elements())
      Kinds |= halvesIn(E);
  return Kinds;
}

static unsigned halvesIn(const Instruction &I) {
  if (auto *Local = dyn_cast<AllocaInst>(&I))
    return halvesIn(Local->getAllocatedType());
  if (auto *Step = dyn_cast<GetElementPtrInst>(&I))
    return halvesIn(Step->getSourceElementType());
  if (isa<LoadInst>(I))
    return halvesIn(I.getType());
  if (auto *Bits = dyn_cast<BitCastInst>(&I)) // As structures are handed on.
    return halvesIn(Bits->getSrcTy()) | halvesIn(Bits->getDestTy());
  if (isa<StoreInst, AtomicRMWInst>(I))
    return halvesIn(I.getOperand(isa<StoreInst>(I) ? 0 : 1)->getType());
  return 0;
}

unsigned verso::halvesIn(const Module &M) {
  unsigned Kinds = 0;
  for (const GlobalVariable &G : M.globals())
    Kinds |= ::halvesIn(G.getValueType());
  for (const Function &F : M) {
    if (mayHoldBfloatsByHand(F))
      Kinds |= 1u << VERSO_CELL_BFLOAT;
    for (const Instruction &I : instructions(F))
      Kinds |= ::halvesIn(I);
  }
  return Kinds;
}

/// The store that \p Load is moved by, if nothing touches memory between.
static StoreInst *moveOf(LoadInst &Load) {
  auto *Store =
      Load.hasOneUse() ? dyn_cast<StoreInst>(*Load.user_begin()) : nullptr;
  if (!Load.getType()->isIntegerTy() || !Load.isSimple() || !Store ||
      Store->getValueOperand() != &Load || !Store->isSimple() ||
      Store->getParent() != Load.getParent())
    return nullptr;
  for (Instruction *I = Load.getNextNode(); I != Store; I = I->getNextNode())
    if (I->mayWriteToMemory())
      return nullptr;
  return Store;
}

void verso::keepMovesTogether(Function &F) {
  SmallVector<LoadInst *, 8> Moves;
  for (Instruction &I : instructions(F)) {
    if (auto *Local = dyn_cast<AllocaInst>(&I))
      Local->setAlignment(std::max(Local->getAlign(), Align(GranuleBytes)));
    auto *Load = dyn_cast<LoadInst>(&I);
    if (StoreInst *Store = Load ? moveOf(*Load) : nullptr) {
      uint64_t Bits = Load->getType()->getIntegerBitWidth();
      if (Bits % 8 == 0 && (Bits < 32 || Load->getAlign() < GranuleBytes ||
                            Store->getAlign() < GranuleBytes))
        Moves.push_back(Load);
    }
  }
  for (LoadInst *Load : Moves) {
    StoreInst *Store = moveOf(*Load);
    IRBuilder<> B(Store);
    B.CreateMemMove(Store->getPointerOperand(), Store->getAlign(),
                    Load->getPointerOperand(), Load->getAlign(),
                    Load->getType()->getIntegerBitWidth() / 8);
    Store->eraseFromParent();
    Load->eraseFromParent();
  }
}

void verso::registerHalves(Module &M, unsigned Kinds) {
  Function *Register = Function::Create(
      FunctionType::get(Type::getVoidTy(M.getContext()), false),
      GlobalValue::InternalLinkage, "verso.register_halves", &M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Register));
  for (unsigned Kind : {VERSO_CELL_HALF, VERSO_CELL_BFLOAT})
    if (Kinds >> Kind & 1)
      callRuntime(B, RuntimeFunction::RegisterHalf, {B.getInt32(Kind)});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Register, /*Priority=*/0);
}

//===----------------------------------------------------------------------===//
// What the instrumenter emits
//===----------------------------------------------------------------------===//

/// A call of the runtime that gives or takes an ID. Not inert: an outer request
/// would have to see the adjoints that the sweep moves, and refuses it.
CallInst *Instrumenter::callHalves(IRBuilderBase &B, RuntimeFunction Which,
                                   Place At, unsigned Kind, Value *Id) {
  Tape.spill(B);
  SmallVector<Value *, 5> Arguments{Tape.context(), At.Pointer, offsetOf(B, At),
                                    B.getInt32(Kind)};
  if (Id)
    Arguments.push_back(Id);
  CallInst *Call = callRuntime(B, Which, Arguments);
  Call->setMetadata("verso.inert", nullptr);
  Tape.reload(B);
  return Call;
}

/// Whether an access of an integer may be one of part of a granule.
bool Instrumenter::mayPartGranules(Type *T, Align Alignment) const {
  return Registry.sharesGranules() && T->getIntegerBitWidth() % 8 == 0 &&
         (T->getIntegerBitWidth() < 32 || Alignment < GranuleBytes);
}

/// A place of its own, which begins with a granule, for an image of type \p T.
Value *Instrumenter::imageSlot(Type *T) {
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *Slot = Entry.CreateAlloca(T, nullptr, "verso.bits");
  Slot->setAlignment(std::max(Slot->getAlign(), Align(GranuleBytes)));
  return Slot;
}

void Instrumenter::copyImagesOf(IRBuilderBase &B, Place To, Place From,
                                Type *T) {
  callClaiming(B, "__verso_copy_claimed",
               {Tape.context(), To.Pointer, shadowOf(To), From.Pointer,
                shadowOf(From), B.getInt64(T->getIntegerBitWidth() / 8),
                B.getInt32(false)});
}

/// The image of an integer that was loaded: by way of a place that begins with
/// a granule. A smaller one than that has all ones if it is of a two-byte
/// number.
Value *Instrumenter::imageOfParts(IRBuilderBase &B, LoadInst &I, Place At) {
  Type *T = I.getType();
  if (T->getIntegerBitWidth() >= 32) {
    Value *Slot = imageSlot(T);
    copyImagesOf(B, {Slot, nullptr}, At, T);
    return loadImage(B, T, Slot);
  }
  Tape.spill(B);
  Value *What = callRuntime(B, RuntimeFunction::LoadHalf,
                            {Tape.context(), At.Pointer,
                             B.getInt64(T->getIntegerBitWidth() / 8),
                             B.getInt32(VERSO_CELL_RAW)});
  Tape.reload(B);
  Value *IsLost = B.CreateICmpEQ(What, B.getInt32(VERSO_ID_LOST));
  // Where bytes are moved one by one, a byte of ones is one of many images.
  const unsigned Bits = T->getIntegerBitWidth();
  Value *Lost = Registry.holdsPacked()
                    ? ConstantInt::get(
                          T, APInt::getSplat(Bits, APInt(8, VERSO_LOST_BYTE)))
                    : Constant::getAllOnesValue(T);
  return B.CreateSelect(
      B.CreateIsNull(What), loadImage(B, T, At.Pointer),
      B.CreateSelect(IsLost, Lost, Constant::getNullValue(T)));
}

/// The other way round; what gets bytes of two-byte numbers is lost.
void Instrumenter::storeParts(IRBuilderBase &B, Value *Image, Place At) {
  Type *T = Image->getType();
  if (T->getIntegerBitWidth() >= 32) {
    Value *Slot = imageSlot(T);
    storeImage(B, Image, Slot);
    return copyImagesOf(B, At, {Slot, nullptr}, T);
  }
  // Beside a number: it has to stay.
  Value *IsNothing = B.CreateIsNull(Image);
  if (Registry.holdsPacked()) // Or one of the bytes of an image.
    IsNothing = At.Shadow ? B.CreateAnd(IsNothing, isTracked(B, At))
                          : static_cast<Value *>(B.getFalse());
  verso::emitIf(B, IsNothing, /*Unlikely=*/false, [&](IRBuilder<> &Then) {
    clearBytes(Then, T->getIntegerBitWidth() / 8, At, Align(1));
  });
  if (Registry.holdsPacked()) {
    verso::emitIf(B, B.CreateNot(IsNothing), /*Unlikely=*/true,
                  [&](IRBuilder<> &Then) {
                    Tape.spill(Then);
                    callRuntime(Then, RuntimeFunction::StorePart,
                                {Tape.context(), At.Pointer, offsetOf(Then, At),
                                 Then.getInt64(T->getIntegerBitWidth() / 8),
                                 Then.CreateZExt(Image, Then.getInt32Ty())})
                        ->setMetadata("verso.inert", nullptr);
                    Tape.reload(Then);
                  });
    return;
  }
  // A mark is no bytes: it would stand in the word of the number beside it.
  Value *IsMark = B.CreateICmpEQ(Image, Constant::getAllOnesValue(T));
  verso::emitIf(B, B.CreateAnd(B.CreateIsNotNull(Image), B.CreateNot(IsMark)),
                /*Unlikely=*/true,
                [&](IRBuilder<> &Then) { moveBytes(Then, Image, At); });
  verso::emitIf(B, IsMark, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
    for (unsigned K = 0; K < T->getIntegerBitWidth() / 8; K += 2)
      callHalves(
          Then, RuntimeFunction::StoreHalf,
          {Then.CreateConstGEP1_32(Then.getInt8Ty(), At.Pointer, K), nullptr},
          VERSO_CELL_RAW, Then.getInt32(VERSO_ID_LOST));
  });
}

/// The integer that \p V has bits of, and from which bit on.
static std::pair<Value *, unsigned> sourceOfPart(Value *V) {
  Value *X;
  const APInt *Shift;
  if (!match(V, m_Trunc(m_Value(X))) || X->getType()->isVectorTy())
    return {nullptr, 0};
  Value *Whole;
  if (match(X, m_LShr(m_Value(Whole), m_APInt(Shift))))
    return {Whole, unsigned(Shift->getZExtValue())};
  return {X, 0};
}

/// Whether \p U moves \p V, or takes it for the bits of a half.
static bool isMoveOrHalf(const User *U, const Value *V) {
  auto *Store = dyn_cast<StoreInst>(U);
  return (Store && Store->getValueOperand() == V) ||
         (isa<BitCastInst>(U) && isHalf(U->getType()));
}

/// Where an integer that was loaded from parts of granules keeps its image, if
/// it is used as it is, or moved on: its own bits have no room for one. (Moves
/// within a block are memmoves, see keepMovesTogether.)
void Instrumenter::keepPart(IRBuilderBase &B, LoadInst &I, Place At) {
  const unsigned Bits = I.getType()->getIntegerBitWidth();
  const bool IsLess = Bits < WordBits;
  if (!Registry.sharesGranules() || Bits % WordBits == 0 ||
      none_of(I.users(), [&](const User *U) {
        return isMoveOrHalf(U, &I) || (!IsLess && BytePlaces::isMove(U));
      }))
    return;
  // In the same place of a granule, as far as one is in parts.
  Value *Phase = B.CreateAnd(B.CreatePtrToInt(At.Pointer, B.getInt64Ty()),
                             IsLess ? 1 : GranuleBytes - 1);
  Type *Room = B.getIntNTy(Bits + WordBits);
  Value *Kept = B.CreateGEP(B.getInt8Ty(), imageSlot(Room), Phase);
  copyImagesOf(B, {Kept, nullptr}, At, I.getType());
  KeptParts[&I] = Kept;
}

/// Where the image of \p V is, an integer that is kept or whose bits are other
/// ones than the same words of a wider integer; null if nowhere.
Value *Instrumenter::placeOfPart(IRBuilderBase &B, Value *V) {
  if (Value *Kept = KeptParts.lookup(V))
    return Kept;
  // Bytes of a word that go one by one have those of its image, and are put
  // together again by them.
  if (V->getType()->getIntegerBitWidth() >= WordBits && movesPieces(V))
    return placePieces(B, V);
  auto [X, Shift] = sourceOfPart(V);
  if (!X || !Registry.holdsHalves() || Registry.isSilent())
    return nullptr;
  const unsigned Bits = V->getType()->getIntegerBitWidth(),
                 Whole = X->getType()->getIntegerBitWidth();
  // Of a granule of which the wider integer has only a part, so has its image.
  if (Bits % 8 || Shift % 8 || Shift + Bits > Whole / 32 * 32 ||
      !(Shift % 32 || Bits % 32))
    return nullptr;
  Value *Slot = imageSlot(X->getType());
  storeImage(B, companion(X), Slot);
  return B.CreateConstGEP1_32(B.getInt8Ty(), Slot, Shift / 8);
}

/// A half whose bits are those of \p Bits.
Value *Instrumenter::halfOfBits(Instruction &I, Value *Bits) {
  BuilderAfter B(I);
  Value *Part = Bits->getType()->isVectorTy() ? nullptr : placeOfPart(B, Bits);
  return Part ? callHalves(B, RuntimeFunction::LoadHalf, {Part, nullptr},
                           cellKind(I.getType()))
              : halfOfImage(B, imageOf(B, Bits));
}

/// The image of a part of a granule, see above; null if \p I is none.
Value *Instrumenter::imageOfPart(IRBuilderBase &B, TruncInst &I) {
  Type *T = I.getType();
  if (!Registry.holdsHalves() || !T->isIntegerTy() ||
      T->getIntegerBitWidth() >= 32)
    return nullptr;
  auto [X, Shift] = sourceOfPart(&I);
  if (!X || X->getType()->getIntegerBitWidth() < 32)
    return nullptr;
  Value *Word = B.CreateTrunc(B.CreateLShr(companion(X), Shift / 32 * 32),
                              B.getInt32Ty());
  return B.CreateSExt(B.CreateIsNotNull(Word), T);
}

/// The image of the bits of a half, of which nothing but that is known, and the
/// ID of one with such an image: lost.
Value *Instrumenter::imageOfHalf(IRBuilderBase &B, Value *Id) {
  return B.CreateSExt(B.CreateIsNotNull(Id), B.getInt16Ty());
}

Value *Instrumenter::halfOfImage(IRBuilderBase &B, Value *Image) {
  return B.CreateSelect(B.CreateIsNotNull(Image), B.getInt32(VERSO_ID_LOST),
                        B.getInt32(0));
}
