//===- PartsOfNumbers.cpp - what overwrites parts of numbers --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/PartsOfNumbers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral Mark = "verso.part";

static constexpr uint64_t GranuleBytes = 4;

static bool isOfNumbers(Type *T) {
  while (T->isArrayTy() || T->isVectorTy())
    T = T->getContainedType(0);
  return T->isFloatTy() || T->isDoubleTy() || T->isIntegerTy(32) ||
         T->isIntegerTy(64);
}

/// Whether numbers are loaded or stored in \p Block, by pointers in sight.
static bool holdsNumbers(const CallBase &Block) {
  constexpr unsigned MostPointers = 64;
  SmallPtrSet<const Value *, 8> Seen{&Block};
  SmallVector<const Value *, 8> Work{&Block};
  while (!Work.empty() && Seen.size() < MostPointers)
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<GetElementPtrInst>(U) && Seen.insert(U).second)
        Work.push_back(U);
      if (isa<LoadInst, StoreInst>(U))
        if (Type *T = getLoadStoreType(const_cast<User *>(U));
            T->isFloatTy() || T->isDoubleTy())
          return true;
    }
  return false;
}

/// Whether \p P, of \p Original or of what is prepared of it, may point into
/// memory of numbers.
static bool leadsToNumbers(const Value *P, const Function &Original,
                           unsigned Depth = 3) {
  const Value *Base = getUnderlyingObject(P);
  if (auto *Local = dyn_cast<AllocaInst>(Base))
    return isOfNumbers(Local->getAllocatedType());
  if (auto *G = dyn_cast<GlobalVariable>(Base))
    return !G->isConstant() && isOfNumbers(G->getValueType());
  // Out of memory, or of nobody knows where: what the memory holds tells.
  if (isa<LoadInst>(Base))
    return true;
  if (auto *Call = dyn_cast<CallBase>(Base))
    return Call->returnDoesNotAlias() && holdsNumbers(*Call);
  auto *Arg = dyn_cast<Argument>(Base);
  if (!Arg || !Depth)
    return false;
  constexpr unsigned MostCalls = 16;
  unsigned Calls = 0;
  for (const Use &U : Original.uses()) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (++Calls > MostCalls)
      return false;
    if (Call && Call->isCallee(&U) && Arg->getArgNo() < Call->arg_size() &&
        leadsToNumbers(Call->getArgOperand(Arg->getArgNo()),
                       *Call->getFunction(), Depth - 1))
      return true;
  }
  return false;
}

/// Whether \p Bytes at this alignment may be less than whole granules.
static bool mayPart(uint64_t Bytes, Align Alignment) {
  return Bytes % GranuleBytes || Alignment < GranuleBytes;
}

/// Where \p I writes a few bytes that are no number's; else null.
static const Value *writtenInPart(const Instruction &I, const DataLayout &DL) {
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Type *T = Store->getValueOperand()->getType();
    const uint64_t Bytes = DL.getTypeStoreSize(T);
    return !T->isFPOrFPVectorTy() && Bytes <= 2 * GranuleBytes &&
                   mayPart(Bytes, Store->getAlign())
               ? Store->getPointerOperand()
               : nullptr;
  }
  // A text that is copied is no number.
  auto *Copy = dyn_cast<MemTransferInst>(&I);
  auto *Text =
      Copy ? dyn_cast<GlobalVariable>(getUnderlyingObject(Copy->getRawSource()))
           : nullptr;
  if (!isa<MemSetInst>(I) &&
      !(Text && Text->isConstant() && Text->hasInitializer() &&
        isa<ConstantDataSequential>(Text->getInitializer())))
    return nullptr;
  auto &Bulk = cast<MemIntrinsic>(I);
  // Of a length that is not known, the power of two that it is a multiple of.
  const KnownBits Length = computeKnownBits(Bulk.getLength(), DL);
  const uint64_t Bytes = Length.isConstant()
                             ? Length.getConstant().getZExtValue()
                             : UINT64_C(1) << Length.countMinTrailingZeros();
  return mayPart(Bytes, Bulk.getDestAlign().valueOrOne()) ? Bulk.getRawDest()
                                                          : nullptr;
}

void verso::markPartsOfNumbers(Function &F, const Function &Original) {
  for (Instruction &I : instructions(F))
    if (const Value *P = writtenInPart(I, F.getDataLayout());
        P && leadsToNumbers(P, Original))
      I.setMetadata(Mark, MDNode::get(F.getContext(), {}));
}

bool verso::overwritesPartOfNumber(const Instruction &I) {
  return I.hasMetadata(Mark);
}
