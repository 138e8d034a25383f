//===- KindMarks.cpp - what bytes are at the moment -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/KindMarks.h"
#include "emit/Companion.h"
#include "emit/Location.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "rules/Detached.h"
#include "structured/JoinedPieces.h"
#include "structured/NormalizeMemory.h"
#include "verso/Layout.h"

using namespace llvm;
using namespace verso;

/// The marks of a number of type \p T, or of something else.
static APInt marksOf(Type *T, uint64_t Bytes, bool IsLost) {
  if (!T->isFloatingPointTy())
    return APInt::getSplat(
        8 * Bytes, APInt(8, IsLost ? VERSO_MARK_LOST : VERSO_MARK_OTHER));
  const uint8_t Kind = T->isFloatTy()    ? VERSO_MARK_FLOAT
                       : T->isDoubleTy() ? VERSO_MARK_DOUBLE
                                         : VERSO_MARK_LONG_DOUBLE;
  APInt Marks(8 * Bytes, 0);
  for (uint64_t K = 0; K != Bytes; ++K)
    Marks.insertBits(APInt(8, Kind + K), 8 * K);
  return Marks;
}

void KindMarks::begin() {
  if (Window)
    return;
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  Window = callRuntime(B, RuntimeFunction::BeginTangents,
                       {emitLocation(B, Call), frameAddress(B), B.getInt32(1)});
  Value *Field = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Window,
                                              offsetof(verso_tangents, delta));
  Delta = inert(B.CreateLoad(B.getInt64Ty(), Field, "marks"));
}

/// %later = call iN @verso.marks.iN(): a value that follow() will know. Until
/// then nobody may compute it again, or think that it depends on memory.
CallInst *KindMarks::later(IRBuilderBase &B, uint64_t Bytes) {
  Type *T = B.getIntNTy(8 * Bytes);
  FunctionCallee Callee = F.getParent()->getOrInsertFunction(
      ("verso.marks.i" + Twine(8 * Bytes)).str(), T);
  cast<Function>(Callee.getCallee())->setOnlyAccessesInaccessibleMemory();
  return inert(B.CreateCall(Callee));
}

Value *KindMarks::foundBy(LoadInst &Load) {
  CallInst *&Result = Found[&Load];
  if (!Result) {
    begin();
    IRBuilder<> B(Load.getNextNode());
    Result = later(B, 1);
  }
  return Result;
}

Value *KindMarks::wordOf(LoadInst &Load) {
  Value *&Result = Loaded[&Load];
  if (!Result) {
    begin();
    IRBuilder<> B(Load.getNextNode());
    Result = later(B, F.getDataLayout().getTypeStoreSize(Load.getType()));
  }
  return Result;
}

ArrayRef<CallInst *> KindMarks::wordsOf(const BulkAccess &Copy) {
  SmallVector<CallInst *, 4> &Result = Words[Copy.Call];
  if (Result.empty()) {
    begin();
    IRBuilder<> B(Copy.Call);
    for (const BulkAccess::Word &W : Copy.Words)
      Result.push_back(later(B, W.Bytes));
  }
  return Result;
}

/// Before the bytes are moved: a note of their marks, which are moved.
Value *KindMarks::noteOf(const BulkAccess &Copy) {
  Value *&Note = Notes[Copy.Call];
  if (Note)
    return Note;
  begin();
  IRBuilder<> B(Copy.Call);
  Note = callRuntime(B, RuntimeFunction::CopyMarks,
                     {Window, Copy.To, Copy.From,
                      B.CreateZExtOrTrunc(Copy.Bytes, B.getInt64Ty())});
  return Note;
}

/// What nobody wrote is no number.
void KindMarks::markNew(Value &Base) {
  if (auto *A = dyn_cast<AllocaInst>(&Base)) {
    IRBuilder<> B(cast<Instruction>(Delta)->getNextNode());
    uint64_t Size = A->getAllocationSize(F.getDataLayout())->getFixedValue();
    callRuntime(B, RuntimeFunction::NewMarks, {Window, A, B.getInt64(Size)});
    return;
  }
  auto &Block = cast<CallBase>(Base);
  BasicBlock::iterator After = std::next(Block.getIterator());
  if (auto *Invoke = dyn_cast<InvokeInst>(&Block))
    After = Invoke->getNormalDest()->getFirstInsertionPt();
  IRBuilder<> B(After->getParent(), After);
  Function *Usable = F.getParent()->getFunction("malloc_usable_size");
  Value *Bytes =
      Usable && usesWholeBlocks(F)
          ? B.CreateCall(Usable, &Block)
          : bytesOfCall(B, Block, *classifyCall(*Block.getCalledFunction()));
  callRuntime(B, RuntimeFunction::NewMarks, {Window, &Block, Bytes});
}

/// store pattern, p + delta
void KindMarks::markStore(StoreInst &Store) {
  Type *T = Store.getValueOperand()->getType();
  Value *P = Store.getPointerOperand();
  IRBuilder<> B(&Store);
  uint64_t Size = F.getDataLayout().getTypeStoreSize(T);
  // Pages of marked objects are noted when these are new.
  if (any_of(V.objects().placesOf(P),
             [&](const Place &Q) { return !V.isMarked(Q.Object); }))
    callRuntime(B, RuntimeFunction::TouchTangents,
                {Window, P, B.getInt64(Size)});
  LoadInst *Moved = V.movedWord(Store);
  Value *Marks =
      Moved ? wordOf(*Moved) : B.getInt(marksOf(T, Size, V.losesBits(Store)));
  inert(B.CreateAlignedStore(Marks, mappedAddress(B, P, Delta), Align(1)));
}

/// The marks of a word that is moved by itself.
static Value *keepWords(IRBuilderBase &B, Value *Marks) {
  unsigned Bits = Marks->getType()->getIntegerBitWidth();
  Module &M = *B.GetInsertBlock()->getModule();
  return B.CreateCall(getSupportFunction(M, Bits == 64
                                                ? "__verso_keep_words_8"
                                                : "__verso_keep_words_4"),
                      {Marks});
}

/// Loads of all words, then stores of all. What is not marked holds constants.
void KindMarks::markWords(const BulkAccess &Bulk) {
  auto AllMarked = [&](Value *P) {
    return all_of(V.objects().placesOf(P),
                  [&](const Place &Q) { return V.isMarked(Q.Object); });
  };
  const bool MayBeConstant = !AllMarked(Bulk.From);
  IRBuilder<> B(Bulk.Call);
  auto Place = [&](Value *P, const BulkAccess::Word &W) {
    return mappedAddress(B, B.CreateConstGEP1_64(B.getInt8Ty(), P, W.At),
                         Delta);
  };
  SmallVector<Value *, 8> Moved;
  for (auto [W, Later] : zip(Bulk.Words, wordsOf(Bulk))) {
    // Where it is recorded.
    B.SetInsertPoint(Later);
    Type *T = Later->getType();
    Value *Marks =
        inert(B.CreateAlignedLoad(T, Place(Bulk.From, W), MaybeAlign(1)));
    if (MayBeConstant)
      Marks = B.CreateSelect(B.CreateIsNull(Marks),
                             ConstantInt::getAllOnesValue(T), Marks);
    Later->replaceAllUsesWith(Marks);
    Later->eraseFromParent();
    Moved.push_back(Marks);
  }
  B.SetInsertPoint(Bulk.Call);
  for (auto [W, Marks] : zip(Bulk.Words, Moved))
    inert(B.CreateAlignedStore(Marks, Place(Bulk.To, W), Align(1)));
}

/// Copies of numbers have their note; others bring none.
void KindMarks::markBulk(const BulkAccess &Bulk) {
  if (Bulk.IsByWords)
    return markWords(Bulk);
  if (Bulk.IsMarked) {
    noteOf(Bulk);
    return;
  }
  IRBuilder<> B(Bulk.Call);
  callRuntime(
      B, RuntimeFunction::NewMarks,
      {Window, Bulk.To, B.CreateZExtOrTrunc(Bulk.Bytes, B.getInt64Ty())});
}

/// %marks = load p + delta
/// %found = %marks == pattern ? whole : %marks == others ? none : parts
void KindMarks::follow(ArrayRef<Instruction *> Accesses) {
  if (!any())
    return;
  for (auto [Load, Result] : Found) {
    Type *T = Load->getType();
    uint64_t Size = F.getDataLayout().getTypeStoreSize(T);
    IRBuilder<> B(Result);
    Value *P = Load->getPointerOperand();
    Value *Marks = inert(B.CreateAlignedLoad(
        B.getIntNTy(8 * Size), mappedAddress(B, P, Delta), MaybeAlign(1)));
    // Memory that is not marked has zeros, and numbers of others.
    Value *IsWhole =
        B.CreateOr(B.CreateICmpEQ(Marks, B.getInt(marksOf(T, Size, false))),
                   B.CreateIsNull(Marks));
    Value *IsNone =
        B.CreateICmpEQ(Marks, ConstantInt::getAllOnesValue(Marks->getType()));
    Value *Kind =
        B.CreateSelect(IsWhole, B.getInt8(VERSO_FOUND_WHOLE),
                       B.CreateSelect(IsNone, B.getInt8(VERSO_FOUND_NONE),
                                      B.getInt8(VERSO_FOUND_PARTS)));
    Result->replaceAllUsesWith(Kind);
    Result->eraseFromParent();
  }
  for (Instruction *I : Accesses)
    if (auto *Store = dyn_cast<StoreInst>(I);
        Store && V.isMarked(Store->getPointerOperand()) && !isPiece(*Store))
      markStore(*Store);
  for (const auto &[Call, Bulk] : V.bulks())
    if (V.isMarked(Bulk.To))
      markBulk(Bulk);
  for (auto [Load, Later] : Loaded) {
    IRBuilder<> B(cast<Instruction>(Later));
    Value *Marks = inert(B.CreateAlignedLoad(
        Later->getType(), mappedAddress(B, Load->getPointerOperand(), Delta),
        MaybeAlign(1)));
    Marks = keepWords(B, Marks);
    Later->replaceAllUsesWith(Marks);
    cast<Instruction>(Later)->eraseFromParent();
  }
  const Objects &O = V.objects();
  for (unsigned K = 0; K != O.size(); ++K)
    if (V.isMarked(K))
      markNew(*O[K].Base);
}

void KindMarks::end(IRBuilderBase &B) const {
  callRuntime(B, RuntimeFunction::EndTangents, {Window});
}
