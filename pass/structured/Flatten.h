//===- Flatten.h - the call tree of a request as one function ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inlines everything that a function calls and brings the result into the form
// that the rest of this folder relies on:
//   - calls are operations of the rule table, inactive, or library functions;
//   - floating-point instructions, loads and stores are scalar; there are no
//     masked accesses, no empty assembly and no computed labels;
//   - loops are simplified, rotated and in LCSSA form; control flow is
//     reducible; there is one return;
//   - invokes have a normal destination of their own, without phis;
//   - no unreachable blocks, debug records, tail calls or lifetime markers.
// What cannot be brought there is refused.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_FLATTEN_H
#define VERSO_STRUCTURED_FLATTEN_H

#include "structured/Refusal.h"
#include "structured/Targets.h"
#include "structured/parts/Parts.h"
#include "structured/recursion/Members.h"

#include "llvm/IR/PassManager.h"

namespace verso {

/// What becomes of recursive functions, and of other calls.
struct RecursionBy {
  /// Calls of them are calls of these members, or refused; if null, recursion
  /// becomes loops.
  Members *Kept = nullptr;
  /// Whether calls through pointers may make circles (LikelyTargets.h).
  bool ThroughPointers = false;
  /// Whether calls of functions that only release memory stay (Releasers.h).
  bool KeepsReleases = false;
  /// Functions that stay calls though they write; none if null.
  Parts *Split = nullptr;
  /// Whether static variables of functions are taken for initialised
  /// (StaticGuards.h), if the caller can make sure of that.
  bool IsInitialised = false;
};

/// \p Given are the arguments in the caller; none if it cannot make sure of
/// what is assumed of them, which is returned. \p IsAlone: nobody
/// differentiates the result, and it calls no members or parts (KeptBlocks.h,
/// Restarts.h).
std::vector<Assumption> flatten(llvm::Function &F,
                                llvm::FunctionAnalysisManager &FAM,
                                llvm::ArrayRef<llvm::Value *> Given,
                                RecursionBy How, bool IsAlone,
                                Refusals &Refused);

} // namespace verso

#endif // VERSO_STRUCTURED_FLATTEN_H
