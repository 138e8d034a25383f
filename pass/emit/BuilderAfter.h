//===- BuilderAfter.h - a builder behind an instruction ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_BUILDERAFTER_H
#define VERSO_EMIT_BUILDERAFTER_H

#include "llvm/IR/IRBuilder.h"

namespace verso {

/// Inserts right behind an instruction, at its debug location: behind an invoke
/// in its normal destination, behind a phi after all phis; or before \p At, if
/// that is given, which is later.
class BuilderAfter : public llvm::IRBuilder<> {
public:
  explicit BuilderAfter(llvm::Instruction &I, llvm::Instruction *At = nullptr);
};

/// `if (Condition) Then();` at \p B, which goes on behind it.
void emitIf(llvm::IRBuilderBase &B, llvm::Value *Condition, bool Unlikely,
            llvm::function_ref<void(llvm::IRBuilder<> &)> Then);

} // namespace verso

#endif // VERSO_EMIT_BUILDERAFTER_H
