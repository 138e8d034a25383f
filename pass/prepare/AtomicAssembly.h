//===- AtomicAssembly.h - atomic operations as assembly ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries older than C11 have their own atomic operations, of one instruction
// of x86: `asm("lock; cmpxchg %3, %0; setz %1" ...)` pops a node of a list. In
// the clone that is differentiated xchg, cmpxchg (with setz or sete behind it),
// xadd, inc, dec, add, sub, and, or and xor of an integer or a pointer in
// memory become LLVM's instructions, which are sequentially consistent as those
// with `lock` are. What else the assembly does, or gives, leaves it as it is.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_ATOMICASSEMBLY_H
#define VERSO_PREPARE_ATOMICASSEMBLY_H

#include "llvm/IR/Function.h"

namespace verso {

void expandAtomicAssembly(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_ATOMICASSEMBLY_H
