//===- CutOff.h - what is cut off at a pole ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   m = max(0, x); q = m / y; r = sqrt(|q|)
//
// Where x is negative, m is zero whatever x is, so q is zero whatever y is, and
// r is constant around there. The partials say infinity times zero. So where a
// choice has a constant zero, what is zero with it (products, quotients of it,
// absolute values, in registers) and comes to an operation with a pole is
// marked, and its partials of zero make zero of an infinite adjoint.
//
// Not what comes to zero on its own: cbrt(x * x * x) varies at zero, and so does
// what another condition chooses (n > 0 ? x : 0, where x is zero). A choice is a
// maximum, a minimum, fdim, or x > 0 ? x : 0. Sums end it, and so does memory.
//
// The marks are found once a function is prepared; a change of its operations
// invalidates them.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_CUTOFF_H
#define VERSO_RULES_CUTOFF_H

namespace llvm {
class Function;
class TargetLibraryInfo;
class Value;
} // namespace llvm

namespace verso {

void markCutOffs(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

/// Whether \p V is a zero that does not vary, where it is one.
bool isCutOff(const llvm::Value *V);

} // namespace verso

#endif // VERSO_RULES_CUTOFF_H
