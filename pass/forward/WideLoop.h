//===- WideLoop.h - a loop of requests becomes one of wide ones -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_WIDELOOP_H
#define VERSO_FORWARD_WIDELOOP_H

#include "request/Request.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// What DirectionLoops has found out about a loop. Values are available in its
/// preheader.
struct WideLoop {
  unsigned Width = 1;
  /// Whether it may be merged; null: always.
  llvm::Value *Test = nullptr;
  /// Tangents of which each iteration needs a copy.
  struct Copy {
    unsigned Argument;
    /// i64: of the first byte, from the pointer; and how many.
    llvm::Value *Low, *Bytes;
  };
  llvm::SmallVector<Copy, 2> Copies;
  /// What waits for the results, of this iteration or an earlier one.
  llvm::SmallVector<llvm::Instruction *, 16> Later;
};

/// Unrolls \p L by the width, with one request for all directions of a new
/// iteration. The call of \p R has the tangents as its operands. What it
/// becomes is added to \p Out: wide requests, and single ones of what is left
/// over and of the copy of the loop for when the test fails.
void widen(const Request &R, llvm::Loop &L, const WideLoop &Plan,
           llvm::FunctionAnalysisManager &FAM, std::vector<Request> &Out);

} // namespace verso

#endif // VERSO_FORWARD_WIDELOOP_H
