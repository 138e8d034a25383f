//===- RectoValues.h - what the recto has computed already ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partial of a sine is a cosine, and where the program needs both of an
// angle the recto has computed it. A function call or a division of the verso
// that the recto makes of the same operands, in the block that is reversed or
// in one that dominates it, becomes a use of the recto's value:
//
//   recto:  s = sin(x);  c = cos(x)
//   verso:  x' += s' * cos(x);  x' -= c' * sin(x)   =>   s' * c, c' * s
//
// So does what the recto computes for the verso (CarriedNumbers). Before
// residuals are placed.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_RECTOVALUES_H
#define VERSO_STRUCTURED_RECTOVALUES_H

#include "structured/Reversal.h"

#include "llvm/Analysis/TargetLibraryInfo.h"

namespace verso {

/// \p OfRecto are the instructions of the recto that are the verso's.
void useRectoValues(const Reversal &R,
                    llvm::ArrayRef<llvm::Instruction *> OfRecto,
                    const llvm::LoopInfo &LI,
                    const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_STRUCTURED_RECTOVALUES_H
