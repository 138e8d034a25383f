//===- Rounded.h - numbers whose bits the program computes ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   @verso.rounded(x, bits)
//
// is the number with these bits, whatever they are, and has x's derivative, as
// any conversion has (verso_rounded in Derivatives.def).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_ROUNDED_H
#define VERSO_PREPARE_ROUNDED_H

#include "llvm/IR/IRBuilder.h"

namespace verso {

/// A call of it; \p X is a float or a double, \p Bits an integer of its size.
llvm::Value *roundTo(llvm::IRBuilderBase &B, llvm::Value *X, llvm::Value *Bits);

/// Whether \p I is such a call.
bool isRounding(const llvm::Instruction &I);

/// Once nothing is differentiated any more: bits stay what they are, where a
/// conversion would make NaNs quiet, or drop small numbers.
void releaseRoundings(llvm::Module &M);

} // namespace verso

#endif // VERSO_PREPARE_ROUNDED_H
