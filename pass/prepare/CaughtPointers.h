//===- CaughtPointers.h - pointers that are thrown --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler of pointers gets from __cxa_begin_catch what was thrown, not the
// place that it was stored in, so nothing leads to its shadow. The place is
// behind the exception's header (Itanium C++ ABI, 2.2.1), where Clang looks for
// a pointer that is caught by reference, too:
//
//   p = __cxa_begin_catch(e)   ->   q = p == e + 32 ? p : *(e + 32)
//                                   p == q ? q : p
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_CAUGHTPOINTERS_H
#define VERSO_PREPARE_CAUGHTPOINTERS_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

/// In functions with handlers of pointers, these load what they get from where
/// it was stored. Pointers to bases, which are moved, stay as they are.
void loadCaughtPointers(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_CAUGHTPOINTERS_H
