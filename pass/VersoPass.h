//===- VersoPass.h - the module pass ----------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_VERSOPASS_H
#define VERSO_VERSOPASS_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Lowers every request of a module. A module without requests is left alone.
class VersoPass : public llvm::PassInfoMixin<VersoPass> {
public:
  /// \p DropsUnused: what only requests referred to is deleted.
  explicit VersoPass(bool DropsUnused = false) : DropsUnused(DropsUnused) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }

private:
  bool DropsUnused;
};

/// Before functions are inlined: what a link imported is not to be lowered
/// here.
struct DropImportedRequestsPass
    : public llvm::PassInfoMixin<DropImportedRequestsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// At the start of the pipeline: makes what requests consist of last until they
/// are lowered (request/Preserve.cpp).
class PreservePass : public llvm::PassInfoMixin<PreservePass> {
public:
  /// \p Optimises: simplification follows, for which indices are made ready.
  explicit PreservePass(bool Optimises = false) : Optimises(Optimises) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }

private:
  bool Optimises;
};

} // namespace verso

#endif // VERSO_VERSOPASS_H
