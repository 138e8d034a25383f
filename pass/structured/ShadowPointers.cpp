//===- ShadowPointers.cpp - where the adjoint of a cell is ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/ShadowPointers.h"
#include "analysis/CallModel.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

Value *ShadowPointers::get(Value *P) {
  if (auto It = Shadows.find(P); It != Shadows.end())
    return It->second;
  if (!V.isShadowed(P))
    return Shadows[P] = P;
  if (auto *Phi = dyn_cast<PHINode>(P)) {
    // First the phi, then what comes into it: it may be its own shadow's base.
    PHINode *Shadow =
        PHINode::Create(P->getType(), Phi->getNumIncomingValues(),
                        P->getName() + ".shadow", Phi->getIterator());
    Shadows[P] = Shadow;
    for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K)
      Shadow->addIncoming(get(Phi->getIncomingValue(K)),
                          Phi->getIncomingBlock(K));
    return Shadow;
  }
  Value *Shadow = create(P);
  return Shadows[P] = Shadow;
}

Value *ShadowPointers::create(Value *P) {
  auto *I = dyn_cast<Instruction>(P);
  if (!I) {
    Refused.add("a constant address has a shadow");
    return P;
  }
  if (auto *A = dyn_cast<AllocaInst>(I))
    return ofAlloca(*A);
  if (auto *Load = dyn_cast<LoadInst>(I))
    return ofLoad(*Load);
  if (auto *Call = dyn_cast<CallBase>(I))
    return ofCall(*Call);
  if (isa<GetElementPtrInst, SelectInst, BitCastInst, AddrSpaceCastInst,
          FreezeInst>(I)) {
    Instruction *Shadow = I->clone();
    for (Use &U : Shadow->operands())
      if (U->getType()->isPointerTy())
        U.set(get(U));
    Shadow->setName(P->getName() + ".shadow");
    Shadow->insertAfter(I->getIterator());
    return Shadow;
  }
  Refused.add("a pointer is made in an unknown way", I);
  return P;
}

Value *ShadowPointers::ofAlloca(AllocaInst &A) {
  if (!A.isStaticAlloca()) {
    Refused.add("a local array of variable size", &A);
    return &A;
  }
  auto *Shadow = cast<AllocaInst>(A.clone());
  Shadow->setName(A.getName() + ".shadow");
  Shadow->insertAfter(A.getIterator());
  uint64_t Size = A.getAllocationSize(F.getDataLayout())->getFixedValue();
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Ours.insert(B.CreateMemSet(Shadow, B.getInt8(0), Size, Shadow->getAlign()));
  return Shadow;
}

Value *ShadowPointers::ofCall(CallBase &Call) {
  CallModel M = modelCall(Call, TLI);
  if (!M.Known)
    return &Call;
  const KnownCall &K = *M.Known;
  if (K.returnsArgument() >= 0) {
    Refused.add("a library function returns a pointer into numbers", &Call);
    return &Call;
  }
  BasicBlock::iterator After = std::next(Call.getIterator());
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    After = Invoke->getNormalDest()->getFirstInsertionPt();
  IRBuilder<> B(After->getParent(), After);
  Value *Bytes =
      B.CreateZExtOrTrunc(Call.getArgOperand(K.Size), B.getInt64Ty());
  if (K.Count >= 0)
    Bytes = B.CreateMul(Bytes, B.CreateZExtOrTrunc(Call.getArgOperand(K.Count),
                                                   B.getInt64Ty()));
  return Allocate(B, Bytes);
}

/// %shadow = load ptr, %p.shadow
/// %s = %shadow == null ? %pointer : %shadow     where the user left it out
/// Memory without a shadow is its own, and so is what its pointers point to.
Value *ShadowPointers::ofLoad(LoadInst &Load) {
  Value *Address = get(Load.getPointerOperand());
  for (const Place &Q : V.objects().placesOf(Load.getPointerOperand())) {
    if (V.objects()[Q.Object].isLocal())
      Mirrored.insert(Q.Object);
  }
  IRBuilder<> B(Load.getNextNode());
  LoadInst *Shadow = B.CreateAlignedLoad(
      Load.getType(), Address, Load.getAlign(), Load.getName() + ".shadow");
  Ours.insert(Shadow);
  Twins[Shadow] = &Load;
  return B.CreateSelect(B.CreateIsNull(Shadow), &Load, Shadow);
}

void ShadowPointers::mirrorStores() {
  for (bool Changed = true; Changed && !Refused;) {
    Changed = false;
    SmallVector<StoreInst *, 16> Stores;
    for (Instruction &I : instructions(F))
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store && !isOurs(Store) &&
          Store->getValueOperand()->getType()->isPointerTy())
        Stores.push_back(Store);
    for (StoreInst *Store : Stores) {
      bool Wanted =
          any_of(V.objects().placesOf(Store->getPointerOperand()),
                 [&](const Place &Q) { return Mirrored.contains(Q.Object); });
      if (!Wanted || !Done.insert(Store).second)
        continue;
      Changed = true;
      Value *Shadow = get(Store->getValueOperand());
      Value *Address = get(Store->getPointerOperand());
      IRBuilder<> B(Store->getNextNode());
      Ours.insert(B.CreateAlignedStore(Shadow, Address, Store->getAlign()));
    }
  }
}
