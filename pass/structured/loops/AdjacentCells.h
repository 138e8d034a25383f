//===- AdjacentCells.h - cells that are added to at once --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of one object get their adjoints one after the other:
//
//   c[0] += a * t;  c[1] += b * t;  c[2] += t;  c[3] += d
//   =>
//   c[0..3] += { a * t, b * t, t, d }
//
// The SLP vectoriser does this, too, but starts anew in every block and chooses
// other widths for other objects of one kind. The next one who adds to the
// cells then loads what two stores wrote, which no processor forwards: it waits
// until both are in the cache. Here cells are parted from the lowest on, in the
// same way wherever all of them are added to.
//
// It is for blocks of reversed loops that the loop vectoriser does not take.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_ADJACENTCELLS_H
#define VERSO_STRUCTURED_LOOPS_ADJACENTCELLS_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Before the vectorisers. Control flow stays as it is.
class AdjacentCellsPass : public llvm::PassInfoMixin<AdjacentCellsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_ADJACENTCELLS_H
