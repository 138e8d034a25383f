//===- Changes.h - what inactive functions change ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inactive function of the library has no effect on numbers, but perhaps on
// much else. Of some it is known what they change, so that whoever calls them
// with memory of his own may call them again (structured/Restarts.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_CHANGES_H
#define VERSO_RULES_CHANGES_H

#include "llvm/IR/Function.h"

namespace verso {

/// Nothing; what the first argument points to; what any of them does; anything
/// that there is.
enum class Changes { Nothing, First, Arguments, Anything };
Changes changesOf(const llvm::Function &F);

/// Whether \p F prints to memory, and reads and changes nothing else.
bool printsToMemory(const llvm::Function &F);

} // namespace verso

#endif // VERSO_RULES_CHANGES_H
