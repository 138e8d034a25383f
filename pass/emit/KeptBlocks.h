//===- KeptBlocks.h - what a module's array held before ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of a Fortran module that is a local variable meanwhile
// (structured/OwnGlobals.h) has a block from before the request, whose size its
// descriptor says:
//
//   %block = load ptr, @array           %was = load ptr, @array
//                                       if an argument leads into it: fail
//                                  =>   %block = kept(%bytes, %was)
//
// kept() stands for its second argument. It is memory that the function has for
// itself, like what it allocates: no other pointer leads there, and its shadow,
// zero at first, is made for the request. Opaque until all are lowered.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_KEPTBLOCKS_H
#define VERSO_EMIT_KEPTBLOCKS_H

#include "llvm/IR/IRBuilder.h"

namespace verso {

/// The block at \p Was, of an array whose descriptor is \p Array.
llvm::Value *emitKept(llvm::IRBuilderBase &B, const llvm::GlobalVariable &Array,
                      llvm::Value *Bytes, llvm::Value *Was);
/// Whether \p Call is of kept(): its first argument is the number of bytes.
bool isKept(const llvm::CallBase &Call);
/// Makes \p F fail if an argument leads into a block that it keeps.
void checkKept(llvm::Function &F);

/// Takes them out, when all requests are lowered.
void lowerKept(llvm::Module &M);

} // namespace verso

#endif // VERSO_EMIT_KEPTBLOCKS_H
