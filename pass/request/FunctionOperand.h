//===- FunctionOperand.h - which function a request names -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request needs to know its function when the program is compiled. Found are,
// also at -O0, where nothing is simplified: a function, an alias that cannot be
// replaced, casts of these; a local variable that is written once; a constant
// global; the conversion of a lambda to a function pointer, and any call of a
// function that always returns the same function; a phi or select; a parameter
// of a local function; an element of a constant array. Where it may be one of
// several, the program chooses between a request of each.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_FUNCTIONOPERAND_H
#define VERSO_REQUEST_FUNCTIONOPERAND_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class Value;
} // namespace llvm

namespace verso {

/// The function that \p V always is, or null.
llvm::Function *findFunction(llvm::Value *V);

/// The request that \p Call makes, or one for each function that it may be of.
llvm::SmallVector<llvm::CallBase *, 1> requestsByFunction(llvm::CallBase &Call);

} // namespace verso

#endif // VERSO_REQUEST_FUNCTIONOPERAND_H
