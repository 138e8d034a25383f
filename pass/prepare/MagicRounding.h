//===- MagicRounding.h - numbers rounded by adding a large one --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there is no instruction for it, a number is rounded to an integer by
// adding one whose last place is 1, and subtracting it again:
//
//   (x + 0x1.8p52) - 0x1.8p52   =>   detached(...), as of rint(x)
//   (x + m) - m                 =>   m is such a number ? detached(...) : ...
//
// (m with the sign of x, or out of a variable, in Kahan's sums too).
// Its derivative is zero, as that of every rounding, not one, as that of the
// sum: sines and exponentials of vectors reduce their argument so.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_MAGICROUNDING_H
#define VERSO_PREPARE_MAGICROUNDING_H

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace verso {

void detachMagicRoundings(llvm::Function &F);

/// Whether \p V is the sum of a number and a constant that numbers are rounded
/// by, or their difference.
bool addsMagicNumber(const llvm::Value *V);

/// Whether \p F has a constant that numbers are rounded by.
bool holdsMagicNumber(const llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_MAGICROUNDING_H
