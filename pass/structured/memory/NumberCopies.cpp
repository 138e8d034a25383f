//===- NumberCopies.cpp - copies that move no pointers --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/NumberCopies.h"
#include "analysis/AccessTypes.h"
#include "analysis/CallModel.h"
#include "analysis/CopiedNumbers.h"
#include "prepare/MixedUnions.h"
#include "structured/memory/CertainCells.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

namespace {

struct Copy {
  CallBase *Call;
  const Value *To, *From;
  uint64_t Bytes;
};

} // namespace

static bool isNumber(const Type *T) {
  return T->isFloatTy() || T->isDoubleTy();
}

static bool isOfNumbers(const Copy &C, const CertainCells &Certain) {
  if (assignedNumber(*C.Call))
    return true;
  SmallVector<std::pair<OffsetClass, uint64_t>, 8> Numbers;
  for (const CopiedNumbers &N : copiedNumbers(*C.Call)) {
    uint64_t Size = N.Kind == VERSO_CELL_FLOAT ? 4 : 8;
    Numbers.push_back(
        {{int64_t(N.Offset), N.Bytes ? 0 : Size}, N.Bytes ? N.Bytes : Size});
  }
  for (const Value *P : {C.To, C.From})
    for (const CertainCells::Cell &Each : Certain.at(P, C.Bytes))
      if (!Each.At.Step || Each.At.Step % Each.Size == 0)
        Numbers.push_back({Each.At, Each.Size});
  return coverAll(Numbers, C.Bytes);
}

void verso::forgetContradictedCopies(Function &F, const Objects &O) {
  SmallVector<MemTransferInst *, 8> Copies;
  for (Instruction &I : instructions(F))
    if (auto *Copy = dyn_cast<MemTransferInst>(&I))
      if (const MDNode *Tag = Copy->getMetadata(LLVMContext::MD_tbaa);
          Tag && isDeclaredTag(*Tag))
        Copies.push_back(Copy);
  if (Copies.empty())
    return;
  const DataLayout &DL = F.getDataLayout();
  DenseMap<unsigned, SmallVector<std::pair<OffsetClass, uint64_t>, 8>> Others;
  for (Instruction &I : instructions(F))
    if (const Value *P = getLoadStorePointerOperand(&I);
        P && !getLoadStoreType(&I)->isFPOrFPVectorTy() && !isNoNumber(I))
      for (const Place &Q : O.placesOf(P))
        Others[Q.Object].push_back(
            {Q.At, DL.getTypeStoreSize(getLoadStoreType(&I))});
  for (MemTransferInst *Copy : Copies) {
    const Value *Ends[] = {Copy->getRawDest(), Copy->getRawSource()};
    const uint64_t Extent = O.extentOf(Copy->getLength(), Ends[0], Ends[1]);
    if (any_of(Ends, [&](const Value *P) {
          return any_of(O.placesOf(P), [&](const Place &Q) {
            return any_of(Others[Q.Object], [&](const auto &Each) {
              return Each.first.overlaps(Each.second, Q.At, Extent);
            });
          });
        }))
      Copy->setMetadata(LLVMContext::MD_tbaa, nullptr);
  }
}

bool verso::readsIntegersAsNumbers(Function &F, const Objects &O) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<std::pair<Place, uint64_t>, 16> Integers;
  for (Instruction &I : instructions(F))
    if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      const CopiedRecord Record = copiedRecord(*Copy);
      auto *Bytes = dyn_cast<ConstantInt>(Copy->getLength());
      const bool IsOne = Bytes && Bytes->getValue().ule(Record.Period);
      for (const Value *P : {Copy->getRawDest(), Copy->getRawSource()})
        for (const Place &Q : O.placesOf(P))
          for (const CopiedRecord::Field &Each : Record.Fields)
            if (Each.Kind == VERSO_COPIED_KNOWN ||
                Each.Kind == VERSO_COPIED_INTEGER)
              Integers.push_back(
                  {{Q.Object,
                    Q.At.plus(Each.Offset, IsOne ? 0 : Record.Period)},
                   Each.Bytes});
    }
  return !Integers.empty() && any_of(instructions(F), [&](Instruction &I) {
    const Value *P = getLoadStorePointerOperand(&I);
    if (!P || !isNumber(getLoadStoreType(&I)) || !mayBeOfAnyType(I))
      return false;
    uint64_t Size = DL.getTypeStoreSize(getLoadStoreType(&I));
    return any_of(O.placesOf(P), [&](const Place &Q) {
      return any_of(Integers, [&](const auto &Each) {
        return Each.first.Object == Q.Object &&
               Q.At.overlaps(Size, Each.first.At, Each.second);
      });
    });
  });
}

DenseSet<const CallBase *>
verso::copiesOfNumbers(Function &F, const Objects &O,
                       ArrayRef<CallBase *> Copies,
                       const TargetLibraryInfo *TLI) {
  const DataLayout &DL = F.getDataLayout();
  CertainCells Certain(O);
  for (Instruction &I : instructions(F)) {
    const Value *P = getLoadStorePointerOperand(&I);
    if (!P)
      continue;
    Type *T = getLoadStoreType(&I);
    uint64_t Size = DL.getTypeStoreSize(T);
    if (isNumber(T))
      Certain.addAccess(P, T, Size);
    else if (Size >= DL.getPointerSize() && !isIntegerForCertain(I))
      Certain.addPointer(P, Size);
  }
  eachMixed(
      F, [&](const Value *P, uint64_t Bytes) { Certain.addMixed(P, Bytes); });
  SmallVector<Copy, 8> All;
  for (CallBase *Call : Copies) {
    CallModel M = modelCall(*Call, TLI);
    const KnownCall &K = *M.Known;
    Value *To = Call->getArgOperand(K.Destination);
    Value *From = Call->getArgOperand(K.Source);
    Value *Bytes = K.Size < 0 ? nullptr : Call->getArgOperand(K.Size);
    All.push_back({Call, To, From, O.extentOf(Bytes, To, From)});
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Copy &C : All)
      Changed |= Certain.addCopy(C.To, C.From, C.Bytes);
  }
  DenseSet<const CallBase *> Found;
  for (const Copy &C : All)
    if (!Certain.mayHoldPointers(C.To, C.Bytes) &&
        !Certain.mayHoldPointers(C.From, C.Bytes) && isOfNumbers(C, Certain))
      Found.insert(C.Call);
  return Found;
}
