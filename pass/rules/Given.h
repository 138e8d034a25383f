//===- Given.h - results whose derivative is given --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   @verso.given(x, p, r)
//
// is r, and its derivative is p dx + dr, whatever p was computed from; p may be
// infinite or no number. It is opaque until all requests are lowered, as the
// calls of Zero.h are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_GIVEN_H
#define VERSO_RULES_GIVEN_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace verso {

/// Of real numbers of one type.
llvm::Value *emitGiven(llvm::IRBuilderBase &B, llvm::Value *X,
                       llvm::Value *Partial, llvm::Value *Result);
bool isGiven(const llvm::CallBase &Call);

/// When all requests are lowered.
void lowerGiven(llvm::Module &M);

} // namespace verso

#endif // VERSO_RULES_GIVEN_H
