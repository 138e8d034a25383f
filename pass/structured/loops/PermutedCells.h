//===- PermutedCells.h - cells that a permutation stored --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of y[p[i]] = x[i] takes the adjoint out of the cell, here and
// there, since whoever stored to it before gets none:
//
//   for i down:  t = y'[p[i]];  y'[p[i]] = 0;  x'[i] += t
//
// Where p is a permutation, which the runtime sees, nobody takes twice, and all
// cells are zero in the end:
//
//   for i down:  x'[i] += y'[p[i]]
//   memset(y' + least, 0, n)
//
// Each line of a cache comes in once, where a store behind many loads found it
// gone again. What else the loop accesses is told apart from the cells: by
// alias analysis, or by comparing ranges, which are known then.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_PERMUTEDCELLS_H
#define VERSO_STRUCTURED_LOOPS_PERMUTEDCELLS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// \p L is one block with one exit, whose iterations can be counted. Whether
/// anything was changed; then no analysis is kept.
bool takePermutedCells(llvm::Loop &L, llvm::Function &F,
                       llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_PERMUTEDCELLS_H
