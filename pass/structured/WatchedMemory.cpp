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
#include "llvm/IR/IntrinsicInst.h"

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

Value *WatchedMemory::shadowOf(IRBuilderBase &B, Value *P) {
  return mappedAddress(B, P, Distance);
}

Value *WatchedMemory::shadowOf(Value *P) {
  if (!Distance) {
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Distance = callRuntime(Entry, RuntimeFunction::WatchedDistance, {});
  }
  auto *I = dyn_cast<Instruction>(P);
  BuilderAfter B(I ? *I : *Distance);
  auto *G = dyn_cast<GlobalVariable>(P);
  return shadowOf(B,
                  G && G->isThreadLocal() ? B.CreateThreadLocalAddress(G) : P);
}

void WatchedMemory::clearStored(ArrayRef<Instruction *> Accesses,
                                const VariedMemory &V) {
  for (Instruction *I : Accesses) {
    if (auto *Store = dyn_cast<StoreInst>(I)) {
      Type *T = Store->getValueOperand()->getType();
      Value *To = Store->getPointerOperand();
      bool IsNumber = T->getScalarType()->isFloatingPointTy();
      if (!V.isMapped(To) || !V.isShadowed(To) ||
          !(IsNumber || V.clearsNumbers(*Store)))
        continue;
      BuilderAfter B(*Store);
      Value *Cell = shadowOf(B, To);
      Cleared.push_back({inert(B.CreateAlignedStore(Constant::getNullValue(T),
                                                    Cell, Store->getAlign())),
                         To});
    } else if (auto *Bulk = dyn_cast<MemIntrinsic>(I)) {
      Value *To = Bulk->getRawDest();
      if (!V.isMapped(To) || !V.isShadowed(To))
        continue;
      BuilderAfter B(*Bulk);
      Value *Cells = shadowOf(B, To);
      Cleared.push_back(
          {inert(B.CreateMemSet(Cells, B.getInt8(0), Bulk->getLength(),
                                Bulk->getDestAlign())),
           To});
    }
  }
}
