//===- Memory.cpp - IDs in memory -----------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores move images (Layout.h) beside the bytes. Through a tracked
// pointer, whose offset is not zero, memory is also a boundary: a cell that is
// touched for the first time is logged with the user's shadow cell.
//
// The offset is a run-time value, so what is emitted for a pointer that may be
// tracked is right for one that is not.
//
//===----------------------------------------------------------------------===//

#include "analysis/AccessTypes.h"
#include "analysis/MovedBytes.h"
#include "emit/Companion.h"
#include "emit/DirectBase.h"
#include "prepare/PartsOfNumbers.h"
#include "taped/Halves.h"
#include "taped/Instrumenter.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

Instrumenter::Place Instrumenter::placeOf(Value *Pointer) {
  bool IsTracked = Registry.pointersTracked() && isTracked(Pointer);
  return {Pointer, IsTracked ? companion(Pointer) : nullptr};
}

static Value *behindSteps(Value *P) {
  while (auto *GEP = dyn_cast<GEPOperator>(P))
    P = GEP->getPointerOperand();
  return P;
}

/// The pointer that \p P is some steps from, in a loop too; null if there is
/// none. It is available wherever P is.
static Value *startOf(Value *P) {
  auto *Phi = dyn_cast<PHINode>(P);
  if (!Phi)
    return isa<GEPOperator>(P) ? behindSteps(P) : nullptr;
  Value *Start = nullptr;
  for (Value *V : Phi->incoming_values()) {
    Value *Behind = behindSteps(V);
    if (Behind == Phi)
      continue;
    if (Start && Behind != Start)
      return nullptr;
    Start = Behind;
  }
  return Start;
}

/// Whether it has a shadow at run time. It has one where the pointer that it
/// was computed from has one, which may be known outside a loop.
Value *Instrumenter::isTracked(IRBuilderBase &B, Place At) {
  Value *P = At.Pointer;
  while (Value *Start = startOf(P)) {
    if (!isTracked(Start))
      break;
    P = Start;
  }
  return B.CreateICmpNE(P == At.Pointer ? At.Shadow : companion(P), P);
}

/// The distance to its shadow, which the runtime is told.
Value *Instrumenter::offsetOf(IRBuilderBase &B, Place At) {
  if (!At.Shadow)
    return B.getInt64(0);
  return B.CreateSub(B.CreatePtrToInt(At.Shadow, B.getInt64Ty()),
                     B.CreatePtrToInt(At.Pointer, B.getInt64Ty()));
}

/// Calls support code that may write to tape and log, and that derives shadows
/// of cells from At's, where an outer request can see it.
Value *Instrumenter::callClaiming(IRBuilderBase &B, StringRef Name,
                                  ArrayRef<Value *> Arguments) {
  Tape.spill(B);
  Value *Result =
      B.CreateCall(getSupportFunction(*F.getParent(), Name), Arguments);
  Tape.reload(B);
  return Result;
}

Value *Instrumenter::shadow(IRBuilderBase &B, Value *P) {
  return displace(B, P, Tape.delta());
}

LoadInst *Instrumenter::loadImage(IRBuilderBase &B, Type *T, Value *P) {
  return inert(B.CreateAlignedLoad(T, shadow(B, P), Align(1)));
}

void Instrumenter::storeImage(IRBuilderBase &B, Value *Image, Value *P) {
  inert(B.CreateAlignedStore(Image, shadow(B, P), Align(1)));
}

/// `if (Condition) X = Then(); else X = Otherwise` at B; X, if Otherwise is
/// given.
Value *Instrumenter::emitIf(IRBuilderBase &B, Value *Condition,
                            Value *Otherwise,
                            function_ref<Value *(IRBuilder<> &)> Then,
                            bool Unlikely) {
  Instruction *At = &*B.GetInsertPoint();
  MDNode *Weights =
      Unlikely ? MDBuilder(F.getContext()).createUnlikelyBranchWeights()
               : nullptr;
  BasicBlock *Head = At->getParent();
  Instruction *ThenEnd =
      SplitBlockAndInsertIfThen(Condition, At, /*Unreachable=*/false, Weights);
  IRBuilder<> ThenB(ThenEnd);
  ThenB.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  Value *X = Then(ThenB);
  B.SetInsertPoint(At);
  if (!Otherwise)
    return nullptr;
  PHINode *Phi =
      PHINode::Create(Otherwise->getType(), 2, "", At->getParent()->begin());
  Phi->addIncoming(Otherwise, Head);
  Phi->addIncoming(X, ThenEnd->getParent());
  return Phi;
}

/// `if (Condition) X = Then(); else X = Else()` at B; X, of type T.
Value *Instrumenter::emitBranch(IRBuilderBase &B, Value *Condition, Type *T,
                                function_ref<Value *(IRBuilder<> &)> Then,
                                function_ref<Value *(IRBuilder<> &)> Else,
                                bool Likely) {
  Instruction *At = &*B.GetInsertPoint();
  MDNode *Weights =
      Likely ? MDBuilder(F.getContext()).createLikelyBranchWeights() : nullptr;
  Instruction *ThenEnd, *ElseEnd;
  SplitBlockAndInsertIfThenElse(Condition, At->getIterator(), &ThenEnd,
                                &ElseEnd, Weights);
  IRBuilder<> ThenB(ThenEnd), ElseB(ElseEnd);
  ThenB.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  ElseB.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  Value *X = Then(ThenB), *Y = Else(ElseB);
  B.SetInsertPoint(At);
  PHINode *Phi = PHINode::Create(T, 2, "", At->getParent()->begin());
  Phi->addIncoming(X, ThenEnd->getParent());
  Phi->addIncoming(Y, ElseEnd->getParent());
  return Phi;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void Instrumenter::visitLoadInst(LoadInst &I) {
  if (!A.isActive(&I))
    return;
  Place At = placeOf(I.getPointerOperand());
  Type *T = I.getType();
  if (T->isFloatingPointTy())
    setCompanion(&I, noteIfLost(I, orHandle(I, loadReal(I, T, At), At)));
  else if (T->isPointerTy())
    setCompanion(&I, loadShadow(I, At));
  else if (T->isIntegerTy())
    setCompanion(&I, loadBytes(I, At));
  else
    visitInstruction(I);
}

/// Whether a word is what the upper half of a double has for its image.
Value *Instrumenter::isUpperHalf(IRBuilderBase &B, Value *Word) {
  Value *Id = B.CreateSub(partner(B, Word), Tape.base());
  return B.CreateAnd(B.CreateIsNotNull(Id), isLive(B, Id));
}

/// Whether there may be a double in the place of the float that \p Access
/// reads.
bool Instrumenter::mayBeMember(const Instruction &Access) const {
  return Registry.holdsUnions() && !Registry.holdsPacked() &&
         (!isa<LoadInst>(Access) || mayBeOfAnyType(Access));
}

/// if (nobody has written it, p is tracked, in reach) id = a direct one, else
/// img = shadow(p);  abs = img * (2^32 + 1)      ; a float: abs = img
/// if (abs - base < next) id = abs - base         ; live
/// else if (abs < base, p is not tracked) id = 0  ; untouched
/// else if (abs < base, in reach) id = a direct one
/// else id = __verso_id_at(...)
Value *Instrumenter::loadReal(Instruction &I, Type *T, Place At) {
  BuilderAfter B(I);
  int Kind = cellKind(T);
  if (isHalf(T) && isa<LoadInst>(I))
    return callHalves(B, RuntimeFunction::LoadHalf, At, Kind);
  if (Kind < 0 || isHalf(T)) {
    fail(I, "cannot differentiate a load of this floating-point type",
         "use float or double in memory");
    return B.getInt32(0);
  }
  if (T->isFloatTy() && mayBeMember(I)) {
    Value *Found = callClaiming(B, "__verso_id_at",
                                {Tape.context(), At.Pointer, shadowOf(At),
                                 B.getInt32(VERSO_CELL_MEMBER)});
    Tape.setNeverDirect(Found);
    return Found;
  }
  if (!mayBePacked(I))
    return loadInPlace(B, I, T, At);
  auto Packed = [&](IRBuilderBase &Then) {
    return callClaiming(
        Then, "__verso_packed_id_at",
        {Tape.context(), At.Pointer, shadowOf(At), Then.getInt32(Kind)});
  };
  if (T->isX86_FP80Ty())
    return Packed(B);
  return emitBranch(
      B, isPacked(B, At.Pointer), B.getInt32Ty(), Packed,
      [&](IRBuilder<> &Else) { return loadInPlace(Else, I, T, At); });
}

/// The same of a number at a multiple of 4.
Value *Instrumenter::loadInPlace(IRBuilderBase &B, Instruction &I, Type *T,
                                 Place At) {
  int Kind = cellKind(T);
  bool IsPair = Kind != VERSO_CELL_FLOAT;
  LoadInst *Image;
  Value *Wide, *Live, *Id;
  auto Look = [&](IRBuilderBase &Here) {
    Image = loadImage(Here, IsPair ? Here.getInt64Ty() : Here.getInt32Ty(),
                      At.Pointer);
    Value *Absolute = IsPair ? productOfPair(Here, Image) : Image;
    Wide = Here.CreateSub(Absolute, IsPair ? Tape.wideBase() : Tape.base());
    Live = isLive(Here, Wide);
    Id = Here.CreateTrunc(Wide, Here.getInt32Ty());
    Tape.setNeverDirect(Id); // It is used where it is live.
  };
  if (!At.Shadow && !IsPair && !Registry.holdsPacked()) {
    Look(B);
    return B.CreateSelect(Live, Id,
                          B.CreateSelect(isUpperHalf(B, Image),
                                         B.getInt32(VERSO_ID_LOST),
                                         B.getInt32(0)));
  }

  Instruction *Rest = &*B.GetInsertPoint();
  BasicBlock *Head = Rest->getParent();
  BasicBlock *Tail = SplitBlock(Head, Rest);
  LLVMContext &C = F.getContext();
  auto NewBlock = [&](const Twine &Name) {
    return BasicBlock::Create(C, Name, &F, Tail);
  };
  MDNode *Unlikely = MDBuilder(C).createUnlikelyBranchWeights();
  MDNode *Likely = MDBuilder(C).createLikelyBranchWeights();
  IRBuilder<> Where(C);
  Where.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  auto StartAt = [&](BasicBlock *Block) { Where.SetInsertPoint(Block); };
  PHINode *Result = PHINode::Create(B.getInt32Ty(), 4, "", Tail->begin());
  Head->getTerminator()->eraseFromParent();
  StartAt(Head);
  UntouchedCell Untouched;
  if (At.Shadow && T->isDoubleTy() && isFresh(I)) {
    UntouchedCell Cell = cellInReach(Where, At);
    Value *IsDirect = Where.CreateFreeze(Where.CreateNot(Cell.Doubtful));
    Result->addIncoming(Cell.Id, Head);
    Head = NewBlock("");
    Where.CreateCondBr(IsDirect, Tail, Head, Likely);
    StartAt(Head);
    Look(Where);
  } else {
    Look(Where);
  }

  // An ID below run may be a stale one of another thread: the runtime knows.
  BasicBlock *Dead = NewBlock(""), *Slow = NewBlock("");
  BasicBlock *Own = At.Shadow ? NewBlock("") : Tail;
  Where.CreateCondBr(Live, Own, Dead, At.Shadow ? nullptr : Likely);
  if (At.Shadow) {
    StartAt(Own);
    Value *Run = loadField(Where, Tape.context(), field::Run);
    Where.CreateCondBr(Where.CreateICmpULT(Id, Run), Slow, Tail, Unlikely);
  }
  Result->addIncoming(Id, At.Shadow ? Own : Head);

  StartAt(Dead);
  if (!Untouched.Id)
    Untouched = untouchedCell(Where, T, At);
  Value *Doubtful = Untouched.Doubtful;
  if (!IsPair && Registry.holdsPacked()) // A float may have come in pieces.
    Doubtful = Where.CreateOr(Doubtful, isUpperHalf(Where, Image));
  if (IsPair)
    // abs >= base, by what is at hand: abs - base < -base, as no word is more.
    Doubtful = Where.CreateOr(
        Where.CreateICmpULT(Wide, Where.CreateNeg(Tape.wideBase())), Doubtful);
  Where.CreateCondBr(Doubtful, Slow, Tail, Unlikely);
  Result->addIncoming(Untouched.Id, Dead);

  StartAt(Slow);
  Value *Found = callClaiming(
      Where, Registry.holdsPacked() ? "__verso_packed_id_at" : "__verso_id_at",
      {Tape.context(), At.Pointer, shadowOf(At), Where.getInt32(Kind)});
  if (!At.Shadow || !T->isDoubleTy())
    Tape.setNeverDirect(Found);
  Where.CreateBr(Tail);
  Result->addIncoming(Found, Slow);
  return Result;
}

/// The number of the cell \p Distance behind that of direct ID 0. Doubtful
/// where it is too far, or no multiple of 8: then there are bits at the top.
Instrumenter::UntouchedCell Instrumenter::cellByDistance(IRBuilderBase &B,
                                                         Value *Distance) {
  Value *Number = B.CreateIntrinsic(Intrinsic::fshr, {B.getInt64Ty()},
                                    {Distance, Distance, B.getInt64(3)});
  return {B.CreateTrunc(Number, B.getInt32Ty()),
          B.CreateICmpUGE(Number, B.getInt64(VERSO_ID_DIRECT))};
}

/// The direct ID of a cell that has no image. Doubtful where it is out of
/// reach, as all cells are through a pointer that is not tracked.
Instrumenter::UntouchedCell Instrumenter::cellInReach(IRBuilderBase &B,
                                                      Place At) {
  Value *Nowhere = B.getInt64(UINT64_C(1) << 62);
  Value *Begin =
      B.CreateSelect(isTracked(B, At),
                     B.CreatePtrToInt(Tape.direct(), B.getInt64Ty()), Nowhere);
  UntouchedCell Cell = cellByDistance(
      B, B.CreateSub(B.CreatePtrToInt(At.Shadow, B.getInt64Ty()), Begin));
  return {B.CreateOr(Cell.Id, B.getInt32(VERSO_ID_DIRECT)), Cell.Doubtful};
}

/// What a load of a cell that has no image gives, unless that is doubtful: 0
/// through a pointer that is not tracked, else the cell's direct ID,
/// direct | distance / 8, if it is a double in reach.
Instrumenter::UntouchedCell Instrumenter::untouchedCell(IRBuilderBase &B,
                                                        Type *T, Place At) {
  if (!At.Shadow)
    return {B.getInt32(0), B.getFalse()};
  Value *Tracked = isTracked(B, At);
  if (!T->isDoubleTy())
    return {B.getInt32(0), Tracked};
  Value *Distance =
      B.CreateSub(B.CreatePtrToInt(At.Shadow, B.getInt64Ty()),
                  B.CreatePtrToInt(Tape.direct(), B.getInt64Ty()));
  UntouchedCell Cell = cellByDistance(
      B, B.CreateAnd(Distance, B.CreateSExt(Tracked, B.getInt64Ty())));
  Value *Bit =
      B.CreateSelect(Tracked, B.getInt32(VERSO_ID_DIRECT), B.getInt32(0));
  return {B.CreateOr(Cell.Id, Bit), Cell.Doubtful};
}

/// The verso_copied_fields of \p Record.
Constant *Instrumenter::tableOf(const CopiedRecord &Record) {
  SmallVector<uint32_t, 24> Words;
  for (const CopiedRecord::Field &Each : Record.Fields)
    append_values(Words, uint32_t(Each.Offset), uint32_t(Each.Bytes),
                  uint32_t(Each.Kind));
  Constant *Table = ConstantDataArray::get(F.getContext(), Words);
  auto *Global =
      new GlobalVariable(*F.getParent(), Table->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Table, "verso.record");
  Global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return Global;
}

/// Bytes of tracked memory are about to move: they get leaves. Those that are
/// not known to be numbers get raw ones.
void Instrumenter::touchBytes(IRBuilderBase &B, Place At, Value *Bytes,
                              ArrayRef<CopiedNumbers> Known,
                              const CopiedRecord &Record) {
  if (!At.Shadow)
    return;
  emitIf(B, isTracked(B, At), nullptr, [&](IRBuilder<> &Then) {
    auto Step = [&](Value *P, uint64_t Offset) {
      return Then.CreateConstInBoundsGEP1_64(Then.getInt8Ty(), P, Offset);
    };
    for (const CopiedNumbers &N : Known)
      callClaiming(Then, "__verso_touch_numbers_claimed",
                   {Tape.context(), Step(At.Pointer, N.Offset),
                    Step(At.Shadow, N.Offset),
                    N.Bytes ? Then.getInt64(N.Bytes) : Bytes,
                    Then.getInt32(N.Kind)});
    if (!Record.Fields.empty())
      callClaiming(Then, "__verso_touch_records_claimed",
                   {Tape.context(), At.Pointer, At.Shadow, Bytes,
                    tableOf(Record), Then.getInt64(Record.Fields.size()),
                    Record.Period ? Then.getInt64(Record.Period) : Bytes});
    callClaiming(Then, "__verso_touch_claimed",
                 {Tape.context(), At.Pointer, At.Shadow, Bytes});
    return nullptr;
  });
}

/// Bytes that only move: they take their image with them.
Value *Instrumenter::loadBytes(LoadInst &I, Place At) {
  BuilderAfter B(I);
  uint64_t Bytes = I.getType()->getIntegerBitWidth() / 8;
  if (I.getType()->getIntegerBitWidth() % 8)
    return zeroCompanion(I.getType());
  touchBytes(B, At, B.getInt64(Bytes), copiedNumbers(I));
  Value *Image = mayPartGranules(I.getType(), I.getAlign())
                     ? imageOfParts(B, I, At)
                     : loadImage(B, I.getType(), At.Pointer);
  if (Registry.isSilent())
    return pointersOf(B, Image);
  keepPart(B, I, At);
  return Image;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void Instrumenter::visitStoreInst(StoreInst &I) {
  Value *V = I.getValueOperand();
  Type *T = V->getType();
  Place At = placeOf(I.getPointerOperand());
  if (T->isFloatingPointTy())
    storeReal(I, T, V, At);
  else if (T->isPointerTy() && (Registry.pointersTracked() || A.isActive(V)))
    storePointer(I, At);
  else if (T->isIntegerTy() && companion(V) != zeroCompanion(T)) {
    BuilderAfter B(I);
    if (Value *Part = placeOfPart(B, V))
      copyImagesOf(B, At, {Part, nullptr}, T);
    else if (T->getIntegerBitWidth() % 32 && isComputed(V, A))
      storeComputed(B, companion(V), I.getAlign(), At);
    else
      storeBytes(B, companion(V), I.getAlign(), At);
  } else if (holdsReal(T) && A.isActive(V)) {
    fail(I, "cannot differentiate a store of this type",
         "store its numbers one by one");
  } else {
    BuilderAfter B(I);
    const uint64_t Bytes = F.getDataLayout().getTypeStoreSize(T);
    if (!overwritesPart(I))
      return clearBytes(B, Bytes, At, I.getAlign());
    if (!At.Shadow)
      return storePart(B, Bytes, At.Pointer, I.getAlign());
    Value *Tracked = isTracked(B, At);
    verso::emitIf(B, Tracked, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
      clearBytes(Then, Bytes, At, I.getAlign());
    });
    verso::emitIf(B, B.CreateNot(Tracked), /*Unlikely=*/false,
                  [&](IRBuilder<> &Then) {
                    storePart(Then, Bytes, At.Pointer, I.getAlign());
                  });
  }
}

/// What is written may be a part of a number, if one is there.
void Instrumenter::storePart(IRBuilderBase &B, uint64_t Bytes, Value *Pointer,
                             Align Alignment) {
  Value *P = shadow(B, Pointer);
  Value *IsNumber = holdsImage(B, granuleOf(B, P));
  if (Alignment < Bytes) {
    Value *Last = B.CreateConstGEP1_64(B.getInt8Ty(), P, Bytes - 1);
    IsNumber = B.CreateOr(IsNumber, holdsImage(B, granuleOf(B, Last)));
  }
  verso::emitIf(B, IsNumber, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
    overwritePart(Then, {Pointer, nullptr}, Then.getInt64(Bytes));
  });
  verso::emitIf(
      B, B.CreateNot(IsNumber), /*Unlikely=*/false, [&](IRBuilder<> &Then) {
        storeImage(Then, Constant::getNullValue(Then.getIntNTy(8 * Bytes)),
                   Pointer);
      });
}

/// The word of the image that has the byte at \p P.
Value *Instrumenter::granuleOf(IRBuilderBase &B, Value *P) {
  Value *Address = B.CreateAnd(B.CreatePtrToInt(P, B.getInt64Ty()),
                               B.getInt64(~(GranuleBytes - 1)));
  return B.CreateIntToPtr(Address, B.getPtrTy());
}

/// Whether that is a number's or a pointer's.
Value *Instrumenter::holdsImage(IRBuilderBase &B, Value *Granule) {
  Value *Word =
      inert(B.CreateAlignedLoad(B.getInt32Ty(), Granule, Align(GranuleBytes)));
  auto IsLive = [&](Value *W) {
    return B.CreateICmpULT(B.CreateSub(W, Tape.base()), Tape.next(B));
  };
  return B.CreateOr(IsLive(Word), IsLive(partner(B, Word)));
}

bool Instrumenter::overwritesPart(const Instruction &I) const {
  return !Registry.sharesGranules() && overwritesPartOfNumber(I);
}

void Instrumenter::overwritePart(IRBuilderBase &B, Place At, Value *Bytes) {
  Tape.spill(B);
  callRuntime(B, RuntimeFunction::OverwritePart,
              {Tape.context(), At.Pointer, Bytes});
  Tape.reload(B);
}

/// if (offset && !live(shadow(p))) log (p, p + offset)
/// shadow(p) = image(id)
void Instrumenter::storeReal(StoreInst &I, Type *T, Value *V, Place At) {
  int Kind = cellKind(T);
  if (isHalf(T)) {
    BuilderAfter B(I);
    callHalves(B, RuntimeFunction::StoreHalf, At, Kind, storableId(B, V));
    return;
  }
  if (Kind < 0) {
    if (A.isActive(V))
      fail(I, "cannot differentiate a store of this floating-point type",
           "use float or double in memory");
    return;
  }
  BuilderAfter B(I);
  Value *Id = storableId(B, V);
  if (!mayBePacked(I)) {
    storeId(B, T, Id, At);
    return followAddress(B, V, Id, At);
  }
  if (T->isX86_FP80Ty())
    return storePacked(B, realImage(B, T, Id), Kind, At);
  ifPacked(
      B, At,
      [&](IRBuilder<> &Then) {
        storePacked(Then, realImage(Then, T, Id), Kind, At);
      },
      [&](IRBuilder<> &Else) { storeId(Else, T, Id, At); });
  followAddress(B, V, Id, At);
}

void Instrumenter::storeId(IRBuilderBase &B, Type *T, Value *Id, Place At) {
  int Kind = cellKind(T);
  if (At.Shadow) {
    LoadInst *Old = loadImage(B, B.getInt32Ty(), At.Pointer);
    Value *Before = B.CreateSub(Old, Tape.base());
    Value *Dead = B.CreateICmpUGE(Before, Tape.next(B));
    Value *Foreign =
        B.CreateICmpULT(Before, loadField(B, Tape.context(), field::Run));
    Value *First = B.CreateAnd(B.CreateOr(Dead, Foreign), isTracked(B, At));
    emitIf(B, First, nullptr, [&](IRBuilder<> &Then) {
      // It writes nothing to the tape, so a row goes on.
      Then.CreateCall(
          getSupportFunction(*F.getParent(), "__verso_log_store"),
          {Tape.context(), At.Pointer, At.Shadow,
           Then.getInt64(T->getPrimitiveSizeInBits() / 8),
           Then.getInt32(Kind == VERSO_CELL_X86_FP80 ? VERSO_CELL_X86_FP80
                                                     : VERSO_CELL_RAW)});
      return nullptr;
    });
    // Something inactive in tracked memory must not look untouched.
    if (!RecordIds.contains(Id))
      Id = B.CreateBinaryIntrinsic(Intrinsic::umax, Id,
                                   B.getInt32(VERSO_ID_CONSTANT));
  }
  if (Id == zeroCompanion(T))
    storeImage(B,
               Constant::getNullValue(T->isFloatTy() ? B.getInt32Ty()
                                                     : B.getInt64Ty()),
               At.Pointer);
  else
    storeImage(B, realImage(B, T, Id), At.Pointer);
  if (T->isX86_FP80Ty() && Id != zeroCompanion(T))
    storeImage(B, partner(B, B.CreateAdd(Id, Tape.base())),
               B.CreateConstGEP1_64(B.getInt8Ty(), At.Pointer, 8));
}

void Instrumenter::storeBytes(IRBuilderBase &B, Value *Image, Align Alignment,
                              Place At) {
  Type *T = Image->getType();
  if (T->getIntegerBitWidth() % 8)
    return clearBytes(B, F.getDataLayout().getTypeStoreSize(T), At, Alignment);
  if (mayPartGranules(T, Alignment))
    return storeParts(B, Image, At);
  moveBytes(B, Image, At);
}

void Instrumenter::moveBytes(IRBuilderBase &B, Value *Image, Place At) {
  Type *T = Image->getType();
  storeImage(B, Image, At.Pointer);
  if (!At.Shadow)
    return;
  emitIf(B, isTracked(B, At), nullptr, [&](IRBuilder<> &Then) {
    // A copy onto itself: logs the range, and images that are not live become
    // the constant's.
    callClaiming(Then, "__verso_copy_claimed",
                 {Tape.context(), At.Pointer, At.Shadow, At.Pointer, At.Pointer,
                  Then.getInt64(T->getIntegerBitWidth() / 8),
                  Then.getInt32(false)});
    return nullptr;
  });
}

/// Something inactive is stored: the granules that it touches lose their IDs.
void Instrumenter::clearBytes(IRBuilderBase &B, uint64_t Bytes, Place At,
                              Align Alignment) {
  if (At.Shadow) {
    Value *Tracked = isTracked(B, At);
    verso::emitIf(B, Tracked, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
      callClaiming(
          Then, "__verso_clear_claimed",
          {Tape.context(), At.Pointer, At.Shadow, Then.getInt64(Bytes)});
    });
    verso::emitIf(B, B.CreateNot(Tracked), /*Unlikely=*/false,
                  [&](IRBuilder<> &Then) {
                    clearBytes(Then, Bytes, {At.Pointer, nullptr}, Alignment);
                  });
    return;
  }
  if (Registry.sharesGranules() &&
      (Bytes % GranuleBytes || Alignment < GranuleBytes)) {
    callClaiming(B, "__verso_clear_claimed",
                 {Tape.context(), At.Pointer, At.Pointer, B.getInt64(Bytes)});
    return;
  }
  // As much as may be a part of each of two granules, and no more.
  if (Bytes < 2 * GranuleBytes - 1 && Alignment < Bytes &&
      Alignment < GranuleBytes) {
    callClaiming(B, "__verso_clear_across",
                 {Tape.context(), At.Pointer, B.getInt64(Bytes)});
    return;
  }
  Value *P = shadow(B, At.Pointer);
  if (Bytes >= 2 * GranuleBytes - 1 && Alignment < GranuleBytes) {
    // One half of a double and a part of the other, where it is not aligned.
    Value *Low = B.CreateAnd(B.CreatePtrToInt(P, B.getInt64Ty()),
                             B.getInt64(GranuleBytes - 1));
    emitIf(B, B.CreateIsNotNull(Low), nullptr, [&](IRBuilder<> &Then) {
      callRuntime(
          Then, RuntimeFunction::ClearImages,
          {Tape.context(), At.Pointer, Then.getInt64(Bytes), Then.getInt64(0)});
      return nullptr;
    });
  }
  if (Bytes < 4) {
    // Part of an aligned cell? Then none of it may be believed any more. Cells
    // that are not aligned lose only the bytes that are overwritten: their
    // images no longer fit together.
    Value *Granule = granuleOf(B, P);
    emitIf(B, holdsImage(B, Granule), nullptr, [&](IRBuilder<> &Then) {
      inert(Then.CreateAlignedStore(Then.getInt32(0), Granule, Align(4)));
      return nullptr;
    });
  }
  Type *Whole = B.getIntNTy(Bytes * 8);
  inert(B.CreateAlignedStore(Constant::getNullValue(Whole), P, Align(1)));
}

//===----------------------------------------------------------------------===//
// Atomics. Values and images are two accesses: as for any data that threads
// share, requests of several threads must not work on the same cells.
//===----------------------------------------------------------------------===//

/// The image of the integer that \p I, an update, is about to find.
Value *Instrumenter::imageBefore(Instruction &I, Type *T, Place At) {
  IRBuilder<> B(&I);
  touchBytes(B, At, B.getInt64(T->getIntegerBitWidth() / 8), {});
  return loadImage(B, T, At.Pointer);
}

void Instrumenter::visitAtomicRMWInst(AtomicRMWInst &I) {
  Place At = placeOf(I.getPointerOperand());
  Type *T = I.getType();
  Value *V = I.getValOperand();
  if (!T->isFloatingPointTy()) {
    const bool IsExchange =
        I.getOperation() == AtomicRMWInst::Xchg && T->isIntegerTy();
    if (IsExchange && A.isActive(&I))
      setCompanion(&I, imageBefore(I, T, At));
    BuilderAfter B(I);
    if (IsExchange && A.isActive(V))
      return storeBytes(B, companion(V), I.getAlign(), At);
    clearBytes(B, F.getDataLayout().getTypeStoreSize(T), At, I.getAlign());
    return;
  }
  if (Registry.isSilent()) {
    BuilderAfter B(I);
    return storeId(B, T, zeroCompanion(T), At);
  }
  Value *OldId = loadReal(I, T, At);
  setCompanion(&I, OldId);
  BuilderAfter B(I);
  if (auto *Last = dyn_cast<Instruction>(OldId))
    B.SetInsertPoint(Last->getParent(),
                     isa<PHINode>(Last)
                         ? Last->getParent()->getFirstInsertionPt()
                         : std::next(Last->getIterator()));
  auto Term = [&](double Partial, Value *Id) {
    return Contribution{ConstantFP::get(B.getDoubleTy(), Partial), Id};
  };
  Value *NewId = nullptr;
  switch (I.getOperation()) {
  case AtomicRMWInst::Xchg:
    NewId = storableId(B, V);
    break;
  case AtomicRMWInst::FAdd:
    NewId = Tape.record(B, {Term(1, OldId), Term(1, companion(V))});
    break;
  case AtomicRMWInst::FSub:
    NewId = Tape.record(B, {Term(1, OldId), Term(-1, companion(V))});
    break;
  case AtomicRMWInst::FMax:
  case AtomicRMWInst::FMin: {
    bool Max = I.getOperation() == AtomicRMWInst::FMax;
    Value *Old = &I;
    Value *KeepsOld = Max ? B.CreateFCmpOGE(Old, V) : B.CreateFCmpOLE(Old, V);
    Value *Chosen = B.CreateSelect(KeepsOld, OldId, companion(V));
    NewId = Tape.record(B, {Term(1, Chosen)});
    break;
  }
  default:
    return visitInstruction(I);
  }
  storeId(B, T, NewId, At);
}

void Instrumenter::visitAtomicCmpXchgInst(AtomicCmpXchgInst &I) {
  Value *New = I.getNewValOperand();
  Place At = placeOf(I.getPointerOperand());
  Type *T = New->getType();
  if (!T->isIntegerTy())
    return visitInstruction(I);
  Value *Image = imageBefore(I, T, At);
  BuilderAfter B(I);
  Value *Result = zeroCompanion(I.getType());
  setCompanion(&I, B.CreateInsertValue(Result, Image, 0));
  Value *Success = B.CreateExtractValue(&I, 1);
  Value *Kept = B.CreateSelect(Success, companion(New), Image);
  storeBytes(B, Kept, I.getAlign(), At);
}
