//===- NumberCopies.h - copies that move no pointers ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What memory of the caller holds before the request is not known, so a copy of
// it may move any pointer anywhere, and all that is loaded later may be what it
// moved. That is seldom so: vectors of numbers are assigned to one another.
// A copy is one of numbers alone if accesses show, or the language declares,
// that all of it is numbers (CertainCells.h), and nobody loads or stores what
// may be a pointer there.
//
// Who reverses such copies takes them for numbers as well.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_NUMBERCOPIES_H
#define VERSO_STRUCTURED_MEMORY_NUMBERCOPIES_H

#include "structured/memory/Objects.h"

namespace verso {

/// Those of \p Copies that move numbers alone; \p O is of \p F, and takes none
/// of them to move pointers that nothing in F stores.
llvm::DenseSet<const llvm::CallBase *>
copiesOfNumbers(llvm::Function &F, const Objects &O,
                llvm::ArrayRef<llvm::CallBase *> Copies,
                const llvm::TargetLibraryInfo *TLI);

/// Copies of the library's of what \p F may access as something else, and of
/// which the language does not say that it is no number (a pointer that is kept
/// as one), are copies of bytes: their tags (prepare/LibraryCopies.h) go.
void forgetContradictedCopies(llvm::Function &F, const Objects &O);

/// Whether \p F may access as numbers, by accesses of which the language does
/// not say so (memcpy), what copies are declared to move as integers: no such
/// declaration is believed then, since what is read may have gone through other
/// structures.
bool readsIntegersAsNumbers(llvm::Function &F, const Objects &O);

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_NUMBERCOPIES_H
