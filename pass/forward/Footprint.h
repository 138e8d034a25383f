//===- Footprint.h - what a function reads and writes -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a function may be run once where it was run several times on the same
// arguments: it is then a function of its arguments and of what it reads
// through them, in finite ranges that are known when it is called. It throws
// nothing, prints nothing, keeps no state and stores no pointers; and if the
// ranges do not overlap, it reads nothing that it has found overwritten by
// itself, so that what it writes is the same each time. It may set errno if it
// does not read it. What it has on the stack is not much, so that there is room
// for the tangents of several directions.
//
// Found in a copy of the function, with all that it calls inlined.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_FOOTPRINT_H
#define VERSO_FORWARD_FOOTPRINT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>

namespace verso {

struct Footprint {
  struct Part {
    /// A parameter of the function, or a global variable.
    llvm::Value *Base;
    bool IsWritten;
    /// Of the bounds in what Bounds returns: offsets of the first byte, and of
    /// the one behind the last. None if they are not known.
    std::optional<unsigned> Low;
  };
  llvm::SmallVector<Part, 8> Parts;
  /// Beside Parts: mathematical functions do, and allocations that fail. The
  /// function does not read it then.
  bool MaySetErrno = false;
  /// Of a bound in what Bounds returns: how many loads and stores a run makes,
  /// about; those of loops whose count is not known are counted once.
  unsigned Accesses = 0;
  /// `[n x i64] (parameters)`; of internal linkage, the caller's to erase.
  llvm::Function *Bounds = nullptr;
  /// Why there is no footprint; empty if there is one.
  std::string Why;
};

/// Whether \p I may come to errno. Memory of more bytes than an int is not it.
bool mayComeToErrno(const llvm::Instruction &I, llvm::AAResults &AA,
                    llvm::ScalarEvolution &SE);

Footprint findFootprint(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_FORWARD_FOOTPRINT_H
