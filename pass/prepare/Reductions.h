//===- Reductions.h - reductions of vectors --------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that was vectorised before (by rustc, or with vector types) reduces
// vectors of numbers by intrinsics: llvm.vector.reduce.fadd, .fmul, .fmax and
// so on. They become operations on the elements, which have rules.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_REDUCTIONS_H
#define VERSO_PREPARE_REDUCTIONS_H

namespace llvm {
class Function;
}

namespace verso {

/// Elements are taken in their order, which is right whether the reduction may
/// be reassociated or not. (LLVM's own pass leaves maxima that may be NaN.)
void takeReductionsApart(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_REDUCTIONS_H
