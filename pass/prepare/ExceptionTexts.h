//===- ExceptionTexts.h - what() of what was caught -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catch (const std::exception &e) { log(e.what()); }
//
// is a call through a pointer, which may lead to any class. Whichever it is
// gives a text, which has no derivative: the call becomes one of a function of
// the runtime that makes it.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_EXCEPTIONTEXTS_H
#define VERSO_PREPARE_EXCEPTIONTEXTS_H

#include "llvm/IR/Function.h"

namespace verso {

/// Returns whether there was such a call in \p F. Not if a class of the module
/// has a what() that may write, or one is thrown there whose what() is in
/// another file. Taken for granted: what() of a class that only other files
/// know changes no number.
bool nameTextsOfExceptions(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_EXCEPTIONTEXTS_H
