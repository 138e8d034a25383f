//===- EmptyAssembly.h - assembly that only hides a value -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Benchmarks and careful numerical code hide values from the optimiser by
// assembly without a text, `asm("" : "+x"(v))`, whose outputs are its inputs.
// In the clone that is differentiated these are replaced by the inputs; outputs
// in memory (`"+g,x"`, Eigen's barrier in its rounding) are stores of them.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_EMPTYASSEMBLY_H
#define VERSO_PREPARE_EMPTYASSEMBLY_H

#include "llvm/IR/Function.h"

namespace verso {

void openEmptyAssembly(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_EMPTYASSEMBLY_H
