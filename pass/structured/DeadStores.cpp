//===- DeadStores.cpp - local memory that nobody reads --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/DeadStores.h"
#include "emit/Runtime.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace verso;

namespace {

class Liveness {
public:
  Liveness(Function &F, const Objects &O, const Value *Delivered,
           ArrayRef<Instruction *> Program, ArrayRef<const Value *> Read,
           const DenseMap<const Instruction *, const Instruction *> &Reloads)
      : O(O), Program(Program.begin(), Program.end()), Reloads(Reloads),
        LiveObjects(O.size() + 1) {
    for (Instruction &I : instructions(F))
      if (const Value *Target = localTarget(I))
        Candidates.push_back({&I, Target});
      else if (I.mayHaveSideEffects() || I.isTerminator() || I.isEHPad())
        markLive(&I);
    // What the caller gets, and what it finds in its own memory, it may read.
    if (Delivered)
      markReachable(O.placesOf(Delivered));
    for (unsigned K = 0; K != O.size(); ++K)
      if (!O[K].isLocal())
        for (const Object::Content &C : O[K].Contents)
          markReachable({C.Target});
    for (const Value *P : Read)
      markReachable(O.placesOf(P));
    propagate();
  }

  bool isLive(const Instruction &I) const { return Live.contains(&I); }

private:
  bool isLocal(const Value *P) const {
    Places Ps = O.placesOf(P);
    return !Ps.empty() &&
           all_of(Ps, [&](const Place &Q) { return O[Q.Object].isLocal(); });
  }

  /// Whoever is given an address may read there. Allocation and release do not
  /// (the size may be a distance of pointers, which has places too), nor does
  /// what the request itself calls.
  static bool mayRead(const CallBase &Call) {
    if (isa<MemSetInst>(Call) || isInert(Call))
      return false;
    const Function *F = Call.getCalledFunction();
    if (!F)
      return true;
    if (F->getName().starts_with("__verso_transpose_"))
      return false;
    std::optional<KnownCall> K = classifyCall(*F);
    return !K || (K->K != KnownCall::Allocate &&
                  K->K != KnownCall::AllocateZeroed && K->K != KnownCall::Free);
  }

  /// What I writes to, if that is local memory and all that I does.
  const Value *localTarget(const Instruction &I) const {
    if (!Program.contains(&I))
      return nullptr;
    const Value *P = nullptr;
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
      P = Store->getPointerOperand();
    else if (auto *Bulk = dyn_cast<MemIntrinsic>(&I);
             Bulk && !Bulk->isVolatile())
      P = Bulk->getRawDest();
    return P && isLocal(P) ? P : nullptr;
  }

  void markLive(Instruction *I) {
    if (Live.insert(I).second)
      Work.push_back(I);
  }

  void markRead(const Value *P) {
    for (const Place &Q : O.placesOf(P))
      LiveObjects.set(Q.Object);
  }

  void visit(Instruction &I) {
    for (Value *Op : I.operands())
      if (auto *V = dyn_cast<Instruction>(Op))
        markLive(V);
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      const Instruction *Original = Reloads.lookup(Load);
      if (!Original)
        Original = Load;
      if (Program.contains(Original))
        markRead(getLoadStorePointerOperand(Original));
    } else if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      if (Program.contains(Copy))
        markRead(Copy->getRawSource());
      else if (const Instruction *Original = Reloads.lookup(Copy))
        markRead(getLoadStorePointerOperand(Original));
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
      markRead(MemoryLocation::get(&I).Ptr);
    } else if (auto *Call = dyn_cast<CallBase>(&I)) {
      if (mayRead(*Call))
        for (Value *A : Call->args())
          markReachable(O.placesOf(A));
    }
  }

  /// Everything that can be read from there, through pointers in memory too.
  void markReachable(const Places &From) {
    SmallVector<unsigned, 8> Objects;
    for (const Place &Q : From)
      Objects.push_back(Q.Object);
    BitVector Seen(O.size() + 1);
    while (!Objects.empty()) {
      unsigned K = Objects.pop_back_val();
      if (Seen.test(K))
        continue;
      Seen.set(K);
      LiveObjects.set(K);
      for (const Object::Content &C : O[K].Contents)
        Objects.push_back(C.Target.Object);
    }
  }

  void propagate() {
    for (bool Changed = true; Changed;) {
      while (!Work.empty())
        visit(*Work.pop_back_val());
      Changed = false;
      for (auto [I, Target] : Candidates)
        if (!Live.contains(I) &&
            any_of(O.placesOf(Target), [&](const Place &Q) {
              return LiveObjects.test(Q.Object);
            })) {
          markLive(I);
          Changed = true;
        }
    }
  }

  const Objects &O;
  DenseSet<const Instruction *> Program;
  const DenseMap<const Instruction *, const Instruction *> &Reloads;
  BitVector LiveObjects;
  SmallVector<std::pair<Instruction *, const Value *>, 16> Candidates;
  DenseSet<const Instruction *> Live;
  SmallVector<Instruction *, 32> Work;
};

} // namespace

void verso::deleteDeadStores(
    Function &F, const Objects &O, const Value *Delivered,
    ArrayRef<Instruction *> Program, ArrayRef<const Value *> Read,
    const DenseMap<const Instruction *, const Instruction *> &Reloads) {
  Liveness L(F, O, Delivered, Program, Read, Reloads);
  // With a store goes what is computed from what it stored: an address that was
  // loaded from there is none any more, and whoever loads from it undefined.
  SmallVector<Instruction *, 32> Dead;
  for (Instruction &I : instructions(F))
    if (!L.isLive(I) && !isa<AllocaInst>(I))
      Dead.push_back(&I);
  for (Instruction *I : Dead)
    I->dropAllReferences();
  for (Instruction *I : Dead)
    I->eraseFromParent();
}
