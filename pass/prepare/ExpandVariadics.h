//===- ExpandVariadics.h - variadic calls as ordinary ones ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A direct call of a variadic function with a body becomes a call of the
// function's expansion: an internal clone that takes, instead of variable
// arguments, a pointer to an area in the caller's frame,
//
//     0  general-purpose registers, 6 of 8 bytes     what va_start calls the
//    48  vector registers, 8 of 16 bytes             register save area
//   192  arguments on the stack, those with a name included
//
// The caller stores its variable arguments where the System V ABI of x86-64
// passes them, and va_start of the expansion makes a list that leads into the
// area. So va_arg, which clang has expanded into loads, and library functions
// that are handed the list, find every argument. (An area with a stack alone
// would be simpler. But a struct in two registers may be aligned to 16 bytes,
// which va_arg respects on the stack, and the call does not show it.)
//
// va_copy becomes a copy of memory, which takes images along.
//
// Left alone, and for the strategies to report: calls through pointers, types
// whose place is not known here, other calling conventions and targets, and
// functions that forward their arguments by musttail.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_EXPANDVARIADICS_H
#define VERSO_PREPARE_EXPANDVARIADICS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
class Instruction;
class Module;
class TargetLibraryInfo;
} // namespace llvm

namespace verso {

/// Expansions are shared by all callers; they are not prepared themselves yet.
void expandVariadics(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

/// Whether \p I stores a variable argument, which is read as what it is.
bool isVariableArgument(const llvm::Instruction &I);

/// Whether \p I stores a variable argument that is an integer: no part of a
/// number that is larger.
bool isVariableInteger(const llvm::Instruction &I);

/// Deletes the expansions, once nothing is differentiated any more.
void releaseExpansions(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_PREPARE_EXPANDVARIADICS_H
