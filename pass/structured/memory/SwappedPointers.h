//===- SwappedPointers.h - double buffering ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers that a loop swaps may point to all that any of them points to, for
// an analysis that knows no order. But in one iteration no two of them are the
// same, if they are not when the loop is entered, and each iteration leaves
// them to the next one in another order:
//
//   now  = phi [a, entry], [then, latch]
//   then = phi [b, entry], [now, latch]
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_SWAPPEDPOINTERS_H
#define VERSO_STRUCTURED_MEMORY_SWAPPEDPOINTERS_H

#include "structured/memory/Objects.h"

#include "llvm/Analysis/LoopInfo.h"

namespace verso {

/// Whether \p P and \p Q are based on such pointers of a loop around \p L, two
/// of them, so that while L is run once they never come to the same byte.
bool areSwapped(const llvm::Value *P, const llvm::Value *Q, const llvm::Loop &L,
                const llvm::LoopInfo &LI, const Objects &O);

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_SWAPPEDPOINTERS_H
