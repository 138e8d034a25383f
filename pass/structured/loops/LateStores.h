//===- LateStores.h - stores wait for the next recurrence -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that the iteration before handed on is taken by the vectoriser, if
// all that is computed of it may come behind the one that is handed on next.
// What the recto records of it stood in between:
//
//   a = last / 2;  column = a;  last = x[i]
//   =>
//   a = last / 2;  last = x[i];  column = a
//
// Stores are moved within a block, past what does not touch their memory.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_LATESTORES_H
#define VERSO_STRUCTURED_LOOPS_LATESTORES_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// In loops of one block. After simplification, which makes numbers that are
/// handed on of those that are loaded twice.
void storeLate(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_LATESTORES_H
