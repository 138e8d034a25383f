//===- RunUp.h - loops that ran down run up ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processors fetch ahead where addresses grow, and further than the end of a
// row. That iterations may run in any order is for the caller to know.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_LOOPS_RUNUP_H
#define VERSO_STRUCTURED_LOOPS_RUNUP_H

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace verso {

/// { start,+,step } => { start + n step,+,-step }, if all else is sums. \p L
/// has a preheader and one exit, behind its only latch.
void runUp(llvm::Loop &L, llvm::ScalarEvolution &SE);

} // namespace verso

#endif // VERSO_STRUCTURED_LOOPS_RUNUP_H
