//===- Cones.h - which results are recorded ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preaccumulation. An active operation whose result is needed by exactly one
// recorded result, and by nobody else, lies in that result's *cone* (a
// fanout-free cone) if the two are in the same loop: it gets no ID, and the
// partials of the recorded result by the sources of the cone are computed by a
// local reverse sweep at compile time, where the root stands. That takes one
// multiplication an edge, as many as resolving the edges from the tape would
// take, so it never costs more than writing the parts. Linear in the number of
// instructions.
//
// Selects are no operations: they choose an ID, so that the side that was not
// taken contributes nothing, not zero times something.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_CONES_H
#define VERSO_ANALYSIS_CONES_H

#include "analysis/Activity.h"

namespace llvm {
class LoopInfo;
} // namespace llvm

namespace verso {

class Cones {
public:
  /// An operation that \p StandsAlone says so of is the root of a cone without
  /// other members.
  Cones(llvm::Function &F, const Activity &A, const llvm::LoopInfo &Loops,
        llvm::function_ref<bool(const llvm::Instruction &, const Operation &)>
            StandsAlone = nullptr);

  /// Whether \p I is an active operation that gets an ID of its own.
  bool isRecorded(const llvm::Instruction *I) const {
    return Owner.lookup(I) == I;
  }
  /// The root of the cone that the active operation \p I lies in.
  llvm::Instruction *rootOf(const llvm::Instruction &I) const {
    return Owner.lookup(&I);
  }
  /// Whether \p I is computed inside the cone of \p Root.
  bool isInside(const llvm::Value *I, const llvm::Instruction *Root) const {
    auto *Inst = llvm::dyn_cast<llvm::Instruction>(I);
    return Inst && Inst != Root && Owner.lookup(Inst) == Root;
  }
  /// The operations of the cone of \p Root, the root first, each before its
  /// operands.
  llvm::ArrayRef<llvm::Instruction *>
  members(const llvm::Instruction *Root) const {
    auto It = Members.find(Root);
    return It == Members.end() ? llvm::ArrayRef<llvm::Instruction *>()
                               : llvm::ArrayRef(It->second);
  }

private:
  llvm::Instruction *findOwner(llvm::Instruction &I, const Activity &A,
                               const llvm::LoopInfo &Loops) const;

  llvm::DenseSet<const llvm::Instruction *> Alone;
  llvm::DenseMap<const llvm::Instruction *, llvm::Instruction *> Owner;
  llvm::DenseMap<const llvm::Instruction *,
                 llvm::SmallVector<llvm::Instruction *, 4>>
      Members;
};

} // namespace verso

#endif // VERSO_ANALYSIS_CONES_H
