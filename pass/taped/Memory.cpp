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

#include "emit/Companion.h"
#include "emit/DirectBase.h"
#include "taped/Halves.h"
#include "taped/Instrumenter.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace verso;

static constexpr uint64_t GranuleBytes = 4;

Instrumenter::Place Instrumenter::placeOf(Value *Pointer) {
  return {Pointer, isTracked(Pointer) ? companion(Pointer) : nullptr};
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

Instrumenter::Progress Instrumenter::progress(IRBuilderBase &B) {
  return {loadField(B, Tape.context(), field::Log),
          loadField(B, Tape.context(), field::Next)};
}

/// The runtime logged cells of [At.Pointer, + Bytes) behind \p Before; their
/// shadows are derived from At.Shadow here, where an outer request can see it.
void Instrumenter::claimCells(IRBuilderBase &B, Progress Before, Place At,
                              Value *Bytes) {
  if (At.Shadow)
    B.CreateCall(getSupportFunction(*F.getParent(), "__verso_claim"),
                 {Tape.context(), Before.Log, Before.Next, At.Pointer,
                  At.Shadow, Bytes});
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
                                function_ref<Value *(IRBuilder<> &)> Else) {
  Instruction *At = &*B.GetInsertPoint();
  Instruction *ThenEnd, *ElseEnd;
  SplitBlockAndInsertIfThenElse(Condition, At->getIterator(), &ThenEnd,
                                &ElseEnd);
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
    setCompanion(&I, loadReal(I, T, At));
  else if (T->isPointerTy())
    setCompanion(&I, loadShadow(I, At));
  else if (T->isIntegerTy())
    setCompanion(&I, loadBytes(I, At));
  else
    visitInstruction(I);
}

/// if (p is tracked, img == 0) id = a direct one  ; a double in reach
/// img = shadow(p);  id = idOfPair(img)          ; a float: id = img - base
/// if (id >= next)
///   if (p is tracked) id = ID of the untouched cell
///   else id = half of img is live ? settle(p) : 0
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
  bool IsPair = Kind != VERSO_CELL_FLOAT;
  LoadInst *Image =
      loadImage(B, IsPair ? B.getInt64Ty() : B.getInt32Ty(), At.Pointer);
  Tape.reserve(Image, 2 * TapeWriter::MarkBytes);
  Value *Id = IsPair ? idOfPair(B, Image, /*Swapped=*/false)
                     : B.CreateSub(Image, Tape.base());
  Value *Live = isLive(B, Id);
  Id = B.CreateTrunc(Id, B.getInt32Ty());
  Tape.setNeverDirect(Id); // It is used where it is live.
  auto [Low, High] = IsPair ? splitPair(B, Image, /*Swapped=*/false)
                            : std::pair<Value *, Value *>(Id, nullptr);
  auto IsLive = [&](IRBuilderBase &Where, Value *Word) {
    return isLive(Where, Where.CreateSub(Word, Tape.base()));
  };
  auto Untracked = [&](IRBuilder<> &Where) -> Value * {
    if (!IsPair)
      return Where.getInt32(0);
    // Read again, so that the image need not be kept.
    LoadInst *Again = loadImage(Where, Where.getInt32Ty(), At.Pointer);
    Again->setVolatile(true);
    return emitIf(Where, IsLive(Where, Again), Where.getInt32(0),
                  [&](IRBuilder<> &Then) {
                    return settleReserved(Then, At.Pointer,
                                          static_cast<verso_cell_kind>(Kind));
                  });
  };
  if (!At.Shadow && !IsPair)
    return B.CreateSelect(Live, Id, B.getInt32(0));
  auto AnyId = [&](IRBuilderBase &Where) {
    return emitBranch(
        Where, Live, Where.getInt32Ty(),
        [&](IRBuilder<> &Then) {
          return At.Shadow ? ownId(Then, T, Id, At) : Id;
        },
        [&](IRBuilder<> &Else) {
          if (!At.Shadow)
            return Untracked(Else);
          return emitBranch(
              Else, isTracked(Else, At), Else.getInt32Ty(),
              [&](IRBuilder<> &Then) {
                Value *Partly = IsPair ? Then.CreateOr(IsLive(Then, Low),
                                                       IsLive(Then, High))
                                       : nullptr;
                return untouchedId(Then, T, Partly, At);
              },
              Untracked);
        });
  };
  if (!At.Shadow || !T->isDoubleTy())
    return AnyId(B);
  // Most cells of the user never had an image.
  DirectCell Cell = directCell(B, At);
  Value *IsFresh = B.CreateIsNull(B.CreateOr(Image, Cell.OutOfReach));
  return emitBranch(
      B, IsFresh, B.getInt32Ty(),
      [&](IRBuilder<> &Then) { return directId(Then, Cell); }, AnyId);
}

/// An ID below run may be a stale one of another thread: the runtime knows.
Value *Instrumenter::ownId(IRBuilderBase &B, Type *T, Value *Id, Place At) {
  Value *Doubtful =
      B.CreateICmpULT(Id, loadField(B, Tape.context(), field::Run));
  return emitIf(B, Doubtful, Id,
                [&](IRBuilder<> &Then) { return firstTouch(Then, T, At); });
}

/// How far the shadow is from the base of direct IDs, and what of it is too far
/// or no multiple of 8. That is never zero for an untracked pointer.
Instrumenter::DirectCell Instrumenter::directCell(IRBuilderBase &B, Place At) {
  Value *Base = B.CreateSelect(
      isTracked(B, At), B.CreatePtrToInt(Tape.direct(), B.getInt64Ty()),
      B.CreatePtrToInt(unreachableBase(B), B.getInt64Ty()));
  Value *Distance =
      B.CreateSub(B.CreatePtrToInt(At.Shadow, B.getInt64Ty()), Base);
  return {
      Distance,
      B.CreateAnd(Distance, B.getInt64(~(uint64_t(~VERSO_ID_DIRECT) << 3)))};
}

/// direct | distance / 8
Value *Instrumenter::directId(IRBuilderBase &B, DirectCell Cell) {
  return B.CreateOr(
      B.CreateTrunc(B.CreateLShr(Cell.Distance, 3), B.getInt32Ty()),
      B.getInt32(VERSO_ID_DIRECT));
}

/// The direct ID; where the cell is out of reach, no double, or has live halves
/// that do not fit together, what the runtime says.
Value *Instrumenter::untouchedId(IRBuilderBase &B, Type *T, Value *Partly,
                                 Place At) {
  if (!T->isDoubleTy())
    return firstTouch(B, T, At);
  DirectCell Cell = directCell(B, At);
  return emitIf(B, B.CreateOr(B.CreateIsNotNull(Cell.OutOfReach), Partly),
                directId(B, Cell),
                [&](IRBuilder<> &Then) { return firstTouch(Then, T, At); });
}

Value *Instrumenter::firstTouch(IRBuilderBase &B, Type *T, Place At) {
  Tape.spill(B);
  Progress Before = progress(B);
  Value *Leaf = callRuntime(
      B, RuntimeFunction::FirstTouch,
      {Tape.context(), At.Pointer, offsetOf(B, At), B.getInt32(cellKind(T))});
  claimCells(B, Before, At, B.getInt64(F.getDataLayout().getTypeStoreSize(T)));
  Tape.reload(B);
  Tape.setNeverDirect(Leaf);
  return Leaf;
}

/// handle = idOfPair(img)
/// shadow(q) = handle ? slot(handle) : *shadow(p); q itself if that is null
Value *Instrumenter::loadShadow(LoadInst &I, Place At) {
  BuilderAfter B(I);
  LoadInst *Image = loadImage(B, B.getInt64Ty(), At.Pointer);
  Tape.reserve(Image, TapeWriter::MarkBytes);
  Value *Handle = idOfPair(B, Image, /*Swapped=*/true);
  auto Unnamed = [&](IRBuilderBase &Where) -> Value * {
    // Through a shadow structure. Untracked p gives q.
    return At.Shadow ? Where.CreateLoad(Where.getPtrTy(), At.Shadow)
                     : static_cast<Value *>(&I);
  };
  Value *Shadow = emitBranch(
      B, isLive(B, Handle), B.getPtrTy(),
      [&](IRBuilder<> &Then) -> Value * {
        return Then.CreateLoad(Then.getPtrTy(), slotOf(Then, Handle));
      },
      [&](IRBuilder<> &Else) -> Value * {
        Value *Key = splitPair(Else, Image, /*Swapped=*/true).first;
        return emitBranch(
            Else, isLive(Else, Else.CreateSub(Key, Tape.base())),
            Else.getPtrTy(),
            [&](IRBuilder<> &Then) {
              Value *Settled =
                  settleReserved(Then, At.Pointer, VERSO_CELL_POINTER);
              return Then.CreateSelect(
                  Then.CreateIsNull(Settled), Unnamed(Then),
                  Then.CreateLoad(Then.getPtrTy(), slotOf(Then, Settled)));
            },
            Unnamed);
      });
  return orItself(B, Shadow, &I);
}

/// Bytes of tracked memory are about to move: they get leaves. Those that are
/// not known to be numbers get raw ones.
void Instrumenter::touchBytes(IRBuilderBase &B, Place At, Value *Bytes,
                              ArrayRef<CopiedNumbers> Known) {
  if (!At.Shadow)
    return;
  emitIf(B, isTracked(B, At), nullptr, [&](IRBuilder<> &Then) {
    Tape.spill(Then);
    Progress Before = progress(Then);
    Value *Offset = offsetOf(Then, At);
    for (const CopiedNumbers &N : Known)
      callRuntime(Then, RuntimeFunction::TouchNumbers,
                  {Tape.context(),
                   Then.CreateConstInBoundsGEP1_64(Then.getInt8Ty(), At.Pointer,
                                                   N.Offset),
                   Offset, N.Bytes ? Then.getInt64(N.Bytes) : Bytes,
                   Then.getInt32(N.Kind)});
    callRuntime(Then, RuntimeFunction::TouchRange,
                {Tape.context(), At.Pointer, Offset, Bytes});
    claimCells(Then, Before, At, Bytes);
    Tape.reload(Then);
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
  Value *Image = mayPartHalves(I.getType(), I.getAlign())
                     ? imageOfParts(B, I, At)
                     : loadImage(B, I.getType(), At.Pointer);
  return Registry.isSilent() ? pointersOf(B, Image) : Image;
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
  else if (T->isPointerTy() && Registry.pointersTracked())
    storePointer(I, At);
  else if (T->isIntegerTy() && companion(V) != zeroCompanion(T)) {
    BuilderAfter B(I);
    storeBytes(B, companion(V), I.getAlign(), At);
  } else if (!holdsReal(T)) {
    BuilderAfter B(I);
    clearBytes(B, F.getDataLayout().getTypeStoreSize(T), At, I.getAlign());
  } else
    visitInstruction(I);
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
  storeId(B, T, storableId(B, V), At);
}

void Instrumenter::storeId(IRBuilderBase &B, Type *T, Value *Id, Place At) {
  int Kind = cellKind(T);
  if (At.Shadow) {
    LoadInst *Old = loadImage(B, B.getInt32Ty(), At.Pointer);
    Tape.reserve(Old, TapeWriter::MarkBytes);
    Value *Before = B.CreateSub(Old, Tape.base());
    Value *Dead = B.CreateICmpUGE(Before, Tape.next(B));
    Value *Foreign =
        B.CreateICmpULT(Before, loadField(B, Tape.context(), field::Run));
    Value *First = B.CreateAnd(B.CreateOr(Dead, Foreign), isTracked(B, At));
    emitIf(B, First, nullptr, [&](IRBuilder<> &Then) {
      Tape.mark(Then, VERSO_RECORD_HANDLE);
      Tape.log(Then, At.Pointer, At.Shadow, Then.getInt32(0),
               Kind == VERSO_CELL_X86_FP80 ? VERSO_CELL_X86_FP80
                                           : VERSO_CELL_RAW,
               T->getPrimitiveSizeInBits() / 8);
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
}

/// shadow(p) = image of a new handle;  *shadow(p) = shadow(q)
void Instrumenter::storePointer(StoreInst &I, Place At) {
  BuilderAfter B(I);
  Value *Q = I.getValueOperand();
  Value *Shadow = companion(Q);
  storeImage(B, pointerImage(B, Q, Shadow), At.Pointer);
  if (!At.Shadow)
    return;
  // The shadow structure follows. An untracked p is its own shadow here.
  B.CreateStore(B.CreateSelect(isTracked(B, At), Shadow, Q), At.Shadow);
}

void Instrumenter::storeBytes(IRBuilderBase &B, Value *Image, Align Alignment,
                              Place At) {
  Type *T = Image->getType();
  if (T->getIntegerBitWidth() % 8)
    return clearBytes(B, F.getDataLayout().getTypeStoreSize(T), At, Alignment);
  if (mayPartHalves(T, Alignment))
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
    Tape.spill(Then);
    Value *Bytes = Then.getInt64(T->getIntegerBitWidth() / 8);
    Progress Before = progress(Then);
    callRuntime(Then, RuntimeFunction::CopyImages,
                {Tape.context(), At.Pointer, At.Pointer, Bytes,
                 offsetOf(Then, At), Then.getInt64(0)});
    claimCells(Then, Before, At, Bytes);
    Tape.reload(Then);
    return nullptr;
  });
}

/// Something inactive is stored: the granules that it touches lose their IDs.
void Instrumenter::clearBytes(IRBuilderBase &B, uint64_t Bytes, Place At,
                              Align Alignment) {
  if (At.Shadow) {
    Value *Tracked = isTracked(B, At);
    verso::emitIf(B, Tracked, /*Unlikely=*/true, [&](IRBuilder<> &Then) {
      Tape.spill(Then);
      Progress Before = progress(Then);
      callRuntime(Then, RuntimeFunction::ClearImages,
                  {Tape.context(), At.Pointer, Then.getInt64(Bytes),
                   offsetOf(Then, At)});
      claimCells(Then, Before, At, Then.getInt64(Bytes));
      Tape.reload(Then);
    });
    verso::emitIf(B, B.CreateNot(Tracked), /*Unlikely=*/false,
                  [&](IRBuilder<> &Then) {
                    clearBytes(Then, Bytes, {At.Pointer, nullptr}, Alignment);
                  });
    return;
  }
  if (Registry.holdsHalves() &&
      (Bytes % GranuleBytes || Alignment < GranuleBytes)) {
    Tape.spill(B);
    callRuntime(B, RuntimeFunction::ClearImages,
                {Tape.context(), At.Pointer, B.getInt64(Bytes), B.getInt64(0)});
    Tape.reload(B);
    return;
  }
  Value *P = shadow(B, At.Pointer);
  if (Bytes < 4) {
    // Part of an aligned cell? Then none of it may be believed any more. Cells
    // that are not aligned lose only the bytes that are overwritten: their
    // images no longer fit together.
    Value *Address = B.CreateAnd(B.CreatePtrToInt(P, B.getInt64Ty()),
                                 B.getInt64(~UINT64_C(3)));
    Value *Granule = B.CreateIntToPtr(Address, B.getPtrTy());
    Value *Word = inert(B.CreateAlignedLoad(B.getInt32Ty(), Granule, Align(4)));
    auto IsLive = [&](Value *W) {
      return B.CreateICmpULT(B.CreateSub(W, Tape.base()), Tape.next(B));
    };
    emitIf(B, B.CreateOr(IsLive(Word), IsLive(B.CreateNot(Word))), nullptr,
           [&](IRBuilder<> &Then) {
             inert(
                 Then.CreateAlignedStore(Then.getInt32(0), Granule, Align(4)));
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

void Instrumenter::visitAtomicRMWInst(AtomicRMWInst &I) {
  Place At = placeOf(I.getPointerOperand());
  Type *T = I.getType();
  Value *V = I.getValOperand();
  if (!T->isFloatingPointTy()) {
    BuilderAfter B(I);
    if (I.getOperation() == AtomicRMWInst::Xchg && T->isIntegerTy() &&
        A.isActive(V)) {
      setCompanion(&I, loadImage(B, T, At.Pointer));
      storeBytes(B, companion(V), I.getAlign(), At);
      return;
    }
    if (T->isPointerTy() && Registry.pointersTracked())
      return visitInstruction(I);
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
  BuilderAfter B(I);
  Value *Image = loadImage(B, T, At.Pointer);
  Value *Result = zeroCompanion(I.getType());
  setCompanion(&I, B.CreateInsertValue(Result, Image, 0));
  Value *Success = B.CreateExtractValue(&I, 1);
  Value *Kept = B.CreateSelect(Success, companion(New), Image);
  storeBytes(B, Kept, I.getAlign(), At);
}
