//===- Infinities.h - infinite numbers that are not chosen ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   double l = log(x);            double q = y / x;
//   return x > 0 ? x * l : 0;     return x != 0 ? q * q : 0;
//
// At x = 0 the product has an infinite factor and the adjoint zero: a partial
// of it is infinite, though the rule of products has no pole. The tape goes
// past records to which nothing comes, and so would a branch. Here such a
// partial times the adjoint has to be a product that knows zeros
// (rules/Zero.h): where a factor comes from an operation with a pole, or from
// one that overflows (exp), or the partial does (cosh), and the result may be
// thrown away. FiniteValues says where the pole is out of reach. Elsewhere, as
// in 1 / (1 + q), what is infinite is the program's result too, or vanishes in
// it by its value (as what overflows does, see rules/Overflows.h).
//
// A result may be thrown away if one of its uses is a choice or may not be come
// to before the result is computed again, or leads to such a result; what is
// handed on (to the next iteration, behind a loop) on every way is not. What is
// stored may never be read, or its reader may throw it away, but for sums (the
// forces on a body; with tests of these n_body took a tenth longer).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_INFINITIES_H
#define VERSO_STRUCTURED_INFINITIES_H

#include "structured/FiniteValues.h"

namespace verso {

class Infinities {
public:
  explicit Infinities(const VariedMemory &V)
      : V(V), AsksForNaNs(asksForNaNs(V.function())) {}

  /// Whether the partial of \p I by operand \p K may be infinite because of a
  /// factor while nothing comes to \p I.
  bool isDropped(llvm::Instruction &I, const Operation &Op, unsigned K);
  /// Whether the rule's pole may be met (FiniteValues).
  bool isSingular(const llvm::Instruction &I, const Operation &Op, unsigned K);

private:
  const FiniteValues &values(const llvm::Instruction &I);
  bool mayBeInfinite(const llvm::Value *X);
  bool mayBeDropped(llvm::Instruction &I);
  bool isUseMissed(llvm::Instruction &I);
  using Edge = std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>;
  static bool mayMiss(const llvm::BasicBlock &From, const llvm::BasicBlock *Use,
                      llvm::ArrayRef<Edge> Uses);

  const VariedMemory &V;
  const bool AsksForNaNs;
  /// What may be infinite and what may be thrown away, of all of the function;
  /// found when it is asked for.
  std::optional<FiniteValues> Values;
  std::optional<llvm::DenseSet<const llvm::Value *>> Dropped;
  /// By the blocks of a value and of its use.
  llvm::DenseMap<Edge, bool> Missed;
};

} // namespace verso

#endif // VERSO_STRUCTURED_INFINITIES_H
