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
// An exponential makes zero of what is infinite by its value, too: of a mask of
// -inf that is scaled by what varies, of log 0, of an infinite barrier. There
// its operand's tangent is infinite, or no number, and the partial is zero:
// what comes to it, in registers, knows zero adjoints, and the exponential
// infinite tangents. Beside an exponential no pole counts but a logarithm's:
// exp(log(x)) varies at x = 0. So in forward mode the tangent of a logarithm's
// pole is of a kind of its own (rules/Zero.h), by which an exponential knows it
// from that of an infinite value, in registers and where it comes out of memory
// or by a parameter. On the way a zero tangent stays zero beside the infinite
// value of the logarithm, as that of t in exp(t * log(x)).
//
// The marks are found once a function is prepared; whoever makes operations of
// operations later has to carry them along, or they count for nothing.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_OVERFLOWS_H
#define VERSO_RULES_OVERFLOWS_H

namespace llvm {
class Function;
class Instruction;
class TargetLibraryInfo;
class Value;
} // namespace llvm

namespace verso {

class Operation;

void markOverflows(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

/// Whether \p V may overflow, or be computed from what did, and may then come
/// to an operation that makes zero of it.
bool isOverflow(const llvm::Value *V);

/// Whether \p Op, which \p I is, makes zero of what is infinite, and its
/// partial by operand \p K is zero there, whatever the operand's tangent is.
bool comesToLimit(const llvm::Instruction &I, const Operation &Op, unsigned K);

/// Whether \p Op has a limit where its operand \p K is infinite: zero times an
/// infinite factor of this operand may come to it in reverse.
bool makesZero(const Operation &Op, unsigned K);

/// Whether \p V comes to an exponential, by operations and choices in registers
/// but not from one iteration to the next. (Not to a tanh, and only divisions
/// to an exponential that overflows: a layer of a network has a product for
/// each weight.)
bool isExponent(const llvm::Value *V);

/// Whether a logarithm comes to \p V on its way, in registers, to an
/// exponential, to memory or to a function.
bool isOfLogarithm(const llvm::Value *V);

/// Whether what comes to \p V, an exponential, may come out of memory or by a
/// parameter, where a logarithm may have had its pole.
bool isOfUnseen(const llvm::Value *V);

} // namespace verso

#endif // VERSO_RULES_OVERFLOWS_H
