//===- EdgeIterations.h - iterations at the edges ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a grid that goes round, the first and the last cell of a row have a
// neighbour at the other end: its address is chosen by a comparison that is
// true once. That iteration is taken out of the loop, where addresses are then
// a constant distance apart:
//
//   for i in [0, n):  x'[i == 0 ? n - 1 : i - 1] += a
//   =>
//   x'[n-1] += a;  for i in [1, n):  x'[i-1] += a
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_EDGEITERATIONS_H
#define VERSO_STRUCTURED_LOOPS_EDGEITERATIONS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace verso {

/// Takes the first or the last iteration out of \p L if addresses that \p L
/// writes to are chosen there, and only there, by a comparison. \p L is one
/// block with one exit that it is the only way to, and makes a number of
/// iterations that is known at its entry. If it returns true, nothing that was
/// analysed is valid any more.
bool peelEdge(llvm::Loop &L, llvm::ScalarEvolution &SE);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_EDGEITERATIONS_H
