//===- Restarts.cpp - requests that may start again -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/Restarts.h"
#include "analysis/CallModel.h"
#include "emit/KeptBlocks.h"
#include "emit/Runtime.h"
#include "emit/StartAgain.h"
#include "structured/Targets.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

namespace {
class Effects {
public:
  Effects(const Objects &O, ArrayRef<CallBase *> Ends, bool IsFinal,
          const TargetLibraryInfo *TLI)
      : O(O), Ends(Ends), IsFinal(IsFinal), TLI(TLI) {}

  bool has(const Instruction &I) const;

private:
  bool isOwn(const Value *P) const;
  bool areOwn(const CallBase &Call) const;
  bool hasCall(const CallBase &Call) const;

  const Objects &O;
  ArrayRef<CallBase *> Ends;
  const bool IsFinal;
  const TargetLibraryInfo *TLI;
};
} // namespace

/// Whether \p P leads to memory that the function makes, if anywhere.
bool Effects::isOwn(const Value *P) const {
  const Places All = O.placesOf(P);
  if (All.empty()) // What is not known yet will be.
    return !IsFinal || O.leadsNowhere(P);
  return all_of(All, [&](const Place &Q) {
    auto *Block = dyn_cast_or_null<CallBase>(O[Q.Object].Base);
    return O[Q.Object].isLocal() && !(Block && isKept(*Block));
  });
}

bool Effects::areOwn(const CallBase &Call) const {
  return all_of(Call.args(), [&](const Value *A) {
    auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(A));
    return !A->getType()->isPtrOrPtrVectorTy() || (G && G->isConstant()) ||
           isOwn(A);
  });
}

bool Effects::hasCall(const CallBase &Call) const {
  // What throws changes nothing but what it throws.
  if (isInert(Call) || Call.onlyReadsMemory() || allocatesException(Call) ||
      Call.doesNotReturn())
    return false;
  const CallModel M = modelCall(Call, TLI);
  switch (M.K) {
  case CallModel::Direct:
    return IsFinal;
  case CallModel::Operation: // errno is no object of the program's.
    return !areOwn(Call);
  case CallModel::Library:
    switch (M.Known->K) {
    case KnownCall::Allocate:
    case KnownCall::AllocateZeroed:
      return !areOwn(Call);
    case KnownCall::Free:
    case KnownCall::Reallocate:
      return !isOwn(Call.getArgOperand(M.Known->Source));
    case KnownCall::Copy:
    case KnownCall::Set:
      return !isOwn(Call.getArgOperand(M.Known->Destination));
    default:
      return true;
    }
  case CallModel::Inactive:
    if (isa<IntrinsicInst>(Call))
      return Call.mayWriteToMemory() && !Call.onlyAccessesInaccessibleMemory();
    switch (changesOf(*Call.getCalledFunction())) {
    case Changes::Nothing:
      return false;
    case Changes::First:
      return !isOwn(Call.getArgOperand(0));
    case Changes::Arguments:
      return !areOwn(Call);
    case Changes::Anything:
      return true;
    }
    llvm_unreachable("all are there");
  default:
    return true;
  }
}

/// What is thrown can be caught and forgotten.
static bool throwsCpp(const Function &F) {
  return F.hasPersonalityFn() &&
         F.getPersonalityFn()->getName() == "__gxx_personality_v0";
}

bool Effects::has(const Instruction &I) const {
  if (I.isEHPad())
    return !throwsCpp(*I.getFunction());
  if (I.isVolatile())
    return true;
  if (auto *Bulk = dyn_cast<MemIntrinsic>(&I))
    return !isOwn(Bulk->getRawDest());
  if (auto *Call = dyn_cast<CallBase>(&I))
    return !endsChain(*Call) && !is_contained(Ends, Call) && hasCall(*Call);
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return !isOwn(Store->getPointerOperand());
  if (auto *Exchange = dyn_cast<AtomicRMWInst>(&I))
    return !isOwn(Exchange->getPointerOperand());
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return !isOwn(Exchange->getPointerOperand());
  return I.mayWriteToMemory() && !isa<FenceInst, LoadInst>(I);
}

const Instruction *verso::effectBefore(ArrayRef<CallBase *> Ends,
                                       const Objects &O, bool IsFinal,
                                       const TargetLibraryInfo *TLI) {
  Effects E(O, Ends, IsFinal, TLI);
  SmallPtrSet<const BasicBlock *, 32> Seen;
  SmallVector<const BasicBlock *, 32> Work;
  auto FirstIn = [&](BasicBlock::const_iterator From,
                     BasicBlock::const_iterator To) -> const Instruction * {
    for (const Instruction &I : make_range(From, To))
      if (E.has(I))
        return &I;
    return nullptr;
  };
  for (const CallBase *End : Ends) {
    const BasicBlock *Block = End->getParent();
    if (const Instruction *I = FirstIn(Block->begin(), End->getIterator()))
      return I;
    append_range(Work, predecessors(Block));
  }
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    if (const Instruction *I = FirstIn(Block->begin(), Block->end()))
      return I;
    append_range(Work, predecessors(Block));
  }
  return nullptr;
}

void verso::startAgainAt(ArrayRef<CallBase *> Ends) {
  Function &F = *Ends[0]->getFunction();
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *OnItsWay = B.CreateAlloca(B.getPtrTy());
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), OnItsWay);
  if (throwsCpp(F))
    for (BasicBlock &Block : F)
      if (LandingPadInst *Pad = Block.getLandingPadInst()) {
        B.SetInsertPoint(&Block, Block.getFirstInsertionPt());
        B.CreateStore(B.CreateExtractValue(Pad, 0), OnItsWay);
      }
  for (CallBase *End : Ends) {
    B.SetInsertPoint(End);
    emitStartAgain(B, B.CreateLoad(B.getPtrTy(), OnItsWay));
  }
}
