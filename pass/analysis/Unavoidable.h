//===- Unavoidable.h - what runs whenever a request does --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has no derivative is an error of the compiler where every run of the
// request comes to it. Where some do not, it is one of the program, by those
// that do: Eigen reduces the arguments of its sines in integers, but only where
// they are huge.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_UNAVOIDABLE_H
#define VERSO_ANALYSIS_UNAVOIDABLE_H

namespace llvm {
class BasicBlock;
class Function;
} // namespace llvm

namespace verso {

/// Whether every run of the request that returns comes to \p Block. Loops may
/// have no iterations.
bool isUnavoidable(const llvm::BasicBlock &Block);

/// \p Twin is called where not every run comes to.
void markAvoidable(llvm::Function &Twin);

} // namespace verso

#endif // VERSO_ANALYSIS_UNAVOIDABLE_H
