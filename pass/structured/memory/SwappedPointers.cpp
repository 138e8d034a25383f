//===- SwappedPointers.cpp - double buffering -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/SwappedPointers.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace verso;

/// Whether no two of these values point to the same memory: to local objects,
/// each to others.
static bool areDistinct(ArrayRef<const Value *> Values, const Objects &O) {
  SmallDenseSet<unsigned, 8> Seen;
  for (const Value *V : Values) {
    SmallDenseSet<unsigned, 4> Mine;
    for (const Place &P : O.placesOf(V)) {
      if (!O[P.Object].isLocal() || Seen.contains(P.Object))
        return false;
      Mine.insert(P.Object);
    }
    if (Mine.empty())
      return false;
    Seen.insert(Mine.begin(), Mine.end());
  }
  return true;
}

bool verso::areSwapped(const Value *P, const Value *Q, const Loop &L,
                       const LoopInfo &LI, const Objects &O) {
  constexpr unsigned MaxPointers = 8;
  auto *A = dyn_cast<PHINode>(getUnderlyingObject(P, /*MaxLookup=*/0));
  auto *B = dyn_cast<PHINode>(getUnderlyingObject(Q, /*MaxLookup=*/0));
  if (!A || !B || A == B || A->getParent() != B->getParent())
    return false;
  const BasicBlock *Header = A->getParent();
  const Loop *Around = LI.getLoopFor(Header);
  if (!Around || Around->getHeader() != Header || L.contains(Header) ||
      !Around->contains(&L) || !Around->getLoopPreheader() ||
      !Around->getLoopLatch())
    return false;
  SmallSetVector<const PHINode *, 4> Pointers;
  Pointers.insert(A), Pointers.insert(B);
  SmallPtrSet<const Value *, 8> Left;
  SmallVector<const Value *, 4> Entering;
  for (unsigned K = 0; K != Pointers.size(); ++K) {
    const PHINode *Phi = Pointers[K];
    auto *Next = dyn_cast<PHINode>(
        Phi->getIncomingValueForBlock(Around->getLoopLatch()));
    if (K == MaxPointers || !Next || Next->getParent() != Header ||
        !Left.insert(Next).second)
      return false;
    Pointers.insert(Next);
    Entering.push_back(
        Phi->getIncomingValueForBlock(Around->getLoopPreheader()));
  }
  return areDistinct(Entering, O);
}
