//===- OutlineAccesses.h - accesses of large functions as calls -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the tape a load or a store of a number becomes some fifty instructions in
// eight blocks. In a loop they are the fast way; in straight-line code, which
// runs each of them once, they fill the instruction cache and make the compiler
// take a hundred times as long. There the access is made by a function of its
// own, so that its twin stands in the module once.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_OUTLINEACCESSES_H
#define VERSO_PREPARE_OUTLINEACCESSES_H

#include "llvm/IR/Function.h"

namespace verso {

/// Replaces the accesses of blocks that have many of them. \p F is a clone of
/// \p Original, whose callers say whether it is run in a loop.
void outlineAccesses(llvm::Function &F, const llvm::Function &Original);

/// Whether \p F is a function that makes an access; it is not to be inlined.
bool isAccessor(const llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_OUTLINEACCESSES_H
