//===- UnrollRecurrences.h - longer bodies for recurrences ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries a real number through a phi (s += a[i] * b[i]) records
// the phi's successor in every iteration. Unrolled, the copies lie in one cone,
// and one record serves several iterations. Only counted innermost loops with
// one exit and a small body; values and their order stay as they are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_UNROLLRECURRENCES_H
#define VERSO_PREPARE_UNROLLRECURRENCES_H

#include "llvm/IR/PassManager.h"

namespace verso {

class UnrollRecurrencesPass
    : public llvm::PassInfoMixin<UnrollRecurrencesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace verso

#endif // VERSO_PREPARE_UNROLLRECURRENCES_H
