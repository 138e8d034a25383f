//===- LackingShadows.h - loops whose memory has shadows --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer to memory without a shadow is its own shadow, so that accesses by
// pointers which were read from a structure compare the two. A loop in which
// they are the same in all iterations asks that once, when it is entered:
//
//   for i:  if (x' != x) x'[i] += a;  if (y' != y) y'[i] += b
//   =>
//   if (x' != x && y' != y)  for i:  x'[i] += a;  y'[i] += b
//   else  the loop as it was
//
// The first of the two is one block that may be taken apart and vectorised.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_LACKINGSHADOWS_H
#define VERSO_STRUCTURED_LOOPS_LACKINGSHADOWS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace verso {

/// Makes \p L, an innermost loop, the one that runs if pointers that it
/// compares and does not change are different, and a copy of it the one that
/// runs if not. Returns whether there were any; branches of \p L have constant
/// conditions then.
bool takeShadowsAsThere(llvm::Loop &L, llvm::LoopInfo &LI,
                        llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_LACKINGSHADOWS_H
