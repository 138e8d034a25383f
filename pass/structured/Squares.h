//===- Squares.h - numbers that are multiplied by themselves ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both factors of x * x get the same. It is one product with twice the adjoint,
// which may be fused with the sum that it goes to, not two that are added one
// after the other. And what squares are multiplied by is often a half:
//
//   0.5 * (x * x + y * y)       x' += x * 2t;  y' += y * 2t;  where t = 0.5 * s
//                               is x' += x * s;  y' += y * s
//
// What is doubled is an adjoint, so this is no arithmetic of the program's: but
// for numbers that are almost too small or too large, it is exact.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_SQUARES_H
#define VERSO_STRUCTURED_SQUARES_H

#include "llvm/IR/IRBuilder.h"

namespace verso {

class Operation;

/// Whether the first two operands are one, and get the same.
bool isSquare(const Operation &Op);

/// V + V, by B's fast-math flags.
llvm::Value *emitTwice(llvm::IRBuilderBase &B, llvm::Value *V);

/// Takes doubling and constant factors together, once the verso's variables are
/// values.
void foldTwice(llvm::Function &F);

} // namespace verso

#endif // VERSO_STRUCTURED_SQUARES_H
