//===- BfloatsByHand.h - numbers kept as halves of floats -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs keep a float's upper half, perhaps rounded, in a uint16_t, and make
// a float of it again: bfloat, by shifts. Said as bfloat, such numbers have
// derivatives, in registers and in memory:
//
//   uint16_t(bits(x) + round >> 16)   bits of bfloat(verso.rounded(x, bits))
//   float(uint32_t(h) << 16)          float(bfloat of the bits h)
//   float(bits(x) + round & ~0xffff)  verso.rounded(x, bits)
//
// where `round` is less than 2^16, in functions that widen such numbers or
// round to them: a half that is only cut off may be a piece of a float that is
// moved. A load or store of such an h is one of a bfloat.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_BFLOATSBYHAND_H
#define VERSO_PREPARE_BFLOATSBYHAND_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

void recogniseBfloats(llvm::Function &F);

/// Whether \p F may hold such numbers: of a function that is not optimised, as
/// far as can be seen without.
bool mayHoldBfloatsByHand(const llvm::Function &F);

/// Whether \p Callee takes or returns such numbers.
bool passesBfloatsByHand(const llvm::Function &Callee);

} // namespace verso

#endif // VERSO_PREPARE_BFLOATSBYHAND_H
