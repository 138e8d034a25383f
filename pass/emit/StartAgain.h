//===- StartAgain.h - a request that goes on by its tape --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the recto of a structured request comes to what was not to be expected
// (structured/Restarts.h), it starts again as another function of the same
// arguments, and all later requests begin there:
//
//   __verso_start_again(e, n)     =>     if (e) try { throw e } catch (...) {}
//   unreachable                          n times: __cxa_end_catch()
//                                        flag = 1
//                                        return other(arguments...)
//
// where e is the exception on whose way it is, null if there is none, and n the
// number of handlers that it is in.
// It stands for that until both functions are there. In between it is like a
// call that leaves the function by an exception, which ends what was begun.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_STARTAGAIN_H
#define VERSO_EMIT_STARTAGAIN_H

#include "llvm/IR/IRBuilder.h"

namespace verso {

llvm::CallInst *emitStartAgain(llvm::IRBuilderBase &B, llvm::Value *Exception,
                               llvm::Value *Handlers);
bool startsAgain(const llvm::CallBase &Call);

/// All that there are in \p M start again as \p Other, which has the parameters
/// and the type of their functions.
/// Returns the flag: a variable of one byte, which is not zero from then on.
llvm::GlobalVariable *lowerStartAgain(llvm::Module &M, llvm::Function &Other);

} // namespace verso

#endif // VERSO_EMIT_STARTAGAIN_H
