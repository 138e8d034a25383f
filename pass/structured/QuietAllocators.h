//===- QuietAllocators.h - allocators that touch nothing else ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library's allocators touch nothing that the program sees: what was stored
// in an object before one is called is there afterwards, too, though LLVM may
// not know it (others may know the object, and operator new may be the
// program's). Not where it may be the program's, in another file, and count in
// a variable that is read.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_QUIETALLOCATORS_H
#define VERSO_STRUCTURED_QUIETALLOCATORS_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"

namespace verso {

/// Tells LLVM so of the calls in \p F. Returns whether there are any.
bool quietAllocators(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

} // namespace verso

#endif // VERSO_STRUCTURED_QUIETALLOCATORS_H
