//===- StagedCalls.h - calls whose JVP and VJP are given --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VERSO_CUSTOM_VJP(f, T, roles, counts, vjp, jvp) of verso.h: f reads and
// writes numbers behind its pointers, and the program says how their
// derivatives are computed. In differentiated code f works on a copy of them:
//
//   counts(n, x...)                 how many numbers each pointer leads to
//   from = {result, numbers by value, what the pointers lead to}
//   @f.staged.run(left, from, bytes, rest..., offsets...)     calls f
//   @f.staged(to, from, bytes, rest..., offsets..., left)     to = left
//   what f wrote, and its result = to
//
// So all that strategies have to know of f is one call, which is a copy from
// one block to another (KnownCall::Copy; the two are nobody else's) with
// something done to the copy: *staged*. Tangents are copied, and jvp makes of
// those of the copy what they are behind f; of adjoints vjp makes in the same
// place what they were before it, then they are copied back. Both see what f
// read, in `from`, and what it wrote, in `to`. On the tape it is one record
// (taped/StagedRecords.h), whose reverse is vjp.
//
// Strategies ask rules/Staged.h. In generated code vjp and jvp are calls of
// functions with bodies, which outer requests differentiate.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_STAGEDCALLS_H
#define VERSO_PREPARE_STAGEDCALLS_H

#include "prepare/CustomVjp.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace verso {

/// Emits, as the end of \p Front, which takes the place of \p Primal, its call
/// in stages and the return. The functions that this needs are added to \p Own;
/// they are internal, and to be given back to the optimiser (release).
void emitStagedCall(llvm::IRBuilderBase &B, llvm::Function &Front,
                    llvm::Function &Primal, const CustomVjp &Custom,
                    llvm::SmallVectorImpl<llvm::Function *> &Own);
/// What is not called any more is erased.
void releaseStaged(llvm::SmallVectorImpl<llvm::Function *> &Own);

} // namespace verso

#endif // VERSO_PREPARE_STAGEDCALLS_H
