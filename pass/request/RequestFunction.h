//===- RequestFunction.h - the function that serves a request ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every request becomes a call of a function of its own, whose parameters are
// the values that the request refers to. A strategy derives from this and emits
// the body.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_REQUESTFUNCTION_H
#define VERSO_REQUEST_REQUESTFUNCTION_H

#include "request/Request.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace verso {

class RequestFunction {
protected:
  /// An internal function `<Prefix><primal>`, with an empty block at B.
  RequestFunction(Request &R, llvm::StringRef Prefix);

  /// What stands inside for \p V of the caller.
  llvm::Value *inside(llvm::Value *V) const {
    return llvm::isa<llvm::Constant>(V) ? V : Inside.lookup(V);
  }
  /// A string that names the request's place, for messages at run time.
  llvm::Value *where();
  /// Where the primal follows pointers of variables: tells the runtime where a
  /// pointer with a shadow leads (EarlierPointers.h).
  void noteArgument(const RequestArgument &A, llvm::Value *Context,
                    bool IsForward);
  /// No argument with a shadow is used by name as well (NamedArguments.h).
  void refuseNamedArguments();
  /// Returns \p Results in the type that the user declared, and replaces the
  /// request by a call, which is returned.
  llvm::CallBase &finish(llvm::ArrayRef<llvm::Value *> Results);

  Request &R;
  llvm::Function *F = nullptr;
  llvm::IRBuilder<> B;

private:
  llvm::SmallVector<llvm::Value *, 16> Passed;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Inside;
};

} // namespace verso

#endif // VERSO_REQUEST_REQUESTFUNCTION_H
