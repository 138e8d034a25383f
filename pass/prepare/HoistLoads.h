//===- HoistLoads.h - loads that a loop repeats -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves loads out of loops that do not write to what they read, by the objects
// alone (ObjectsApart.h). On the tape a load looks for an image and tells what
// it found, ten instructions, so one that is repeated costs more than what
// LLVM's own passes left it for.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_HOISTLOADS_H
#define VERSO_PREPARE_HOISTLOADS_H

#include "llvm/IR/PassManager.h"

namespace verso {

class HoistLoadsPass : public llvm::PassInfoMixin<HoistLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace verso

#endif // VERSO_PREPARE_HOISTLOADS_H
