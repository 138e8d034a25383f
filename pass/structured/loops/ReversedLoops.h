//===- ReversedLoops.h - reversed loops that vectorise ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a stencil scatters: an iteration adds to cells to which its
// neighbours add as well, so that no vectoriser takes it. But additions to
// adjoint cells commute. Those whose cells are a few iterations apart become
// one (TravellingSums.h). Others of one iteration that may meet in a cell go
// into loops of their own, each of which has one moving target:
//
//   for i:  t = y'[i];  x'[i+n] += a t;  x'[i-n] += b t;  y'[i] = 0
//   =>
//   for i:  x'[i+n] += a y'[i]
//   for i:  x'[i-n] += b y'[i];  y'[i] = 0
//
// So do sums, of cells and of numbers, where there are more than registers.
// And a loop whose iterations do not depend on one another, but for sums, runs
// upwards, as memory likes it.
//
// Where pointers may overlap, a check at the loop's entry decides.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_REVERSEDLOOPS_H
#define VERSO_STRUCTURED_LOOPS_REVERSEDLOOPS_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// LoopAccessAnalysis stops to say which accesses meet after a hundred; the
/// reverse of an unrolled convolution has twice as many. To be called once,
/// when the plugin is loaded.
void recordManyDependences();

/// Brings the loops of a gradient into the form that is looked for here.
void simplifyReversedLoops(llvm::Function &F,
                           llvm::FunctionAnalysisManager &FAM);

/// To be called before redundant loads are removed: that ties iterations
/// together.
void improveReversedLoops(llvm::Function &F,
                          llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_REVERSEDLOOPS_H
