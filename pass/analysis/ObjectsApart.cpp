//===- ObjectsApart.cpp - pointers into different objects -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ObjectsApart.h"
#include "LLVMCompat.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

/// Nothing that could be accessed is computed from null.
ArrayRef<const Value *> ObjectsApart::objectsOf(const Value *P) {
  auto [It, New] = Objects.try_emplace(P);
  if (New) {
    getUnderlyingObjects(P, It->second, nullptr, /*MaxLookup=*/0);
    erase_if(It->second, [](const Value *Object) {
      return isa<ConstantPointerNull, UndefValue>(Object);
    });
  }
  return It->second;
}

bool ObjectsApart::areApart(const Value *P, const Value *Q) {
  SmallVector<const Value *, 2> OfP(objectsOf(P));
  return all_of(objectsOf(Q), [&](const Value *B) {
    return all_of(OfP, [&](const Value *A) {
      return compat::isNoAlias(AA, MemoryLocation::getBeforeOrAfter(A),
                               MemoryLocation::getBeforeOrAfter(B));
    });
  });
}

bool ObjectsApart::isApartFromWrites(const Value *P, const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return areApart(P, Store->getPointerOperand());
  return all_of(objectsOf(P), [&](const Value *Object) {
    return !isModSet(
        AA.getModRefInfo(&I, MemoryLocation::getBeforeOrAfter(Object)));
  });
}
