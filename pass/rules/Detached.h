//===- Detached.h - values without a derivative -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an inactive function does is constant, whatever it was computed from.
// Where its body becomes part of differentiated code, calls say so:
//
//   detached(x)        x, without its derivative. Integers too, which may hold
//                      the bits of numbers; what is an address stays one.
//   detach(p, bytes)   the numbers there have none from here on. Pointers are
//                      left alone. What the user says by verso_detach, too.
//
// No mark on an instruction would do, which LLVM may drop. They are opaque
// until all requests are lowered, as the calls of Zero.h are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_DETACHED_H
#define VERSO_RULES_DETACHED_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace verso {

/// \p X without its derivative: numbers, integers, vectors and structures of
/// them. Its pointers are as they were.
llvm::Value *emitDetached(llvm::IRBuilderBase &B, llvm::Value *X);
/// Whether emitDetached changes something of type \p T.
bool mayBeDetached(const llvm::Type *T);
/// Whether \p Call is of detached().
bool isDetachedValue(const llvm::CallBase &Call);

void emitDetachNumbers(llvm::IRBuilderBase &B, llvm::Value *P,
                       llvm::Value *Bytes);
/// Whether \p Call is of detach(), or of verso_detach.
bool detachesNumbers(const llvm::CallBase &Call);

/// Constants are what they are.
void foldDetached(llvm::Function &F);

/// Takes them out, when all requests are lowered.
void lowerDetached(llvm::Module &M);

} // namespace verso

#endif // VERSO_RULES_DETACHED_H
