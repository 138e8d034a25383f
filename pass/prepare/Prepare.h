//===- Prepare.h - brings a clone into normal form --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Guarantees, whatever the optimisation level of the user's code:
//   - allocas are promoted where they can be, expressions are simplified;
//   - floating-point instructions, loads and stores are scalar;
//   - there are no unreachable blocks, no debug records, no tail calls;
//   - the normal destination of an invoke has no other predecessor and no phi;
//   - byval arguments are explicit copies;
//   - direct calls of variadic functions pass their variable arguments in
//   memory
//     (ExpandVariadics.h);
//   - empty assembly hides nothing (EmptyAssembly.h), that of atomic operations
//     is LLVM's (AtomicAssembly.h); there are no masked accesses;
//   - verso_is_differentiated() is 1, and what stands behind 0 is gone;
//   - math functions with pointer results are replaced (NormalizeMath.h), and
//     library functions that call back or move pointers (VERSO_BODY in
//     rules/Bodies.def) or are of BLAS (NumericalLibraries.h).
// The function computes what it computed, bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_PREPARE_H
#define VERSO_PREPARE_PREPARE_H

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// \p ForTape: reductions are unrolled, so that a record of the tape covers
/// several steps; else loops stay as they are.
void prepareFunction(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                     bool ForTape);

/// Library functions that call back or move pointers, and BLAS, by bodies that
/// can be differentiated. Returns whether any asks arrays for type and shape,
/// as Fortran's do.
bool replaceLibrary(llvm::Function &F, bool IsFlattened);
bool hasBodyOfOurs(const llvm::Function &F);
/// A body that needs what it stands for calls __verso_library_<name>, a name
/// that is not replaced. When all requests are lowered it is that function.
void nameLibrary(llvm::Module &M);

/// verso_is_differentiated() is 1: \p F is what a request runs. The
/// simplifications that follow remove what stands for the other case, which may
/// hold what cannot be differentiated.
bool answerIsDifferentiated(llvm::Function &F);

/// -verso-check is no part of what an outer request differentiates: requests
/// that are made while one runs are not checked (__verso_check_fork).
void dropChecks(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_PREPARE_H
