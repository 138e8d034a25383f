//===- LibraryVirtuals.h - virtual functions of the C++ library -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call through a pointer finds the twins of functions that some module names.
// What lies behind a virtual table of the C++ library, such as e.what(), no
// module names; so C++ modules with calls of that kind declare it, weakly.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TWINS_LIBRARYVIRTUALS_H
#define VERSO_TWINS_LIBRARYVIRTUALS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"

namespace verso {

/// Declares the functions of a type that \p IsCalled and adds them, without
/// those of which the module has the body, to \p Declared. Weakly: they are
/// null where no library has them.
void declareLibraryVirtuals(
    llvm::Module &M, llvm::function_ref<bool(llvm::FunctionType *)> IsCalled,
    llvm::SmallPtrSetImpl<const llvm::Function *> &Declared);

} // namespace verso

#endif // VERSO_TWINS_LIBRARYVIRTUALS_H
