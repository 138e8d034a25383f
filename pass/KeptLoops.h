//===- KeptLoops.h - loops that are differentiated as loops -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At -O3 LLVM unrolls loops of twice the size that it does at -O2, before the
// requests are lowered. The adjoint of a long line of code is one, too: it does
// not vectorise, keeps more than registers hold, and took three to four times
// as long (a matrix of 32 columns times a vector). In what requests may come to
// such loops stay until these are lowered. The program's and forward mode's are
// unrolled then, as they would have been (a loop around one may vectorise after
// that); the reverse mode's as LLVM finds it worth behind its vectorisers.
//
// At -O2 as well it unrolls loops of a few calls, as these are small: eight
// steps of a solver, four stages. Where a request inlines what is called there
// would be as many copies of it.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_KEPTLOOPS_H
#define VERSO_KEPTLOOPS_H

#include "llvm/Transforms/Scalar/LoopPassManager.h"

namespace verso {

/// In front of the full unrolling of the simplification.
struct KeepLoopsPass : llvm::PassInfoMixin<KeepLoopsPass> {
  /// Whether LLVM unrolls loops that it leaves at -O2.
  explicit KeepLoopsPass(bool UnrollsMuch) : UnrollsMuch(UnrollsMuch) {}
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &,
                              llvm::LPMUpdater &);

private:
  bool UnrollsMuch;
};

/// Says which loops of \p M are to be kept.
void keepLoops(llvm::Module &M);
/// Unrolls the loops that were kept, and lets LLVM unroll those made of them.
void releaseLoops(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_KEPTLOOPS_H
