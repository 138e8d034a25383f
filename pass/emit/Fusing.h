//===- Fusing.h - whether products and sums may be one ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_FUSING_H
#define VERSO_EMIT_FUSING_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

/// Whether products and sums of \p F may be fused (-ffp-contract). The sums of
/// ours have no order that the program defines, so they may be then too.
bool mayFuse(const llvm::Function &F);

} // namespace verso

#endif // VERSO_EMIT_FUSING_H
