//===- Variables.h - variables of emitted code become values ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM's PromoteMemToReg does, for many variables in a large function.
// That one walks the dominator tree below each store once for each variable,
// and variables of emitted sweeps are all set at the entry: thousands of
// variables and tens of thousands of blocks took two thirds of the compile time
// of a file. Here 64 variables go at a time, each a bit of a word, and only
// where they are live.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_VARIABLES_H
#define VERSO_EMIT_VARIABLES_H

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace verso {

/// Makes values of \p Variables, which are loaded and stored as a whole and
/// nothing else, and erases them. What is loaded before it was stored is undef.
/// \p DT stays valid: no block is changed.
void promoteVariables(llvm::ArrayRef<llvm::AllocaInst *> Variables,
                      llvm::DominatorTree &DT);

} // namespace verso

#endif // VERSO_EMIT_VARIABLES_H
