//===- CarriedNumbers.h - numbers that loops hand on ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration takes one number on, by a computation that nobody else uses the
// parts of (Newton's method, a fixed point, a step of an equation in one
// unknown):
//
//   for (;;) x = x - f(x, a) / g(x, a)
//
// All that the reverse of the computation adds is a multiple of x', and the
// next iteration to be reversed waits for it. So the multiples are computed by
// the recto, or where the verso likes, and only products with x' are in turn:
//
//   recto:  p = dx+/dx,  q = dx+/da        by the rules, with the adjoint 1
//   verso:  t = x+', x+' = 0;  x' += p t;  a' += q t
//
// One test of t does for all of them, where a zero would meet an infinite
// partial. The tape computes such multiples, too.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_CARRIEDNUMBERS_H
#define VERSO_STRUCTURED_CARRIEDNUMBERS_H

#include "structured/Choices.h"

namespace verso {

class CarriedNumbers {
public:
  CarriedNumbers(const VariedMemory &V, const llvm::LoopInfo &LI)
      : V(V), LI(LI) {}

  /// What of \p Block computes a number that the block's loop hands on, where
  /// it pays: products are saved, and more than one was waited for. Members of
  /// \p Others are left to them.
  llvm::SmallVector<Choices::Part, 1>
  chains(llvm::BasicBlock &Block, llvm::ArrayRef<Choices::Part> Others) const;

private:
  bool
  isMember(const llvm::Instruction &I,
           const llvm::SmallPtrSetImpl<const llvm::Value *> &Members) const;
  bool pays(const Choices::Part &Chain, const llvm::PHINode &Phi) const;

  const VariedMemory &V;
  const llvm::LoopInfo &LI;
};

} // namespace verso

#endif // VERSO_STRUCTURED_CARRIEDNUMBERS_H
