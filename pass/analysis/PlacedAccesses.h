//===- PlacedAccesses.h - what is accessed behind a pointer -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a program accesses memory through a pointer, in bytes from there:
// members of a structure are at fixed places, an array goes on from one. What
// is not followed (a pointer that is stored, that becomes an integer, that is
// given to who knows whom) may be accessed anywhere. A pointer that is only
// compared, or given to an inactive function, is not.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_PLACEDACCESSES_H
#define VERSO_ANALYSIS_PLACEDACCESSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class DataLayout;
class Instruction;
class Value;
} // namespace llvm

namespace verso {

/// Bytes of which some are accessed: all of them where both ends are fixed
/// places, else those of an element of an array.
struct PlacedAccess {
  int64_t Begin, End; ///< INT64_MIN and INT64_MAX: no end is known.
  int64_t Fixed;      ///< What was added to the pointer but for indices.
  bool IsNumber;      ///< By the type of the access, or a copy.
};

struct PlacedAccesses {
  llvm::SmallVector<PlacedAccess, 4> Places; ///< By their beginnings.
  bool AreAll = true;     ///< What is accessed is somewhere in Places.
  bool AnyNumber = false; ///< Numbers are accessed, or may be.
};

/// By instructions for which \p IsOfInterest holds, and in what they call.
PlacedAccesses accessesBehind(
    const llvm::Value *P, const llvm::DataLayout &DL,
    llvm::function_ref<bool(const llvm::Instruction &)> IsOfInterest =
        [](const llvm::Instruction &) { return true; });

} // namespace verso

#endif // VERSO_ANALYSIS_PLACEDACCESSES_H
