//===- RequestResult.h - what a request returns -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request returns its numbers in the type that the user declared: one number,
// a struct of them in order, or what the ABI made of such a struct.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_REQUESTRESULT_H
#define VERSO_REQUEST_REQUESTRESULT_H

#include "request/Request.h"

#include "llvm/IR/IRBuilder.h"

namespace verso {

/// \p Results, in order, as one value of type \p T.
llvm::Value *packResults(llvm::IRBuilderBase &B,
                         llvm::ArrayRef<llvm::Value *> Results, llvm::Type *T);

/// Replaces the request's call or invoke by one of \p F, delivers what it
/// returns where the user's call did, and drops markers that became unused.
/// Returns the new call.
llvm::CallBase &replaceByCall(Request &R, llvm::Function *F,
                              llvm::ArrayRef<llvm::Value *> Arguments);

} // namespace verso

#endif // VERSO_REQUEST_REQUESTRESULT_H
