//===- Trampolines.h - nested functions as arguments ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An internal procedure of Fortran that uses variables around it is handed on
// as the address of code that its host writes on the stack, of which there is
// no derivative:
//
//   init.trampoline(t, g, variables);  integrate(adjust.trampoline(t), a, b)
//
// Once the callee is inlined into the host, LLVM makes direct calls of it,
// g(nest variables, ...), and nobody needs the code.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_TRAMPOLINES_H
#define VERSO_PREPARE_TRAMPOLINES_H

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace verso {

/// Whether \p Call hands a trampoline on.
bool takesTrampoline(const llvm::CallBase &Call);

/// Removes those of \p F whose address nobody takes any more.
bool dropTrampolines(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_TRAMPOLINES_H
