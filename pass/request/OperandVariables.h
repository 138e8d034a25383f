//===- OperandVariables.h - operands that come through variables -*- C++
//-*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wrapper that is always inlined may collect a request's operands in a tuple
// (Enzyme's header for C++ does). At -O0 the tuple stays in memory, where no
// marker can be told from a number, and no function from another.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_OPERANDVARIABLES_H
#define VERSO_REQUEST_OPERANDVARIABLES_H

#include "llvm/IR/PassManager.h"

namespace verso {

/// Replaces the local variables of functions in which markers, or the function
/// that is differentiated, come to a request through some. Others are left as
/// they are: what a debugger sees at -O0 depends on it.
void promoteOperandVariables(llvm::Module &M,
                             llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_REQUEST_OPERANDVARIABLES_H
