//===- NormalizeMath.h - math library calls as scalar operations *- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brings the calls of the math library in a function that is about to be
// differentiated into forms that Operation::match() knows. Afterwards
//
//   * no function of the table is invoked, nor one that copies or clears memory
//     (memcpy, memset): where it is inlined an invoke may have become of a call;
//   * none writes through a pointer: sincos is llvm.sin and llvm.cos, the others
//     (modf, frexp, remquo, lgamma_r) return {real, second result} from an
//     internal, noinline function that carries Operation::RuleAttribute; the
//     results are stored by ordinary stores;
//   * complex operands and results are scalars, whatever the ABI made of them
//     (<2 x float>, byval, [2 x T]): through such functions likewise;
//   * cabs, carg, creal, cimag and conj are hypot, atan2 and moves;
//   * each result of a call that returns two is used through extractvalue only.
//
// Values that the program computes do not change by a bit. Debug locations and
// fast-math flags are kept. The CFG changes where an invoke becomes a call.
//
// The functions made here have bodies that are not to be instrumented; a callee
// with Operation::RuleAttribute is an operation like sin. Once nothing is
// differentiated any more they may be inlined: releaseMathFunctions().
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_NORMALIZEMATH_H
#define VERSO_PREPARE_NORMALIZEMATH_H

namespace llvm {
class Function;
class Module;
class TargetLibraryInfo;
} // namespace llvm

namespace verso {

/// Returns whether F changed. Applying it twice changes nothing more.
bool normalizeMath(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);

/// Allows the functions that normalizeMath() made to be inlined, and deletes
/// those that are no longer called.
void releaseMathFunctions(llvm::Module &M);

} // namespace verso

#endif // VERSO_PREPARE_NORMALIZEMATH_H
