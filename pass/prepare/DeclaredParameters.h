//===- DeclaredParameters.h - what a name says of arguments -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name of a C++ function has the types of its parameters in it, which are
// all pointers to LLVM. C's names say nothing.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_DECLAREDPARAMETERS_H
#define VERSO_PREPARE_DECLAREDPARAMETERS_H

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

/// "double*", "double const*", "std::allocator<double>&"; none if \p F is no
/// function of C++.
llvm::SmallVector<std::string, 4> declaredParameters(const llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_DECLAREDPARAMETERS_H
