//===- Shielded.h - functions that optimisers leave alone -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the start of the pipeline to where requests are lowered some functions
// are neither inlined nor looked into: what they mean for derivatives is more
// than what they do. What judges for -verso-check is left alone to the end
// (markJudge).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_SHIELDED_H
#define VERSO_RULES_SHIELDED_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

void shield(llvm::Function &F);
/// F may be looked into again. It stays out of line.
void unshield(llvm::Function &F);

} // namespace verso

#endif // VERSO_RULES_SHIELDED_H
