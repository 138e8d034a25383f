//===- DirectBase.h - where direct IDs count from ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A direct ID names a cell of any of the request's shadows by its distance from
// one base. That is no pointer arithmetic that an outer request could follow.
// So the base is opaque until all requests are lowered, and where a request is
// part of a differentiated function, it becomes one that no cell is in reach
// of.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_DIRECTBASE_H
#define VERSO_EMIT_DIRECTBASE_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace verso {

/// The cell of direct ID 0 for a request whose first shadow is \p Shadow.
llvm::Value *directBase(llvm::IRBuilderBase &B, llvm::Value *Shadow);

/// One that no cell is in reach of: without direct IDs.
llvm::Value *unreachableBase(llvm::IRBuilderBase &B);

/// No direct IDs in \p F, which is about to be differentiated.
void forbidDirectIds(llvm::Function &F);

/// Replaces what directBase() emitted by arithmetic.
void lowerDirectBases(llvm::Module &M);

} // namespace verso

#endif // VERSO_EMIT_DIRECTBASE_H
