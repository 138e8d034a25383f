//===- Cones.cpp - which results are recorded -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Cones.h"
#include "verso/Layout.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

/// Operations a cone may have, so that a record stays below
/// VERSO_RECORD_MAX_CONTRIBUTIONS (an operation has at most four operands).
static constexpr unsigned MaxConeSize = VERSO_RECORD_MAX_CONTRIBUTIONS / 4;

Cones::Cones(
    Function &F, const Activity &A, const LoopInfo &Loops,
    function_ref<bool(const Instruction &, const Operation &)> StandsAlone) {
  // Users before what they use: a use is dominated by its definition.
  for (BasicBlock *Block : post_order(&F)) {
    for (Instruction &I : reverse(*Block)) {
      if (!A.operation(&I) || !A.isActive(&I))
        continue;
      if (StandsAlone && StandsAlone(I, *A.operation(&I)))
        Alone.insert(&I);
      Instruction *O = Alone.contains(&I) ? &I : findOwner(I, A, Loops);
      Owner[&I] = O;
      Members[O].push_back(&I);
    }
  }
}

/// The derivative of \p U's result by \p I is known to vanish.
static bool ignores(const Operation &U, const Instruction &I) {
  for (unsigned K = 0, E = U.operands().size(); K != E; ++K)
    if (U.operands()[K] == &I && U.shape(K) != Operation::Shape::Zero)
      return false;
  return true;
}

Instruction *Cones::findOwner(Instruction &I, const Activity &A,
                              const LoopInfo &Loops) const {
  Instruction *Only = nullptr, *OfNobody = nullptr;
  for (User *V : I.users()) {
    auto *U = cast<Instruction>(V);
    const Operation *Op = A.operation(U);
    if (!Op) {
      // Comparisons, conversions to integers and the like need no ID.
      bool NeedsId = A.isActive(U) || isa<StoreInst, ReturnInst, CallBase,
                                          AtomicRMWInst, AtomicCmpXchgInst>(U);
      if (NeedsId)
        return &I;
      continue;
    }
    if (!A.isActive(U))
      continue;
    Instruction *O = Owner.lookup(U);
    bool MayBeOwner =
        O && !Alone.contains(O) &&
        Loops.getLoopFor(O->getParent()) == Loops.getLoopFor(I.getParent());
    if (ignores(*Op, I)) {
      OfNobody = MayBeOwner ? O : OfNobody;
      continue;
    }
    if (!MayBeOwner || (Only && Only != O))
      return &I;
    Only = O;
  }
  // What nobody's derivative needs gets no adjoint there, and no ID.
  if (!Only)
    Only = OfNobody;
  if (!Only || Members.find(Only)->second.size() >= MaxConeSize)
    return &I;
  return Only;
}
