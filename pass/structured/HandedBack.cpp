//===- HandedBack.cpp - what the reversed iteration before had ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/HandedBack.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"

using namespace llvm;
using namespace verso;

/// Whether \p V is computed from \p Phi in the same iteration, in registers.
static bool comesFrom(Instruction &V, const PHINode &Phi, const Loop &L) {
  SmallSetVector<Instruction *, 16> Known;
  Known.insert(&V);
  for (unsigned K = 0; K != Known.size(); ++K) {
    if (Known[K] == &Phi)
      return true;
    if (isa<PHINode>(Known[K]) && Known[K]->getParent() == L.getHeader())
      continue;
    for (Use &Op : Known[K]->operands())
      if (auto *I = dyn_cast<Instruction>(Op); I && L.contains(I))
        Known.insert(I);
  }
  return false;
}

void HandedBack::add(PHINode &Phi,
                     function_ref<bool(Instruction &Source)> IsNeeded,
                     function_ref<bool(Instruction &Source)> MayRepeat) {
  Loop *L = LI.getLoopFor(Phi.getParent());
  if (!L || L->getHeader() != Phi.getParent() || !R.isReversed(L) ||
      R.induction(Phi))
    return;
  BasicBlock *Latch = L->getLoopLatch(), *Exit = L->getUniqueExitBlock();
  auto *Source = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
  // The last iteration is left where it would hand on, and nowhere else.
  if (!Source || !L->contains(Source) || Source == &Phi || of(*Source) ||
      (isa<PHINode>(Source) && Source->getParent() == L->getHeader()) ||
      L->getExitingBlock() != Latch || !Exit ||
      Exit->getUniquePredecessor() != Latch ||
      LI.getLoopFor(Exit) != L->getParentLoop() || !IsNeeded(*Source))
    return;
  const bool Repeats = MayRepeat(*Source);
  if (L->isInnermost() ? Repeats || !comesFrom(*Source, Phi, *L)
                       : Repeats && !isa<LoadInst>(Source))
    return;
  IRBuilder<> B(Exit, Exit->begin());
  PHINode *Last =
      B.CreatePHI(Source->getType(), 1, Source->getName() + ".last");
  Last->addIncoming(Source, Latch);
  Values.insert({Source, {&Phi, Last}});
}

static llvm::Value *withoutExtension(llvm::Value *V) {
  return isa<SExtInst, ZExtInst>(V) ? cast<CastInst>(V)->getOperand(0) : V;
}

/// phi [start, ...], [%next, ...];  %next = phi + step;  br %next == end
std::optional<HandedBack::Row> HandedBack::findRow(PHINode &Phi) const {
  auto Induction = R.induction(Phi);
  auto *Step = Induction ? dyn_cast<ConstantInt>(Induction->Step) : nullptr;
  Loop *L = LI.getLoopFor(Phi.getParent());
  if (!Step || !Phi.getType()->isIntegerTy() || !L->getLoopLatch() ||
      L->getExitingBlock() != L->getLoopLatch())
    return std::nullopt;
  auto *Branch = dyn_cast<BranchInst>(L->getLoopLatch()->getTerminator());
  auto *Compared = Branch && Branch->isConditional()
                       ? dyn_cast<ICmpInst>(Branch->getCondition())
                       : nullptr;
  if (!Compared || !Compared->isEquality() ||
      L->contains(Branch->getSuccessor(
          Compared->getPredicate() == CmpInst::ICMP_EQ ? 0 : 1)))
    return std::nullopt;
  llvm::Value *Next = Phi.getIncomingValueForBlock(L->getLoopLatch());
  for (unsigned K : {0, 1}) {
    auto *End = dyn_cast<Instruction>(Compared->getOperand(K));
    llvm::Value *Is = Compared->getOperand(1 - K);
    const HandedBack::Value *Back = End ? of(*End) : nullptr;
    if (!Back || withoutExtension(Induction->Start) != Back->Phi ||
        !isa<BinaryOperator>(Next))
      continue;
    // What is left out of it is known.
    auto *Part = dyn_cast<TruncInst>(Is);
    if (Part ? Part->getOperand(0) == Next &&
                   (Part->hasNoSignedWrap() || Part->hasNoUnsignedWrap())
             : Is == Next)
      return Row{End, cast<Instruction>(Next), Step,
                 Part && Part->hasNoSignedWrap()};
  }
  return std::nullopt;
}

const HandedBack::Row *HandedBack::rowOf(PHINode &Phi) {
  if (Values.empty())
    return nullptr;
  auto [It, New] = Rows.try_emplace(&Phi);
  if (New)
    It->second = findRow(Phi);
  return It->second ? &*It->second : nullptr;
}

AllocaInst *HandedBack::slotOf(const Instruction &Source) {
  Value &V = Values.find(&Source)->second;
  if (!V.Slot)
    V.Slot = S.create(Source.getType(), Source.getName() + ".handed.back");
  return V.Slot;
}

AllocaInst *HandedBack::slotOfRow(PHINode &Phi) {
  Row &Mine = *Rows.find(&Phi)->second;
  if (!Mine.Slot)
    Mine.Slot = S.create(Phi.getType(), Phi.getName() + ".down");
  return Mine.Slot;
}

BasicBlock *HandedBack::nextIteration(const PHINode &Phi) const {
  Loop *L = LI.getLoopFor(Phi.getParent());
  for (BasicBlock *P : predecessors(R.header(L)))
    if (R.loopOf(P) == L)
      return P;
  llvm_unreachable("a reversed loop has a back edge");
}

SmallVector<BasicBlock *, 2> HandedBack::entries(const PHINode &Phi) const {
  Loop *L = LI.getLoopFor(Phi.getParent());
  SmallVector<BasicBlock *, 2> Result;
  for (BasicBlock *P : predecessors(R.header(L)))
    if (R.loopOf(P) != L)
      Result.push_back(P);
  return Result;
}

void HandedBack::emit(Emitter Materialise) {
  for (auto &[Phi, Each] : Rows) {
    if (!Each || !Each->Slot)
      continue;
    auto *Next = cast<OverflowingBinaryOperator>(Each->Next);
    auto StepBack = [&](IRBuilderBase &B, llvm::Value *From) {
      Slots::set(B, Each->Slot,
                 B.CreateSub(From, Each->Step, "", /*HasNUW=*/false,
                             Next->hasNoSignedWrap() &&
                                 Next->getOpcode() == Instruction::Add));
    };
    for (BasicBlock *Entry : entries(*Phi)) {
      llvm::Value *End = Materialise(*Each->End, Entry->getTerminator());
      IRBuilder<> B(Entry->getTerminator());
      StepBack(B, Each->IsSigned ? B.CreateSExt(End, Phi->getType())
                                 : B.CreateZExt(End, Phi->getType()));
    }
    IRBuilder<> B(nextIteration(*Phi)->getTerminator());
    StepBack(B, Slots::get(B, Each->Slot));
  }
  SmallPtrSet<const Value *, 4> Done;
  for (bool Any = true; std::exchange(Any, false);)
    for (auto &[Source, V] : Values) {
      if (!V.Slot || !Done.insert(&V).second)
        continue;
      Any = true;
      for (BasicBlock *Entry : entries(*V.Phi)) {
        IRBuilder<> B(Entry->getTerminator());
        Slots::set(B, V.Slot, Materialise(*V.Last, Entry->getTerminator()));
      }
      llvm::Value *Phi =
          Materialise(*V.Phi, endOfIteration(V)->getTerminator());
      IRBuilder<> B(nextIteration(*V.Phi)->getTerminator());
      Slots::set(B, V.Slot, Phi);
    }
}
