//===- Overflows.h - what overflows and is divided by -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   e = exp(-x); d = 1 + e; r = 1 / d
//
// At x = -1000 e is infinite and r is zero, with a derivative of zero: as it is
// computed, the function is constant around there. The partials say infinity
// times zero. So where an operation that overflows (an exponential, a power)
// comes, through operations and choices in registers, to one that makes zero of
// infinity (a division, another exponential), all on that way are marked, and
// their partials make zero of a zero adjoint, and a zero partial of an infinite
// tangent. Not where the infinity comes from a pole: 1 / (1 + 1 / x) varies at
// x = 0.
//
// The marks are found once a function is prepared; whoever makes operations of
// operations later has to carry them along, or they count for nothing.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_OVERFLOWS_H
#define VERSO_RULES_OVERFLOWS_H

namespace llvm {
class Function;
class TargetLibraryInfo;
class Value;
} // namespace llvm

namespace verso {

class Operation;

void markOverflows(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

/// Whether \p V may overflow, or be computed from what did, and may then come
/// to an operation that makes zero of it.
bool isOverflow(const llvm::Value *V);

/// Whether \p Op makes zero of such an operand \p K.
bool endsOverflow(const Operation &Op, unsigned K);

} // namespace verso

#endif // VERSO_RULES_OVERFLOWS_H
