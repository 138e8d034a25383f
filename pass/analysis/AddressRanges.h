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
// larger. In 64 bits, a third of the instructions, it is told whether any does.
//
// What depends on several loops at once (start + k + half, of the butterflies
// of a transform) is greatest in the last iteration of the innermost of them:
// what it is there is an expression of the other loops. A loop that ends where
// a sum is equal to a bound, by steps that only run time knows, comes to the
// bound: had it stepped over it, the accesses of its iterations would have gone
// on through all of memory. Numbers that no expression describes are bounded by
// the conditions that they came by, and by the bits that they are made of.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_ADDRESSRANGES_H
#define VERSO_ANALYSIS_ADDRESSRANGES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <optional>

namespace verso {

/// From the least to the greatest; of addresses: from the first byte to behind
/// the last. Values of 128 bits, or of 64.
struct Interval {
  llvm::Value *Low, *High;
};

class AddressRanges {
public:
  /// Everything is emitted before \p At, which stays where it is.
  AddressRanges(llvm::ScalarEvolution &SE, llvm::Instruction *At,
                unsigned Bits = 128);

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
  /// Whether they are addresses, not what wraps around to them; in 64 bits
  /// isExact tells that.
  llvm::Value *areAddresses(Interval I);
  /// Whether all that was computed so far is what it is in the integers.
  llvm::Value *isExact() const { return Exact; }
  /// Whether something is bounded by no more than its type, and that a wide
  /// one: then few ranges are apart.
  bool isGuess() const { return IsGuess; }
  unsigned bits() const { return Wide->getIntegerBitWidth(); }
  /// \p I, which may be of fewer bits.
  Interval extended(Interval I) {
    return {B.CreateSExt(I.Low, Wide), B.CreateSExt(I.High, Wide)};
  }

  llvm::IRBuilder<> &builder() { return B; }

private:
  /// A loop that ends when {First,+,Step} is Bound, and goes through memory by
  /// Way * Step.
  struct End {
    const llvm::SCEV *First, *Step, *Bound;
    int64_t Way;
  };

  bool isKnown(const llvm::SCEV *S) const;
  std::optional<Interval> compute(const llvm::SCEV *S);
  Interval intervalOfKnown(const llvm::SCEV &S);
  std::optional<Interval> intervalOfLoop(const llvm::SCEVAddRecExpr &S);
  std::optional<Interval> intervalOfCast(const llvm::SCEVIntegralCastExpr &S);
  Interval withoutExcess(const llvm::SCEVAddRecExpr &S, Interval I);
  std::optional<End> endOf(const llvm::Loop &L);
  bool isAlways(const llvm::BasicBlock *Block, const llvm::Loop &L,
                const llvm::SCEV *Step);
  int64_t wayThroughMemory(const llvm::Loop &L, const llvm::SCEV *Step);
  const llvm::SCEV *count(const llvm::Loop &L);
  const llvm::SCEV *inLastIteration(const llvm::SCEVAddRecExpr &S);
  std::optional<Interval> intervalOfPhi(llvm::PHINode &Phi);
  std::optional<Interval> intervalOfBits(llvm::Value *V);
  std::optional<Interval> onEdge(llvm::Value *V, llvm::BasicBlock *From,
                                 llvm::BasicBlock *To);
  llvm::Value *powerBelow(llvm::Value *X);
  llvm::Value *exactly(llvm::Instruction::BinaryOps Op, llvm::Value *X,
                       llvm::Value *Y);
  llvm::Value *sum(llvm::Value *X, llvm::Value *Y) {
    return exactly(llvm::Instruction::Add, X, Y);
  }
  llvm::Value *difference(llvm::Value *X, llvm::Value *Y) {
    return exactly(llvm::Instruction::Sub, X, Y);
  }
  llvm::Value *product(llvm::Value *X, llvm::Value *Y) {
    return exactly(llvm::Instruction::Mul, X, Y);
  }
  llvm::Value *smaller(llvm::Value *X, llvm::Value *Y);
  llvm::Value *larger(llvm::Value *X, llvm::Value *Y);
  llvm::Value *limit(llvm::Value *X);

  llvm::ScalarEvolution &SE;
  llvm::SCEVExpander Expander;
  llvm::IRBuilder<> B;
  llvm::Instruction *At;
  llvm::Type *Wide;
  llvm::Value *Exact;
  bool IsGuess = false;
  llvm::DenseMap<const llvm::SCEV *, std::optional<Interval>> Known;
  std::optional<llvm::DominatorTree> DT;
  std::optional<llvm::PostDominatorTree> PDT;
};

} // namespace verso

#endif // VERSO_ANALYSIS_ADDRESSRANGES_H
