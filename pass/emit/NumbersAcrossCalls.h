//===- NumbersAcrossCalls.h - sums that wait in memory ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a callee keeps no floating-point register, what a loop adds up goes
// through the stack in every iteration:
//
//   s = phi [0, %before], [t, %loop];  e = exp(x[i]);  t = s + e
//
// LLVM's register allocator stores t, loads it as s, stores that before the
// call and loads it again behind it. So s waits in a variable of the stack: it
// is loaded behind the call, and t is stored.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_NUMBERSACROSSCALLS_H
#define VERSO_EMIT_NUMBERSACROSSCALLS_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// At the end of the optimiser, in structured code for x86-64.
class NumbersAcrossCallsPass
    : public llvm::PassInfoMixin<NumbersAcrossCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace verso

#endif // VERSO_EMIT_NUMBERSACROSSCALLS_H
