//===- LinearBits.h - numbers computed through their bits -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs scale a number by adding to its exponent, cut out its exponent and
// its mantissa, and take its bits for its logarithm (inverse square roots, cube
// roots, logarithms and exponentials by hand):
//
//   float(bits(x) + (k << 23))               x * 2^k
//   float(bits(x) & 0x7fffff | 0x3f800000)   x / 2^exponent
//   int(bits(x) >> 23)                       the exponent: constant
//   float(bits(x) | 0x7fffff)                the binade's last number: constant
//   float(0x5f3759df - (bits(x) >> 1))       about 1 / sqrt(x)
//   (float)bits(x)                           about 2^23 * log2(x) + constant
//   float((int)(2^23 * x + constant))        about 2^x
//   float(n * (int)(2^20 * x) + constant)    about 2^(n * x / 8)
//
// Between two powers of two the bits of x, as an integer b, are linear in x:
// they grow by one where x grows by ulp(x), its last place. So where integer
// arithmetic has v = s * b + constant between carries,
//
//   d float(v) / dx = s * ulp(float(v)) / ulp(x),   d (float)v / dx = s /
//   ulp(x)
//
// with ulp taken with the number's sign; and s * ulp(float(v)) if b is x
// rounded to an integer. Exact to the rounding of v where s is 1; for another s
// it is the slope of the line beside the steps that a shift makes, as a
// conversion to float has the derivative 1. The result is said as
// @verso.rounded(c * x, bits) with that slope c, in which the ulps are
// constants; of what is chosen (a clamped integer) it is that of the choice. A
// number rounded to an integer that reaches the exponent alone, or
// the first places of a mantissa, as the index of a table does, is constant,
// and so is its value as a number. What has no such s stays as it is, an error
// if its derivative is asked for: bits that are cut off the mantissa, products
// of bits.
//
// An integer that is loaded where a number may lie is taken for one, and its
// bits tell at run time: those of integers that are not large have no slope. A
// result that is no normal number is an integer, too.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_LINEARBITS_H
#define VERSO_PREPARE_LINEARBITS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class CastInst;
class Instruction;
class Value;
} // namespace llvm

namespace verso {

void recogniseLinearBits(llvm::Function &F);

/// The same, before LLVM loads as an integer what is loaded as a number and
/// cast: where the language has no types, nothing else tells.
struct LinearBitsPass : llvm::PassInfoMixin<LinearBitsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
};

/// Whether \p I, which loads or stores an integer of 32 or 64 bits, may load or
/// store a number: its address is one among numbers, whatever its type
/// (`*(int *)&x[i]`), or C's types leave it open, as for a union's member and
/// what was copied by memcpy.
bool mayBeOfNumber(const llvm::Instruction &I);
/// Loads and stores of integers whose addresses say that numbers are there
/// (`*(int *)&x[1]`) become such of any type. Before optimisers: later the
/// address is one of bytes. Returns whether there are any.
bool openNumbers(llvm::Function &F);

/// Whether \p V is an integer that a number was rounded to.
bool isRoundedNumber(const llvm::Value *V);

/// Whether \p I, from an integer to a number, gives nothing but the bits of a
/// @verso.rounded.
bool isValueOfBits(const llvm::CastInst &I);

} // namespace verso

#endif // VERSO_PREPARE_LINEARBITS_H
