//===- MovedAddresses.cpp - pointers that are moved as doubles ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A union's member or a load of a vector moves eight bytes as a double that are
// a pointer, whose shadow has to move along. Its bits tell, those of a
// subnormal number, and what stands beside it: then the ID of the double is the
// pointer's handle, and where it is stored, the image is a pointer's.
//
// Looked at are doubles that are loaded by accesses which may be of any type (a
// union's, a vector's, all of -O0) and not only computed with, those that
// were not computed where they are stored, and those made of an integer's bits;
// and only in modules that have such doubles and load pointers or make them of
// bits. Not numbers at addresses that are no multiples of 4.
//
//===----------------------------------------------------------------------===//

#include "taped/MovedAddresses.h"
#include "analysis/AccessTypes.h"
#include "emit/BuilderAfter.h"
#include "emit/Companion.h"
#include "taped/Instrumenter.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

/// Whether the double that is loaded goes on as it is, and the language leaves
/// open what it is.
static bool isMoved(const LoadInst &I) {
  return I.getType()->isDoubleTy() && mayBeOfAnyType(I) &&
         any_of(I.users(), [](const User *U) {
           return isa<StoreInst, PHINode, SelectInst, CallBase, ReturnInst,
                      InsertValueInst, InsertElementInst, BitCastInst>(U);
         });
}

/// Whether \p V is chosen among values of which \p Is holds for one.
static bool anyRoot(const Value *V, function_ref<bool(const Value *)> Is) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work{V};
  while (!Work.empty()) {
    const Value *Of = Work.pop_back_val();
    if (!Seen.insert(Of).second)
      continue;
    if (auto *Choice = dyn_cast<SelectInst>(Of))
      Work.append({Choice->getTrueValue(), Choice->getFalseValue()});
    else if (auto *Phi = dyn_cast<PHINode>(Of))
      append_range(Work, Phi->incoming_values());
    else if (Is(Of))
      return true;
  }
  return false;
}

static bool isOfBits(const Value *V) {
  auto *Cast = dyn_cast<BitCastInst>(V);
  return Cast && Cast->getSrcTy()->isIntegerTy(64);
}

bool verso::mayMoveAddresses(const Module &M) {
  bool HasPointers = false, HasMoves = false;
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      auto *Load = dyn_cast<LoadInst>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      HasPointers |=
          isa<IntToPtrInst>(I) || (Load && I.getType()->isPointerTy());
      HasMoves |= Load && isMoved(*Load);
      HasMoves |= Store && Store->getValueOperand()->getType()->isDoubleTy() &&
                  mayBeOfAnyType(I) &&
                  anyRoot(Store->getValueOperand(), isOfBits);
      if (HasPointers && HasMoves)
        return true;
    }
  return false;
}

/// Whether \p V may be such a double.
static bool mayBeMoved(const Value *V) {
  return anyRoot(V, [](const Value *Of) {
    auto *Load = dyn_cast<LoadInst>(Of);
    return (Load && isMoved(*Load)) || isOfBits(Of) ||
           isa<Argument, ExtractValueInst, ExtractElementInst>(Of) ||
           (isa<CallBase>(Of) && !isa<IntrinsicInst>(Of));
  });
}

/// 0 < bits of x <= the last address
static Value *isAddress(IRBuilderBase &B, Value *X) {
  Value *Bits = B.CreateBitCast(X, B.getInt64Ty());
  return B.CreateICmpULT(B.CreateSub(Bits, B.getInt64(1)),
                         B.getInt64(VERSO_ADDRESS_MASK));
}

/// if (x may be an address) id = __verso_address_at(...)
Value *Instrumenter::orHandle(LoadInst &I, Value *Id, Place At) {
  if (!Registry.movesAddresses() || !isMoved(I) || !isa<Instruction>(Id))
    return Id;
  auto *Last = cast<Instruction>(Id);
  IRBuilder<> B(Last->getParent(), *Last->getInsertionPointAfterDef());
  B.SetCurrentDebugLocation(I.getDebugLoc());
  return emitIf(B, isAddress(B, &I), Id, [&](IRBuilder<> &Then) -> Value * {
    Value *Bits = Then.CreateBitCast(&I, Then.getInt64Ty());
    return callClaiming(Then, "__verso_address_at",
                        {Tape.context(), At.Pointer, shadowOf(At),
                         Then.CreateIntToPtr(Bits, Then.getPtrTy()), Id});
  });
}

/// id = image is a pointer's ? its handle : id,  of the bits of an integer
Value *Instrumenter::orHandle(BitCastInst &I, Value *Id, Value *Image) {
  auto *Last = dyn_cast<Instruction>(Id);
  if (!I.getType()->isDoubleTy() || !Image->getType()->isIntegerTy(64) || !Last)
    return Id;
  IRBuilder<> B(Last->getParent(), *Last->getInsertionPointAfterDef());
  B.SetCurrentDebugLocation(I.getDebugLoc());
  auto [Handle, IsLive] = handleOfImage(B, Image);
  return B.CreateSelect(IsLive, Handle, Id);
}

/// if (x may be an address) __verso_store_address(...)
void Instrumenter::followAddress(IRBuilderBase &B, Value *X, Value *Id,
                                 Place At) {
  if (!Registry.movesAddresses() || !X->getType()->isDoubleTy() ||
      Id == zeroCompanion(X->getType()) || !mayBeMoved(X))
    return;
  verso::emitIf(B, isAddress(B, X), /*Unlikely=*/true, [&](IRBuilder<> &Then) {
    Value *Bits = Then.CreateBitCast(X, Then.getInt64Ty());
    callClaiming(Then, "__verso_store_address",
                 {Tape.context(), At.Pointer, shadowOf(At),
                  Then.CreateIntToPtr(Bits, Then.getPtrTy()), Id});
  });
}
