//===- InactiveVariables.h - variables marked as constant -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read from a variable that the user marked verso_inactive is constant,
// whatever was stored there:
//
//   load k   =>   detached(load k)
//
// Said before optimisers run, which would put the stored value in the place of
// the load.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_INACTIVEVARIABLES_H
#define VERSO_PREPARE_INACTIVEVARIABLES_H

namespace llvm {
class Module;
} // namespace llvm

namespace verso {

/// In all functions of \p M, whose marks are applied (applyInactiveMarks).
/// Returns whether there is any such variable.
bool detachInactiveVariables(llvm::Module &M);

} // namespace verso

#endif // VERSO_PREPARE_INACTIVEVARIABLES_H
