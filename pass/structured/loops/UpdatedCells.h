//===- UpdatedCells.h - adjoints of what is updated in place ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where x = c * x + a * y, the verso takes the adjoint of x, clears the cell
// and adds to it again, but adds to that of y in between, and y may be x for
// all that LLVM knows. Additions to adjoints commute, so the cell can be set at
// once:
//
//   t = x'[i];  x'[i] = 0;  y'[i] += a * t;  x'[i] += c * t
//   =>
//   t = x'[i];  x'[i] = c * t;  y'[i] += a * t
//
// Where c is one, x' stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_UPDATEDCELLS_H
#define VERSO_STRUCTURED_LOOPS_UPDATEDCELLS_H

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/BasicBlock.h"

namespace verso {

/// \p Block is of a reversed loop. Returns whether cells are set at once.
bool setUpdatedCells(llvm::BasicBlock &Block, llvm::AAResults &AA);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_UPDATEDCELLS_H
