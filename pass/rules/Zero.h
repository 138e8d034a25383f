//===- Zero.h - what a zero adjoint or tangent decides ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A zero adjoint or tangent times an infinite partial is zero, and code that a
// zero makes of no effect is left out. Both look at a value, and to an outer
// request a number that is zero may vary all the same:
//
//   product(p, s)   s == 0 ? 0 : p * s   has the derivatives s and p, as p * s
//                                        has, everywhere
//   isZero(s)       s == 0               in forward mode: and so is its tangent
//                                        elsewhere: false, nothing is left out
//
//   weighted(p, s)  p * s                the same, but where s is zero, p may
//                                        have an infinite derivative
//   limit(p, s)     p == 0 ? 0 : p * s   the same, but where p is zero and s is
//                                        not finite it does not vary
//   limit.both(p, s)                     the same; zero where s is zero, too
//   limit.unseen(p, s)                   the same; a pole (below) stays
//
// The tangent of a logarithm at its pole is no number of a kind of its own
// where it goes to memory or to a function, and what is computed from it is
// that, too: an exponential can tell it from the tangents of infinite values,
// infinite or no numbers as well. (A quiet NaN with a payload, as R marks
// missing values. Of two that meet the hardware chooses one.)
//
// They are opaque until all requests are lowered, so that nobody takes them
// apart before an outer request has seen them.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_ZERO_H
#define VERSO_RULES_ZERO_H

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace verso {

/// \p Partial times \p Seed, by B's fast-math flags; zero where \p Seed is,
/// whatever the other is. Of real numbers or vectors of them.
llvm::Value *emitProduct(llvm::IRBuilderBase &B, llvm::Value *Partial,
                         llvm::Value *Seed);
bool isProduct(const llvm::CallBase &Call);

/// \p Partial times \p Seed, real numbers, in code that an outer request
/// differentiates: where the seed is zero, tangents of the partial count for
/// nothing.
llvm::Value *emitWeighted(llvm::IRBuilderBase &B, llvm::Value *Partial,
                          llvm::Value *Seed);
bool isWeighted(const llvm::CallBase &Call);

/// \p Partial times \p Seed, zero where the partial is, or, if \p OfBoth,
/// either is, whatever the other is: of what comes to a limit where its operand
/// is infinite. If \p OfUnseen, the tangent of a pole stays what it is. Of real
/// numbers or vectors of them.
llvm::Value *emitLimit(llvm::IRBuilderBase &B, llvm::Value *Partial,
                       llvm::Value *Seed, bool OfBoth, bool OfUnseen = false);
bool isLimit(const llvm::CallBase &Call);
bool isLimitOfUnseen(const llvm::CallBase &Limit);

/// \p Tangent, of real numbers or vectors of them; where it is infinite, that
/// of a pole.
llvm::Value *emitPole(llvm::IRBuilderBase &B, llvm::Value *Tangent);

/// Whether \p X, a real number, has no effect as it is zero.
llvm::Value *emitIsZero(llvm::IRBuilderBase &B, llvm::Value *X);
bool isZeroTest(const llvm::CallBase &Call);

/// Brings \p F, which is about to be differentiated, into the form that rules
/// know: products of vectors become products of their elements.
void takeProductsApart(llvm::Function &F);
/// Where derivatives of what is tested are not at hand: nothing is zero.
void denyZeroTests(llvm::Function &F);

/// Replaces all of them by what they stand for; returns the functions in which
/// there were any.
llvm::SmallSetVector<llvm::Function *, 16> lowerZeros(llvm::Module &M);

} // namespace verso

#endif // VERSO_RULES_ZERO_H
