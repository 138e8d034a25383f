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
  for (Instruction *I : Accesses) {
    auto *Store = dyn_cast<StoreInst>(I);
    auto *Bulk = dyn_cast<MemIntrinsic>(I);
    Value *To = Store  ? Store->getPointerOperand()
                : Bulk ? Bulk->getRawDest()
                       : nullptr;
    if (!To || !V.isShadowed(To) || !V.mayBeAtDistance(To))
      continue;
    if (Store &&
        !Store->getValueOperand()
             ->getType()
             ->getScalarType()
             ->isFloatingPointTy() &&
        !V.clearsNumbers(*Store))
      continue;
    Value *Cell = CellOf(To);
    BuilderAfter B(*I);
    // Memory without a shadow is its own.
    Value *Lacks =
        V.mayLackShadow(To) ? B.CreateICmpEQ(Cell, To) : B.getFalse();
    Instruction *Clear;
    if (Store) {
      Type *T = Store->getValueOperand()->getType();
      if (V.mayLackShadow(To))
        Cell = B.CreateSelect(
            Lacks,
            IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin())
                .CreateAlloca(T, nullptr, "nowhere"),
            Cell);
      Clear = B.CreateAlignedStore(Constant::getNullValue(T), Cell,
                                   Store->getAlign());
    } else {
      Value *Bytes = Bulk->getLength();
      Clear = B.CreateMemSet(
          Cell, B.getInt8(0),
          B.CreateSelect(Lacks, Constant::getNullValue(Bytes->getType()),
                         Bytes),
          Bulk->getDestAlign());
    }
    Cleared.push_back({inert(Clear), To});
  }
}
