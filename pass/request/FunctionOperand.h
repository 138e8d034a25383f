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
// function that always returns the same function; a phi or select of one
// function; a parameter of a local function that is called with one function
// only.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_FUNCTIONOPERAND_H
#define VERSO_REQUEST_FUNCTIONOPERAND_H

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace verso {

/// The function that \p V always is, or null.
llvm::Function *findFunction(llvm::Value *V);

} // namespace verso

#endif // VERSO_REQUEST_FUNCTIONOPERAND_H
