//===- ForwardRequest.h - a forward-mode request ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_FORWARDREQUEST_H
#define VERSO_FORWARD_FORWARDREQUEST_H

#include "request/Request.h"
#include "twins/Twins.h"

namespace verso {

/// Replaces the call of \p R by a call of a function of its own that calls the
/// twin with the tangents given, and returns that function. The result holds,
/// in order: the value, if it is wanted, and the tangents of the returned value
/// in each direction.
llvm::Function *lowerForward(Request &R, Twins &Registry);

/// Leaves mapped memory out of \p F, a function that lowerForward() returned or
/// a twin of one, if no function that it reaches needs any; a request that has
/// none left may be inlined. To be called when all twins are built and
/// optimised.
void dropUnusedContext(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace verso

#endif // VERSO_FORWARD_FORWARDREQUEST_H
