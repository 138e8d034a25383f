//===- Coroutines.h - coroutines as functions -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_COROUTINES_H
#define VERSO_PREPARE_COROUTINES_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Splits the coroutines of \p M into functions around a frame in memory, by
/// LLVM's passes. The optimiser has done so before; at -O0 LLVM does it last.
void splitCoroutines(llvm::Module &M, llvm::ModuleAnalysisManager &AM);

} // namespace verso

#endif // VERSO_PREPARE_COROUTINES_H
