//===- OneWalk.h - both sweeps of a member at once --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the result of a recursive function is a sum over its activations, the
// adjoint of what a call returns is known when the call is made. Then nothing
// is kept: the function computes its value and hands on adjoints in one walk.
//
//   s = 0                            s = 0
//   loop: t = f(x)                   loop: t, x' = f.both(x, a s')
//         s = s + a t                      s = s + a t;  *a' += t s'
//   return s                         return s
//
// A value's adjoint is *known* at a point of the program if it can be computed
// there:
//   - a *running sum* is used once in every run, as the result, by a phi that
//   is
//     one, or as a summand of one: its adjoint is that of the result;
//   - else, of a value that is used in one place in every run, what the known
//     adjoints there and partials that are available give.
// It has to be known of every active call's result, before the call, and of
// every active phi, where control flow comes to it. All else is pulled back
// from there, at the end of the same block, to loads, parameters and arguments
// of calls: reversal is linear, so it matters neither how often nor in how many
// parts.
//
// Guarantee: the function is as it was but for calls of members, which were
// replaced by calls of both sweeps, and writes to shadows.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECURSION_ONEWALK_H
#define VERSO_STRUCTURED_RECURSION_ONEWALK_H

#include "structured/Adjoints.h"
#include "structured/recursion/MemberGradients.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

namespace verso {

class OneWalk {
public:
  OneWalk(llvm::Function &F, const VariedMemory &V, ShadowPointers &Shadows,
          Adjoints &A, const MemberGradients &Gradients, llvm::Value *Seed,
          Refusals &Refused);

  /// The form that the function has to have, before it is analysed.
  static void prepare(llvm::Function &F);
  /// Emits the reversal of all but the returns.
  void emit();
  /// Puts the new calls into the place of the old ones, at the end.
  void replaceCalls();

private:
  /// Where a value is used: in a block, or by phis on the edge between two.
  struct Uses {
    llvm::SmallDenseMap<const llvm::BasicBlock *, unsigned, 4> In;
    llvm::SmallDenseMap<
        std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, unsigned,
        4>
        On;
  };
  bool isActive(const llvm::Value *X) const;
  llvm::SmallVector<llvm::Instruction *, 4> activeUsers(llvm::Value *X) const;
  bool isUsedOnce(const llvm::Instruction &X, const Uses &U) const;
  bool runs(llvm::Instruction &X) const;
  void findRunningSums();
  llvm::Value *known(llvm::Value *X, llvm::Instruction *Before,
                     unsigned Depth = 0);
  llvm::Value *contribution(llvm::Instruction &To, llvm::Value *X,
                            llvm::Value *Adjoint, llvm::Instruction *Before);
  llvm::Instruction *available(llvm::Instruction &I, llvm::Instruction *Before,
                               unsigned Depth = 0);
  void walkCalls();
  bool isHandled(const llvm::Value *X) const;
  void reverseBlock(llvm::BasicBlock &Block);

  llvm::Function &F;
  const VariedMemory &V;
  ShadowPointers &Shadows;
  Adjoints &A;
  const MemberGradients &Gradients;
  llvm::Value *Seed;
  Refusals &Refused;
  llvm::DominatorTree DT;
  llvm::PostDominatorTree PDT;
  llvm::DenseSet<const llvm::Value *> Running;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Order;
  llvm::MapVector<llvm::CallBase *, llvm::CallInst *> Calls;
  llvm::SmallVector<llvm::Instruction *, 16> Pending;
};

} // namespace verso

#endif // VERSO_STRUCTURED_RECURSION_ONEWALK_H
