//===- IntegerIntrinsics.h - intrinsics on integers, spelled out -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of a number may go through an intrinsic on integers: bytes that are
// swapped, the larger of two, a rotation. Said by shifts, sums and choices, of
// which it is known what bytes they move and what they lose, nothing more has
// to be known of the intrinsic. LLVM finds it again in what is generated.
//
//   umax(a, b)                     a > b ? a : b
//   bswap(x), bitreverse(x)        halves that change places, and their halves
//   fshl(a, b, k)                  k ? a << k | b >> (n - k) : a
//   abs(x)                         x < 0 ? -x : x
//   uadd.sat(a, b)                 a + b < a ? ~0 : a + b
//   the sum in sadd.with.overflow  a + b
//
// What counts bits or compares integers gives nothing that varies.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_INTEGERINTRINSICS_H
#define VERSO_PREPARE_INTEGERINTRINSICS_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

void spellOutIntegerIntrinsics(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_INTEGERINTRINSICS_H
