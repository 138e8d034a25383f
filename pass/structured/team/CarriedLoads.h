//===- CarriedLoads.h - loads that iterations hand on -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM loads what two iterations read once: the start of a row is the end of
// the row before, a cell's left neighbour the cell before.
//
//   a = load p[0];  for i: phi(a, b) ... b = load p[i + 1]
//
// Where threads share the loop (Worksharing.h) no iteration may wait for the
// one before, so each loads both: nobody writes there, or the program would not
// share the loop.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_TEAM_CARRIEDLOADS_H
#define VERSO_STRUCTURED_TEAM_CARRIEDLOADS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace verso {

/// In loops that the program shares. Returns whether anything changed.
bool loadCarriedAgain(const llvm::LoopInfo &LI, const llvm::DominatorTree &DT,
                      llvm::ScalarEvolution &SE);

} // namespace verso

#endif // VERSO_STRUCTURED_TEAM_CARRIEDLOADS_H
