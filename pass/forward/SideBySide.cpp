//===- SideBySide.cpp - tangents of local objects in vectors --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "forward/SideBySide.h"
#include "emit/Tangent.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace verso;

SideBySide::SideBySide(Function &F, const Activity &A, unsigned Width)
    : A(A), DL(F.getDataLayout()) {
  if (Width == 1)
    return;
  for (Instruction &I : instructions(F))
    if (auto *Local = dyn_cast<AllocaInst>(&I);
        Local && hasSibling(*Local) && A.isActive(Local))
      follow(*Local);
  // What is merged with such pointers or copied has to be one of them.
  for (const Value *V : Seen)
    if (isa<PHINode, SelectInst>(V))
      for (const Value *From : cast<User>(V)->operands())
        if (From->getType()->isPointerTy() && !Seen.contains(From))
          refuse(V);
  for (auto [Pointer, I] : Ranges)
    if (auto *Copy = dyn_cast<MemTransferInst>(I)) {
      auto *Source = dyn_cast<GlobalVariable>(Copy->getRawSource());
      bool IsConstant = Source && Source->isConstant();
      if (!Seen.contains(Copy->getRawDest()) ||
          (!IsConstant && !Seen.contains(Copy->getRawSource())))
        refuse(Pointer);
    }
  for (auto [Pointer, T] : Accesses) {
    Type *&Cell = Cells[Classes.getLeaderValue(Pointer)];
    if (Cell && Cell != T)
      refuse(Pointer);
    Cell = T;
  }
  for (auto [Pointer, I] : Ranges) {
    Type *Cell = Cells.lookup(Classes.getLeaderValue(Pointer));
    if (Cell && !isWhole(*I, DL.getTypeStoreSize(Cell)))
      refuse(Pointer);
  }
  for (const Value *V : Seen)
    if (auto *Local = dyn_cast<AllocaInst>(V))
      if (Type *Cell = Cells.lookup(Classes.getLeaderValue(V));
          Cell && Local->getAlign().value() < DL.getTypeStoreSize(Cell))
        refuse(V);
  for (const Value *V : Refused)
    Cells.erase(Classes.getLeaderValue(V));
}

Type *SideBySide::cellType(const Value *Pointer) const {
  if (!Seen.contains(Pointer))
    return nullptr;
  return Cells.lookup(Classes.getLeaderValue(Pointer));
}

void SideBySide::follow(AllocaInst &Local) {
  SmallVector<Value *, 16> Work{&Local};
  while (!Work.empty()) {
    Value *Pointer = Work.pop_back_val();
    if (!Seen.insert(Pointer).second)
      continue;
    Classes.insert(Pointer);
    for (Use &U : Pointer->uses())
      use(Pointer, U, Work);
  }
}

void SideBySide::use(Value *Pointer, Use &U, SmallVectorImpl<Value *> &Work) {
  auto *I = cast<Instruction>(U.getUser());
  if (isa<GetElementPtrInst, PHINode, SelectInst>(I) &&
      I->getType()->isPointerTy()) {
    Classes.unionSets(Pointer, I);
    return Work.push_back(I);
  }
  if (auto *Load = dyn_cast<LoadInst>(I); Load && Load->isSimple()) {
    if (A.isActive(Load))
      access(Pointer, Load->getType(), Load->getAlign());
    return;
  }
  if (auto *Store = dyn_cast<StoreInst>(I);
      Store && Store->isSimple() && U.getOperandNo() == 1)
    return access(Pointer, Store->getValueOperand()->getType(),
                  Store->getAlign());
  if (auto *Range = dyn_cast<MemIntrinsic>(I)) {
    if (Range->isVolatile())
      return refuse(Pointer);
    Ranges.emplace_back(Pointer, Range);
    if (auto *Copy = dyn_cast<MemTransferInst>(Range);
        Copy && !isa<Constant>(Copy->getRawSource()))
      Classes.unionSets(Copy->getRawDest(), Copy->getRawSource());
    return;
  }
  if (!isa<ICmpInst>(I) && !I->isLifetimeStartOrEnd())
    refuse(Pointer);
}

void SideBySide::access(const Value *Pointer, Type *T, Align Alignment) {
  if (T->isFloatTy() || T->isDoubleTy()) {
    Accesses.emplace_back(Pointer, T);
    if (Alignment.value() >= DL.getTypeStoreSize(T))
      return;
  }
  refuse(Pointer);
}

/// Whether \p I treats whole cells.
bool SideBySide::isWhole(const MemIntrinsic &I, uint64_t CellBytes) const {
  auto IsMultiple = [&](const Value *V) {
    return computeKnownBits(V, DL).countMinTrailingZeros() >=
           Log2_64(CellBytes);
  };
  auto *Copy = dyn_cast<MemTransferInst>(&I);
  return IsMultiple(I.getLength()) && IsMultiple(I.getRawDest()) &&
         (!Copy || IsMultiple(Copy->getRawSource()));
}
