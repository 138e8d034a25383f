//===- WatchedMemory.cpp - adjoints of all that was there before ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/WatchedMemory.h"
#include "emit/BuilderAfter.h"
#include "emit/Runtime.h"
#include "emit/Tangent.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace verso;

/// The variables that \p V names.
static void addGlobals(Value *V, SmallSetVector<Value *, 8> &All) {
  if (auto *G = dyn_cast<GlobalVariable>(V)) {
    if (!G->isConstant() && !isMarkedInactive(*G))
      All.insert(G);
  } else if (auto *C = dyn_cast<ConstantExpr>(V)) {
    for (Use &U : C->operands())
      addGlobals(U, All);
  }
}

SmallVector<Value *, 8> WatchedMemory::roots(Function &F) {
  SmallSetVector<Value *, 8> All;
  for (Argument &A : F.args())
    if (A.getType()->isPointerTy())
      All.insert(&A);
  for (Instruction &I : instructions(F))
    for (Use &U : I.operands())
      addGlobals(U, All);
  return SmallVector<Value *, 8>(All.begin(), All.end());
}

void WatchedMemory::begin() {
  IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Distance =
      callRuntime(Entry, RuntimeFunction::EnterWatched, {frameAddress(Entry)});
}

void WatchedMemory::end(IRBuilderBase &B) {
  callRuntime(B, RuntimeFunction::EndWatched, {});
}

Value *WatchedMemory::shadowOf(Value *P) {
  auto *I = dyn_cast<Instruction>(P);
  BuilderAfter B(I ? *I : *Distance);
  auto *G = dyn_cast<GlobalVariable>(P);
  if (G && G->isThreadLocal())
    P = B.CreateThreadLocalAddress(G);
  return mappedAddress(B, P, Distance);
}

void WatchedMemory::clearStored(ArrayRef<Instruction *> Accesses,
                                const VariedMemory &V,
                                function_ref<Value *(Value *Pointer)> CellOf) {
  auto IsMeant = [&](const Value *To) {
    return V.isShadowed(To) && V.mayBeAtDistance(To);
  };
  for (Instruction *I : Accesses)
    if (auto *Store = dyn_cast<StoreInst>(I);
        Store && IsMeant(Store->getPointerOperand()) &&
        (Store->getValueOperand()->getType()->isFPOrFPVectorTy() ||
         V.clearsNumbers(*Store) || V.movedWord(*Store))) {
      Type *T = Store->getValueOperand()->getType();
      Value *To = Store->getPointerOperand(), *Cell = CellOf(To);
      BuilderAfter B(*Store);
      // Memory without a shadow is its own.
      if (V.mayLackShadow(To)) {
        IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
        Cell = B.CreateSelect(B.CreateICmpEQ(Cell, To),
                              Entry.CreateAlloca(T, nullptr, "nowhere"), Cell);
      }
      Cleared.push_back({inert(B.CreateAlignedStore(Constant::getNullValue(T),
                                                    Cell, Store->getAlign())),
                         To});
    }
  for (const auto &[Call, Bulk] : V.bulks())
    if (IsMeant(Bulk.To)) {
      Value *Cell = CellOf(Bulk.To), *Bytes = Bulk.Bytes;
      BuilderAfter B(*Bulk.Call);
      if (V.mayLackShadow(Bulk.To))
        Bytes = B.CreateSelect(B.CreateICmpEQ(Cell, Bulk.To),
                               Constant::getNullValue(Bytes->getType()), Bytes);
      Cleared.push_back(
          {inert(B.CreateMemSet(Cell, B.getInt8(0), Bytes, MaybeAlign())),
           Bulk.To});
    }
}
