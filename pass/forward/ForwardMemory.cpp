//===- ForwardMemory.cpp - tangents in memory -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mapped tangents are zero wherever the request did not write. So it notes each
// page before it writes anything else, and need not write zeros to a page that
// it has not touched (PageChecks.h).
//
//===----------------------------------------------------------------------===//

#include "LLVMCompat.h"
#include "emit/BuilderAfter.h"
#include "emit/Companion.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "forward/ForwardInstrumenter.h"
#include "forward/LocalObjects.h"
#include "forward/PageChecks.h"
#include "rules/KnownCalls.h"

#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Local objects
//===----------------------------------------------------------------------===//

/// What siblings of \p Bytes take that lie one behind the other. A loop over as
/// many arrays of a power of two would have all of them in the same few lines
/// of the cache: lines that are 1024 bytes apart may be rivals.
static Value *spread(IRBuilderBase &B, Value *Bytes) {
  constexpr unsigned Large = 8192, Rivals = 1024, Apart = 3 * 64;
  auto Constant = [&](int64_t C) {
    return ConstantInt::getSigned(Bytes->getType(), C);
  };
  Value *More =
      B.CreateAnd(B.CreateSub(Constant(Apart), Bytes), Constant(Rivals - 1));
  return B.CreateSelect(B.CreateICmpUGE(Bytes, Constant(Large)),
                        B.CreateAdd(Bytes, More), Bytes);
}

static bool isLifetimeStart(const User *U) {
  auto *II = dyn_cast<IntrinsicInst>(U);
  return II && II->getIntrinsicID() == Intrinsic::lifetime_start;
}

/// Bytes that \p I allocates.
static Value *bytesOf(IRBuilderBase &B, AllocaInst &I) {
  uint64_t Unit =
      I.getFunction()->getDataLayout().getTypeAllocSize(I.getAllocatedType());
  return B.CreateMul(B.CreateZExtOrTrunc(I.getArraySize(), B.getInt64Ty()),
                     B.getInt64(Unit));
}

/// The life of a local object begins, in a loop more than once, where another
/// one may have lain.
bool ForwardInstrumenter::beginLife(CallBase &I) {
  if (!isLifetimeStart(&I))
    return false;
  auto *Local = dyn_cast<AllocaInst>(
      getUnderlyingObject(I.getArgOperand(I.arg_size() - 1)));
  if (Local && !A.isActive(Local) && !hasSibling(*Local)) {
    BuilderAfter B(I);
    clearFresh(B, Local, bytesOf(B, *Local));
  }
  return true;
}

/// A local object is new memory each time: what lay there is forgotten, so that
/// code that is not instrumented may fill it.
void ForwardInstrumenter::visitAllocaInst(AllocaInst &I) {
  // Static allocas stand together, before the code of the entry block, which
  // the clearing of one of them moves to a block of its own.
  const BasicBlock *Entry = &F.getEntryBlock();
  bool IsFirst = I.getParent() == Entry &&
                 (Setup->getParent() != Entry || I.comesBefore(Setup));
  IRBuilder<> B(IsFirst ? Setup : I.getNextNode());
  B.SetCurrentDebugLocation(I.getDebugLoc());
  uint64_t Unit = F.getDataLayout().getTypeAllocSize(I.getAllocatedType());
  Value *Bytes = bytesOf(B, I);
  if (!A.isActive(&I)) {
    if (!hasSibling(I) && none_of(I.users(), isLifetimeStart))
      clearFresh(B, &I, Bytes);
    return;
  }
  if (Sides.cellType(&I))
    return giveSide(I, B, Bytes);
  Lanes Siblings;
  for (unsigned K = 0; K != Width; ++K) {
    auto *Sibling = cast<AllocaInst>(I.clone());
    Sibling->dropUnknownNonDebugMetadata();
    if (auto *Known = dyn_cast<ConstantInt>(spread(B, B.getInt64(Unit)));
        Width > 1 && Known && Known->getZExtValue() != Unit)
      Sibling->setAllocatedType(
          ArrayType::get(B.getInt8Ty(), Known->getZExtValue()));
    Sibling->insertBefore(std::next(I.getIterator()));
    B.CreateMemSet(Sibling, B.getInt8(0), Bytes, Sibling->getAlign());
    Siblings.push_back(Sibling);
  }
  setLanes(B, &I, Siblings);
}

/// What \p Bytes of a primal are of tangents side by side.
Value *ForwardInstrumenter::inSide(IRBuilderBase &B, Value *Bytes) {
  return B.CreateMul(Bytes,
                     ConstantInt::get(Bytes->getType(), PowerOf2Ceil(Width)));
}

/// The one sibling of a local object for all directions (SideBySide.h).
void ForwardInstrumenter::giveSide(AllocaInst &I, IRBuilderBase &B,
                                   Value *Bytes) {
  uint64_t Unit = F.getDataLayout().getTypeAllocSize(I.getAllocatedType());
  IRBuilder<> At(&I);
  auto *Side =
      At.CreateAlloca(ArrayType::get(B.getInt8Ty(), Unit * PowerOf2Ceil(Width)),
                      I.getAddressSpace(), I.getArraySize());
  Side->setAlignment(F.getDataLayout().getPrefTypeAlign(
      tangentType(Sides.cellType(&I), Width)));
  B.CreateMemSet(Side, B.getInt8(0), inSide(B, Bytes), Side->getAlign());
  SideOf[&I] = Side;
}

/// Whether \p I, a step, phi or select, leads to tangents that are side by
/// side; then its place among them is told.
bool ForwardInstrumenter::stepSide(Instruction &I) {
  if (!Sides.cellType(&I))
    return false;
  BuilderAfter B(I);
  Value *&Side = SideOf[&I];
  if (auto *Step = dyn_cast<GetElementPtrInst>(&I)) {
    Value *Distance = emitGEPOffset(&B, F.getDataLayout(), Step);
    Side = B.CreateGEP(B.getInt8Ty(), SideOf.lookup(Step->getPointerOperand()),
                       inSide(B, Distance), "",
                       Step->isInBounds() ? GEPNoWrapFlags::inBounds()
                                          : GEPNoWrapFlags::none());
  } else if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Side = B.CreateSelect(Select->getCondition(),
                          SideOf.lookup(Select->getTrueValue()),
                          SideOf.lookup(Select->getFalseValue()));
  } else {
    auto *From = cast<PHINode>(&I);
    auto *Phi = PHINode::Create(I.getType(), From->getNumIncomingValues(), "",
                                I.getIterator());
    SidePhis.emplace_back(From, Phi);
    Side = Phi;
  }
  return true;
}

/// A block of the arena is new memory. Its siblings are taken behind it: so
/// when a block is extended and moves, they do too.
void ForwardInstrumenter::takeBlock(CallBase &I) {
  // Nothing may be taken behind it, and what it holds is written first.
  if (growsInPlace(I))
    return;
  BuilderAfter B(I);
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Value *Bytes = I.getArgOperand(I.arg_size() - 1);
  if (!hasSibling(I)) {
    if (!isWrittenFirst(I))
      clearFresh(B, &I, Bytes);
    return;
  }
  if (!A.isActive(&I))
    return;
  bool IsExtended = calls(I, RuntimeFunction::ArenaExtend);
  Lanes Siblings;
  for (unsigned K = 0; K != Width; ++K) {
    CallInst *Sibling =
        IsExtended ? callRuntime(B, RuntimeFunction::ArenaExtend,
                                 {lanes(B, I.getArgOperand(0))[K],
                                  I.getArgOperand(1), Bytes})
                   : callRuntime(B, RuntimeFunction::ArenaTake, {Bytes});
    if (I.returnDoesNotAlias())
      Sibling->addRetAttr(Attribute::NoAlias);
    if (isWrittenFirst(I))
      markWrittenFirst(*Sibling);
    else
      B.CreateMemSet(Sibling, B.getInt8(0), Bytes, Align(64));
    Siblings.push_back(Sibling);
  }
  setLanes(B, &I, Siblings);
}

/// A block of the heap is new memory, too, if there is one.
void ForwardInstrumenter::takeHeapBlock(IRBuilderBase &B, CallBase &I,
                                        Value *Bytes) {
  if (!hasSibling(I))
    return clearFresh(B, &I, Bytes);
  if (!A.isActive(&I))
    return;
  if (Width > 1)
    Bytes = spread(B, Bytes);
  Lanes Siblings;
  for (unsigned K = 0; K != Width; ++K)
    Siblings.push_back(createHeapSibling(B, Bytes));
  setLanes(B, &I, Siblings);
}

/// [P, P + Bytes) has just come into being.
void ForwardInstrumenter::clearFresh(IRBuilderBase &B, Value *P, Value *Bytes) {
  auto Clear = [&](IRBuilderBase &At) {
    callRuntime(At, RuntimeFunction::ClearTangents, {Context, P, Bytes});
  };
  auto *Known = dyn_cast<ConstantInt>(Bytes);
  if (!Known || Known->getValue().ugt(UINT64_C(1) << VERSO_PAGE_SHIFT))
    return Clear(B);
  // It lies in one page or in two.
  Value *Last = B.CreateConstGEP1_64(
      B.getInt8Ty(), P, Known->isZero() ? 0 : Known->getZExtValue() - 1);
  Value *Clean = B.CreateAnd(
      isClean(B, P), isCleanPage(B, Dirty, mappedAddress(B, Last, delta(0))));
  emitIf(B, B.CreateNot(Clean), /*Unlikely=*/false, Clear);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value *ForwardInstrumenter::delta(unsigned Lane) {
  if (!Deltas[Lane]) {
    // Before everything else there, which may use it.
    IRBuilder<> B(F.getContext());
    BasicBlock &Entry = F.getEntryBlock();
    B.SetInsertPoint(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    Deltas[Lane] = loadField(B, Context, field::tangentDelta(Lane));
  }
  return Deltas[Lane];
}

/// The mapped shadow of \p P, by the same steps from that of its base: loops
/// over shadows then look like loops over primals.
Value *ForwardInstrumenter::mapped(IRBuilderBase &B, Value *P, unsigned Lane) {
  if (isa<ConstantPointerNull, UndefValue>(P))
    return P;
  SmallVector<GetElementPtrInst *, 4> Steps;
  while (auto *Step = dyn_cast<GetElementPtrInst>(P)) {
    Steps.push_back(Step);
    P = Step->getPointerOperand();
  }
  Value *Shadow = mappedAddress(B, P, delta(Lane));
  for (GetElementPtrInst *Step : reverse(Steps)) {
    SmallVector<Value *, 4> Indices(Step->indices());
    Shadow = B.CreateGEP(Step->getSourceElementType(), Shadow, Indices, "",
                         Step->getNoWrapFlags());
  }
  return Shadow;
}

/// Whether the shadow of \p P is certainly the user's or a sibling.
bool ForwardInstrumenter::isNeverMapped(Value *P) const {
  SmallPtrSet<Value *, 8> Seen;
  SmallVector<Value *, 8> Work{P};
  while (!Work.empty()) {
    Value *V = Work.pop_back_val();
    // What is a step from null is not accessed.
    if (!Seen.insert(V).second || isa<ConstantPointerNull, UndefValue>(V))
      continue;
    if (auto *Step = dyn_cast<GetElementPtrInst>(V)) {
      Work.push_back(Step->getPointerOperand());
      continue;
    }
    if (auto *Freeze = dyn_cast<FreezeInst>(V)) {
      Work.push_back(Freeze->getOperand(0));
      continue;
    }
    if (!A.isActive(V) || Seen.size() > 32)
      return false;
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      append_range(Work, Phi->incoming_values());
    } else if (auto *Select = dyn_cast<SelectInst>(V)) {
      Work.push_back(Select->getTrueValue());
      Work.push_back(Select->getFalseValue());
    } else if (isa<Argument>(V)) {
      if (!Registry.mode().IsRoot)
        return false;
    } else if (auto *Local = dyn_cast<Instruction>(V);
               !Local || !hasSibling(*Local)) {
      return false;
    }
  }
  return true;
}

Value *ForwardInstrumenter::isMapped(IRBuilderBase &B, Value *P) {
  if (!A.isActive(P))
    return B.getTrue();
  if (isNeverMapped(P))
    return B.getFalse();
  // Asked of the base where that is known, it does not change in a loop.
  while (auto *Step = dyn_cast<GetElementPtrInst>(P))
    P = Step->getPointerOperand();
  Value *&Answer = MappedBases[P];
  if (Answer)
    return Answer;
  auto Ask = [&](IRBuilderBase &At) {
    return At.CreateICmpEQ(lanes(At, P)[0], mapped(At, P, 0));
  };
  auto *Known = dyn_cast<Instruction>(tangent(B, P));
  if (!Known)
    Known = dyn_cast<Instruction>(P);
  if (Known) {
    BuilderAfter After(*Known);
    return Answer = Ask(After);
  }
  IRBuilder<> Begin(Setup);
  return Answer = Ask(Begin);
}

ForwardInstrumenter::Place ForwardInstrumenter::placeOf(IRBuilderBase &B,
                                                        Value *P) {
  if (Value *Side = SideOf.lookup(P))
    return {P, {}, B.getFalse(), nullptr, Side};
  return {P, lanes(B, P), isMapped(B, P)};
}

/// Whether the page of the mapped shadow of \p P was not touched yet.
Value *ForwardInstrumenter::isClean(IRBuilderBase &B, Value *P) {
  if (!Dirty) {
    BasicBlock &Entry = F.getEntryBlock();
    IRBuilder<> Begin(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    Dirty = loadField(Begin, Context, field::Dirty);
  }
  return isCleanPage(B, Dirty, mapped(B, P, 0));
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

ForwardInstrumenter::Lanes ForwardInstrumenter::readTangents(IRBuilderBase &B,
                                                             Type *T,
                                                             const Place &At,
                                                             Align Alignment) {
  Alignment = shadowAlignment(T, Alignment, F.getDataLayout());
  if (int Kind = cellKind(T); Registry.mode().Checked && Kind >= 0)
    emitIf(B, B.CreateNot(At.IsMapped), /*Unlikely=*/false,
           [&](IRBuilder<> &Then) {
             callRuntime(Then, RuntimeFunction::CheckRead,
                         {At.Shadows[0], Then.getInt32(Kind)});
           });
  Lanes Each;
  for (Value *Shadow : At.Shadows) {
    LoadInst *Load = B.CreateAlignedLoad(T, Shadow, Alignment);
    Load->setMetadata(LLVMContext::MD_tbaa, At.AccessType);
    Each.push_back(Load);
  }
  return Each;
}

/// Writes the tangents of a cell of type \p T, zeros if \p Each is null.
void ForwardInstrumenter::writeTangents(IRBuilderBase &B, Type *T,
                                        const Place &At, Align Alignment,
                                        const Lanes *Each) {
  uint64_t Bytes = F.getDataLayout().getTypeStoreSize(T);
  bool InOnePage = Alignment.value() >= Bytes;
  Alignment = shadowAlignment(T, Alignment, F.getDataLayout());
  if (!match(At.IsMapped, PatternMatch::m_Zero()))
    markTangentWrite(B, {.Context = Context,
                         .Pointer = At.Pointer,
                         .Shadow = At.Shadows[0],
                         .IsMapped = At.IsMapped,
                         .Bytes = Bytes,
                         .Stores = Width,
                         .IsZero = !Each,
                         .InOnePage = InOnePage});
  for (unsigned K = 0; K != Width; ++K)
    B.CreateAlignedStore(Each ? (*Each)[K] : Constant::getNullValue(T),
                         At.Shadows[K], Alignment)
        ->setMetadata(LLVMContext::MD_tbaa, At.AccessType);
}

void ForwardInstrumenter::visitLoadInst(LoadInst &I) {
  if (!A.isActive(&I))
    return;
  BuilderAfter B(I);
  Place At = placeOf(B, I.getPointerOperand());
  At.AccessType = I.getMetadata(LLVMContext::MD_tbaa);
  if (At.Side) {
    LoadInst *Load = B.CreateLoad(tangentType(I.getType(), Width), At.Side);
    Load->setMetadata(LLVMContext::MD_tbaa, At.AccessType);
    return setTangent(&I, Load);
  }
  Lanes Each = readTangents(B, I.getType(), At, I.getAlign());
  for (unsigned K = 0; K != Width; ++K)
    Each[K] = shadowOfBits(B, Each[K], &I, K);
  if (Registry.isSilent() && I.getType()->isIntegerTy())
    for (Value *&Bits : Each)
      Bits = pointersOf(B, Bits);
  setLanes(B, &I, Each);
}

/// Whether an object of type \p T has room for a double: all that is smaller
/// is overwritten as a whole by an integer.
static bool hasRoomForDouble(Type *T) {
  if (auto *Struct = dyn_cast<StructType>(T))
    return any_of(Struct->elements(), hasRoomForDouble);
  if (auto *Array = dyn_cast<ArrayType>(T))
    return Array->getElementType()->isIntegerTy(8) ||
           hasRoomForDouble(Array->getElementType());
  return T->getScalarSizeInBits() >= 64;
}

/// A small integer over part of a number's tangent, in memory that is not the
/// user's shadow.
bool ForwardInstrumenter::mayOverwriteHalf(Type *T, const Place &At) const {
  auto *Local = dyn_cast<AllocaInst>(getUnderlyingObject(At.Pointer));
  return Local && T->isIntegerTy() && T->getIntegerBitWidth() < 64 &&
         T->getIntegerBitWidth() % 8 == 0 &&
         (Local->getAllocatedType()->isIntegerTy(8) ||
          hasRoomForDouble(Local->getAllocatedType()));
}

/// Zero stays zero; what had a tangent is lost, unless all of it is
/// overwritten, which the next store of a number says.
ForwardInstrumenter::Lanes
ForwardInstrumenter::lostHalves(IRBuilderBase &B, Type *T, const Place &At) {
  Lanes Each;
  for (Value *Shadow : At.Shadows) {
    Value *Old = B.CreateAlignedLoad(T, Shadow, Align(1));
    Value *Zero = Constant::getNullValue(T);
    Each.push_back(
        B.CreateSelect(B.CreateICmpEQ(Old, Zero), Zero, lostTangent(T)));
  }
  return Each;
}

void ForwardInstrumenter::visitStoreInst(StoreInst &I) {
  Value *V = I.getValueOperand();
  BuilderAfter B(I);
  Place At = placeOf(B, I.getPointerOperand());
  if (At.Side) {
    StoreInst *Store = B.CreateStore(tangent(B, V), At.Side);
    Store->setMetadata(LLVMContext::MD_tbaa,
                       I.getMetadata(LLVMContext::MD_tbaa));
    return;
  }
  if (!A.isActive(V)) {
    if (mayOverwriteHalf(V->getType(), At)) {
      Lanes Each = lostHalves(B, V->getType(), At);
      return writeTangents(B, V->getType(), At, I.getAlign(), &Each);
    }
    At.AccessType = I.getMetadata(LLVMContext::MD_tbaa);
    return writeTangents(B, V->getType(), At, I.getAlign(), nullptr);
  }
  At.AccessType = I.getMetadata(LLVMContext::MD_tbaa);
  Lanes Each = lanes(B, V);
  if (V->getType()->isPointerTy())
    for (unsigned K = 0; K != Width; ++K)
      Each[K] = pointerBits(B, V, Each[K], K);
  writeTangents(B, V->getType(), At, I.getAlign(), &Each);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Something inactive was written to [P, P + Bytes).
void ForwardInstrumenter::clearRange(IRBuilderBase &B, Value *P, Value *Bytes) {
  Place At = placeOf(B, P);
  if (At.Side) {
    B.CreateMemSet(At.Side, B.getInt8(0), inSide(B, Bytes), Align(1));
    return;
  }
  emitIf(B, At.IsMapped, /*Unlikely=*/false, [&](IRBuilder<> &Then) {
    callRuntime(Then, RuntimeFunction::ClearTangents, {Context, P, Bytes});
  });
  emitIf(B, B.CreateNot(At.IsMapped), /*Unlikely=*/false,
         [&](IRBuilder<> &Then) {
           for (Value *Shadow : At.Shadows)
             Then.CreateMemSet(Shadow, Then.getInt8(0), Bytes, Align(1));
         });
}

/// As clearRange, of numbers whose tangents are to be written there.
void ForwardInstrumenter::zeroRange(IRBuilderBase &B, Value *P, Value *Bytes) {
  Place At = placeOf(B, P);
  if (At.Side)
    return clearRange(B, P, Bytes);
  emitIf(B, At.IsMapped, /*Unlikely=*/false, [&](IRBuilder<> &Then) {
    callRuntime(Then, RuntimeFunction::TouchTangents, {Context, P, Bytes});
  });
  for (Value *Shadow : At.Shadows)
    B.CreateMemSet(Shadow, B.getInt8(0), Bytes, Align(1));
}

/// The numbers of [P, P + Bytes) are constants.
void ForwardInstrumenter::detachRange(IRBuilderBase &B, Value *P,
                                      Value *Bytes) {
  Place At = placeOf(B, P);
  if (At.Side)
    return clearRange(B, P, Bytes);
  for (Value *Shadow : At.Shadows)
    keepPointers(B, P, Shadow, Bytes);
}

void ForwardInstrumenter::keepPointers(IRBuilderBase &B, Value *P,
                                       Value *Shadow, Value *Bytes) {
  B.CreateCall(getSupportFunction(*F.getParent(), "__verso_keep_pointers"),
               {P, Shadow, B.CreateZExtOrTrunc(Bytes, B.getInt64Ty())});
}

/// Bytes were moved. A shadow that a pointer in them has goes along; so does
/// that it has none.
void ForwardInstrumenter::copyRange(IRBuilderBase &B, Value *To, Value *From,
                                    Value *Bytes) {
  Place Target = placeOf(B, To);
  if (Target.Side) {
    // Of two such objects, or of a constant.
    if (Value *Source = SideOf.lookup(From))
      B.CreateMemMove(Target.Side, Align(1), Source, Align(1),
                      inSide(B, Bytes));
    else
      clearRange(B, To, Bytes);
    return;
  }
  Lanes Source = lanes(B, From);
  emitIf(B, Target.IsMapped, /*Unlikely=*/false, [&](IRBuilder<> &Then) {
    callRuntime(Then, RuntimeFunction::TouchTangents, {Context, To, Bytes});
  });
  for (unsigned K = 0; K != Width; ++K) {
    B.CreateMemMove(Target.Shadows[K], Align(1), Source[K], Align(1), Bytes);
    if (Registry.isSilent())
      keepPointers(B, To, Target.Shadows[K], Bytes);
  }
}

//===----------------------------------------------------------------------===//
// Atomics. Values and tangents are two accesses: as for any data that threads
// share, requests of several threads must not work on the same cells.
//===----------------------------------------------------------------------===//

void ForwardInstrumenter::visitAtomicRMWInst(AtomicRMWInst &I) {
  Type *T = I.getType();
  Value *V = I.getValOperand();
  BuilderAfter B(I);
  Place At = placeOf(B, I.getPointerOperand());
  bool IsExchange = I.getOperation() == AtomicRMWInst::Xchg;
  if (!T->isFloatingPointTy() && !IsExchange) {
    if (A.isActive(&I))
      setTangent(&I, zeroTangent(T, Width));
    return writeTangents(B, T, At, I.getAlign(), nullptr);
  }
  if (Registry.isSilent() && T->isFloatingPointTy())
    return writeTangents(B, T, At, I.getAlign(), nullptr);
  Lanes Old = readTangents(B, T, At, I.getAlign());
  Lanes Given = lanes(B, V);
  Lanes New;
  for (unsigned K = 0; K != Width; ++K) {
    Old[K] = shadowOfBits(B, Old[K], &I, K);
    switch (I.getOperation()) {
    case AtomicRMWInst::Xchg:
      New.push_back(T->isPointerTy() ? pointerBits(B, V, Given[K], K)
                                     : Given[K]);
      break;
    case AtomicRMWInst::FAdd:
      New.push_back(B.CreateFAdd(Old[K], Given[K]));
      break;
    case AtomicRMWInst::FSub:
      New.push_back(B.CreateFSub(Old[K], Given[K]));
      break;
    case AtomicRMWInst::FMax:
    case AtomicRMWInst::FMin: {
      bool Max = I.getOperation() == AtomicRMWInst::FMax;
      Value *KeepsOld = Max ? B.CreateFCmpOGE(&I, V) : B.CreateFCmpOLE(&I, V);
      New.push_back(B.CreateSelect(KeepsOld, Old[K], Given[K]));
      break;
    }
    default:
      return visitInstruction(I);
    }
  }
  if (A.isActive(&I))
    setLanes(B, &I, Old);
  writeTangents(B, T, At, I.getAlign(), &New);
}

void ForwardInstrumenter::visitAtomicCmpXchgInst(AtomicCmpXchgInst &I) {
  Value *V = I.getNewValOperand();
  Type *T = V->getType();
  BuilderAfter B(I);
  Place At = placeOf(B, I.getPointerOperand());
  Lanes Old = readTangents(B, T, At, I.getAlign());
  Lanes Given = lanes(B, V), New, Results;
  Value *Success = B.CreateExtractValue(&I, 1);
  for (unsigned K = 0; K != Width; ++K) {
    Value *Stored =
        T->isPointerTy() ? pointerBits(B, V, Given[K], K) : Given[K];
    New.push_back(B.CreateSelect(Success, Stored, Old[K]));
    Results.push_back(
        B.CreateInsertValue(Constant::getNullValue(I.getType()), Old[K], 0));
  }
  if (A.isActive(&I))
    setLanes(B, &I, Results);
  writeTangents(B, T, At, I.getAlign(), &New);
}
