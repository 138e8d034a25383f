//===- MaskedAccesses.h - masked loads and stores ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masked loads and stores, gathers and scatters, of code that was vectorised
// before, become branches and accesses of elements. LLVM takes them apart for
// targets that have none of them.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_MASKEDACCESSES_H
#define VERSO_PREPARE_MASKEDACCESSES_H

#include "llvm/IR/Function.h"

namespace verso {

void scalarizeMaskedAccesses(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_MASKEDACCESSES_H
