//===- MovedPointers.h - words in which pointers are moved ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM copies eight bytes that nobody says the type of (the buffer of a
// std::function) as an integer:
//
//   %i = load i64, p                       %x = load ptr, p
//   store i64 %i, q                 =>     store ptr %x, q
//   store i64 ptrtoint (@f), r             store ptr @f, r
//
// where pointers lie in p and nothing else does, by what the function stores
// there. (What types say is PointersAsIntegers.h.)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_MOVEDPOINTERS_H
#define VERSO_STRUCTURED_MEMORY_MOVEDPOINTERS_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"

namespace verso {

/// Returns whether there were any.
bool moveWordsAsPointers(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_MOVEDPOINTERS_H
