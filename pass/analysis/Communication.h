//===- Communication.h - functions that others wait for ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Others may wait for each call that a request makes of such a function, and for
// each derivative of one (rules/Staged.h): they know how many there are. So its
// requests are made as the program has them, as often as it says.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_COMMUNICATION_H
#define VERSO_ANALYSIS_COMMUNICATION_H

#include "llvm/IR/Function.h"

namespace verso {

/// Whether a call that communicates is in \p F or in something of the module
/// that it refers to, directly or not.
bool mayCommunicate(const llvm::Function &F);

} // namespace verso

#endif // VERSO_ANALYSIS_COMMUNICATION_H
