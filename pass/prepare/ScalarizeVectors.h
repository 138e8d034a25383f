//===- ScalarizeVectors.h - takes vectors apart -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's scalarizer, loads and stores included, for functions that may invoke.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_SCALARIZEVECTORS_H
#define VERSO_PREPARE_SCALARIZEVECTORS_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Gives every invoke a normal destination of its own, without phis.
void separateInvokes(llvm::Function &F);

/// The scalarizer takes a vector apart right behind its definition, and the
/// pointer to one right behind the pointer's, which cannot be done behind an
/// invoke: its blocks are broken then. A detour through a struct moves the
/// place to the normal destination.
class ScalarizeVectorsPass : public llvm::PassInfoMixin<ScalarizeVectorsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace verso

#endif // VERSO_PREPARE_SCALARIZEVECTORS_H
