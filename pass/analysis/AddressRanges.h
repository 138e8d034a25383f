//===- AddressRanges.h - bounds of what loops come to -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits bounds of what an integer may be in the loops behind some place of a
// function: intervals of ScalarEvolution's expressions, of values that are
// known at that place. They are computed in 128 bits: no bound wraps around,
// and a loop that is not entered, whose count means nothing, can only make them
// larger.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_ADDRESSRANGES_H
#define VERSO_ANALYSIS_ADDRESSRANGES_H

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <optional>

namespace verso {

/// From the least to the greatest; of addresses: from the first byte to behind
/// the last. Values of 128 bits.
struct Interval {
  llvm::Value *Low, *High;
};

class AddressRanges {
public:
  /// Everything is emitted before \p At, which stays where it is.
  AddressRanges(llvm::ScalarEvolution &SE, llvm::Instruction *At);

  /// The values that \p S may have, as a signed integer.
  std::optional<Interval> interval(const llvm::SCEV *S);
  /// \p Offsets from \p Base.
  Interval addresses(llvm::Value *Base, Interval Offsets);
  /// The least interval that holds both.
  Interval together(Interval I, Interval J);
  /// From the first byte at \p From to behind the last of \p Size.
  Interval bytes(Interval From, Interval Size);
  /// What is in both; turned round if nothing is.
  Interval inBoth(Interval I, Interval J);

  /// Whether no address is in both.
  llvm::Value *areApart(Interval I, Interval J);
  /// Whether they are addresses, not what wraps around to them.
  llvm::Value *areAddresses(Interval I);

  llvm::IRBuilder<> &builder() { return B; }

private:
  bool isKnown(const llvm::SCEV *S) const;
  std::optional<Interval> intervalOfLoop(const llvm::SCEVAddRecExpr &S);
  llvm::Value *smaller(llvm::Value *X, llvm::Value *Y);
  llvm::Value *larger(llvm::Value *X, llvm::Value *Y);
  llvm::Value *limit(llvm::Value *X);

  llvm::ScalarEvolution &SE;
  llvm::SCEVExpander Expander;
  llvm::IRBuilder<> B;
  llvm::Instruction *At;
  llvm::Type *Wide;
};

} // namespace verso

#endif // VERSO_ANALYSIS_ADDRESSRANGES_H
