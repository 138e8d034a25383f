//===- NumberAccesses.h - the numbers behind a pointer ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a program may read or write numbers through a pointer, and where that
// is, seen from there: members of a structure are at fixed places, an array
// goes on from one. A pointer that is only compared, stored, or followed to
// other pointers and integers leads to none.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_NUMBERACCESSES_H
#define VERSO_ANALYSIS_NUMBERACCESSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class DataLayout;
class Instruction;
class Value;
} // namespace llvm

namespace verso {

/// A number that is accessed, so many bytes from a pointer.
struct NumberPlace {
  int64_t Begin;
  unsigned Bytes;
  bool GoesOn; ///< There may be more behind it.
};

struct NumberAccesses {
  bool Any = false;
  /// Those whose place is seen, in order. What functions without a body access
  /// is not among them.
  llvm::SmallVector<NumberPlace, 4> Places;
  bool AreAllPlaced = true;
};

/// By instructions for which \p IsOfInterest holds, and in what they call.
NumberAccesses numbersBehind(
    const llvm::Value *P, const llvm::DataLayout &DL,
    llvm::function_ref<bool(const llvm::Instruction &)> IsOfInterest =
        [](const llvm::Instruction &) { return true; });

} // namespace verso

#endif // VERSO_ANALYSIS_NUMBERACCESSES_H
