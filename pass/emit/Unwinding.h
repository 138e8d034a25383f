//===- Unwinding.h - requests that an exception leaves ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request that an exception leaves holds windows that other threads wait for.
// The function that began it ends it on the exception's way. (What a longjmp
// leaves, or an exception in a module whose language has none, is noticed by the
// thread's next request: runtime/ContextStack.h.)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_UNWINDING_H
#define VERSO_EMIT_UNWINDING_H

namespace llvm {
class Constant;
class Function;
} // namespace llvm

namespace verso {

/// Of \p F, or of its module's language; null where nothing in it takes part in
/// unwinding.
llvm::Constant *findPersonality(const llvm::Function &F);

/// If \p F begins a request that holds windows.
void endLeftRequests(llvm::Function &F);

} // namespace verso

#endif // VERSO_EMIT_UNWINDING_H
