//===- NamedArguments.h - arguments that are used by name -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A global variable that is an argument has a shadow where the function comes
// to it through that pointer. By its name it has none: what its numbers gave
// there would be missing in silence. So the numbers that a function accesses by
// the names of variables are compared with what is certainly there of the
// arguments: when the request is lowered where both are seen, when it begins
// where the argument's pointer is not followed to its variable. Members of the
// same variable that are no part of the argument are constants, as others are.
// Where it is not seen what is done with the variable's address, all of it is
// used.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_NAMEDARGUMENTS_H
#define VERSO_REQUEST_NAMEDARGUMENTS_H

#include "request/Request.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace verso {

class Diagnostics;

/// Notes in \p R what is to be compared when it begins. False after an error.
bool findNamedArguments(Request &R, llvm::FunctionAnalysisManager &FAM,
                        Diagnostics &D);

/// For each variable that \p R notes: a message, and whether an argument is in
/// the way. \p Inside gives the pointer of an argument, by its number, at \p B.
void compareNamedArguments(
    const Request &R, llvm::IRBuilderBase &B,
    llvm::function_ref<llvm::Value *(unsigned Argument)> Inside,
    llvm::function_ref<void(llvm::Value *Condition, llvm::StringRef Message)>
        FailIf);

} // namespace verso

#endif // VERSO_REQUEST_NAMEDARGUMENTS_H
