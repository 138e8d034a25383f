//===- DeadFunctions.h - what nothing leads to ------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of a whole program may hold a library of which little is used, such
// as Rust's, with tables of virtual functions that nobody looks at. Nothing has
// to be generated for those.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_DEADFUNCTIONS_H
#define VERSO_ANALYSIS_DEADFUNCTIONS_H

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace verso {

/// The functions of \p M that may be dropped without anybody's missing them.
llvm::SmallPtrSet<const llvm::Function *, 16>
findDeadFunctions(const llvm::Module &M);

} // namespace verso

#endif // VERSO_ANALYSIS_DEADFUNCTIONS_H
