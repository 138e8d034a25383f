//===- FiniteValues.h - which numbers may be infinite -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function computes is taken to be finite unless it comes from an
// operation with a pole, from one that overflows where its operands do not
// look like it (exp), or from an infinite constant. Numbers in memory and
// arguments are finite, sums and products of what is finite are; where the
// function tests for NaNs (data that are missing), nothing is known to be away
// from a pole.
//
//   q = y / (1 + x * x)            finite: what it is divided by is at least 1
//   f = pow(sqrt(s), -0.2)         infinite where s is 0
//   h = f > 5 ? 5 : f              finite
//
// So for each number it is found whether it may be +inf, -inf or a NaN, as a
// least fixpoint, by means of bounds that hold for whatever else it may be.
// A change of the function's numbers invalidates it.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_FINITEVALUES_H
#define VERSO_STRUCTURED_FINITEVALUES_H

#include "structured/memory/Varied.h"

namespace verso {

/// Whether \p F, before it is reversed, tests for NaNs.
bool asksForNaNs(const llvm::Function &F);

class FiniteValues {
public:
  /// \p MemoryHasNaNs: see asksForNaNs.
  FiniteValues(llvm::Function &F, const VariedMemory &V, bool MemoryHasNaNs)
      : V(V), MemoryHasNaNs(MemoryHasNaNs) {
    find(F);
  }

  /// Of a number that \p F computes; what is made later is finite.
  bool mayBeInfinite(const llvm::Value *X) const { return stateOf(X) != None; }
  /// Whether the partial of \p Op by operand \p K, though it has a pole, is
  /// finite here.
  bool isRegular(const Operation &Op, unsigned K) const;

private:
  void find(llvm::Function &F);
  enum State : unsigned { None = 0, Plus = 1, Minus = 2, Nan = 4, All = 7 };
  unsigned stateOf(const llvm::Value *X) const;
  unsigned compute(const llvm::Instruction &I) const;
  unsigned ofOperation(const Operation &Op) const;
  unsigned ofChoice(const llvm::SelectInst &I) const;

  const VariedMemory &V;
  const bool MemoryHasNaNs;
  llvm::DenseMap<const llvm::Value *, unsigned> States;
};

} // namespace verso

#endif // VERSO_STRUCTURED_FINITEVALUES_H
