//===- Choices.h - loops whose results may not be chosen --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nearest of many, the positive part of a sum: what a loop or a part of a
// block computes is often thrown away. Then its adjoint is zero, and if nothing
// is written, its reverse adds zeros to cells:
//
//   for k:  d = sum over j of (x[j] - c[k][j])^2        the reverse of this
//           best = d < best ? d : best                  runs if d' is not zero
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_CHOICES_H
#define VERSO_STRUCTURED_CHOICES_H

#include "structured/memory/Varied.h"

#include "llvm/Analysis/LoopInfo.h"

namespace verso {

class Choices {
public:
  Choices(const VariedMemory &V, const llvm::LoopInfo &LI) : V(V), LI(LI) {}

  /// The values of \p L that all that comes into its reverse by this exit comes
  /// to; empty if that is not only cells and variables to which zeros are
  /// added, or not likely to be zero.
  llvm::SmallVector<llvm::Instruction *, 2>
  results(const llvm::Loop &L, const llvm::BasicBlock &Exit,
          const llvm::BasicBlock &Exiting) const;

  /// Instructions of a block that compute one result, the last of them, and
  /// nothing else that has a derivative.
  using Part = llvm::SmallVector<llvm::Instruction *, 32>;
  llvm::SmallVector<Part, 1> parts(llvm::BasicBlock &Block) const;

private:
  bool isChoice(const llvm::Instruction &User) const;
  Part partOf(llvm::Instruction &Result) const;
  bool onlyReads(const llvm::Loop &L) const;
  bool mayBeDropped(const llvm::Value &X, unsigned &Steps) const;

  const VariedMemory &V;
  const llvm::LoopInfo &LI;
};

} // namespace verso

#endif // VERSO_STRUCTURED_CHOICES_H
