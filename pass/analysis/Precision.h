//===- Precision.h - how exactly a function computes ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_PRECISION_H
#define VERSO_ANALYSIS_PRECISION_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

/// The bits of the mantissa of the narrowest real type, at most double's 53,
/// that \p F or what it refers to computes with.
unsigned precisionOf(const llvm::Function &F);

} // namespace verso

#endif // VERSO_ANALYSIS_PRECISION_H
