//===- Versions.h - one of two functions, at run time -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_VERSIONS_H
#define VERSO_STRUCTURED_VERSIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace verso {

/// Emits a value for a function with these arguments.
using EmitFor = llvm::function_ref<llvm::Value *(
    llvm::IRBuilderBase &, llvm::ArrayRef<llvm::Value *> Arguments)>;

/// Emits f(arguments...) { return condition ? then : otherwise; }, which gets
/// the type, the name and the attributes of \p Like. That it is so is likely.
llvm::Function *emitVersions(llvm::Function &Like, EmitFor Condition,
                             EmitFor Then, EmitFor Otherwise);

} // namespace verso

#endif // VERSO_STRUCTURED_VERSIONS_H
