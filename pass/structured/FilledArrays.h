//===- FilledArrays.h - what loops overwrite before it is read --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dead store elimination knows single stores, not the loop that writes all of
// an array:
//
//   entry:                            store ptr %old, ptr %rows + 8
//   loop:                             store ptr %new, ptr %rows + 8 * %k
//   behind:                           load ptr, ptr %rows + ...
//
// If the loop ends by its count alone before anything is read, what the entry
// stores of an element is dead.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_FILLEDARRAYS_H
#define VERSO_STRUCTURED_FILLEDARRAYS_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Deletes the dead stores of the entry to local variables. True if there were
/// any.
bool dropFilledStores(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_STRUCTURED_FILLEDARRAYS_H
