//===- JoinedLatches.h - what only the next iteration needs -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the first iteration of a loop took from before it is a constant, often,
// so its adjoint is handed on to the next reversed iteration only, and computed
// behind the test whether there is one. Such a loop does not end where it is
// left, and no vectoriser takes it:
//
//   body:   a = ...;  if (i == 0) leave      body:  a = ...;  b = a / 2
//   latch:  b = a / 2;  --i;  goto body  =>          if (i == 0) leave;  --i
//
// So what may be computed in vain is computed before the test, as early as it
// can be: a recurrence wants it before what comes of the one before. Latches
// that write, or read memory, stay.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_JOINEDLATCHES_H
#define VERSO_STRUCTURED_LOOPS_JOINEDLATCHES_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Of the innermost reversed loops.
struct JoinLatchesPass : llvm::PassInfoMixin<JoinLatchesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_JOINEDLATCHES_H
