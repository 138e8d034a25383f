//===- Companion.h - what travels beside a value ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The companion of an SSA value is what the taped strategy carries beside it:
//
//   real number   i32      its relative ID, 0 when inactive
//   pointer       ptr      the user's shadow; itself (or null) when untracked
//   integer iN    iN       the image of its bytes (Layout.h)
//   vector, array, struct  the same, element by element
//
// A companion of all zeros always means "nothing to differentiate".
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_COMPANION_H
#define VERSO_EMIT_COMPANION_H

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"

namespace verso {

/// The type of the companion of a value of type \p T; null for void, tokens
/// and other types that are no first-class data.
llvm::Type *companionType(llvm::Type *T);

/// Whether a value of type \p T can carry anything: false for i1 and void.
bool canCarry(llvm::Type *T);

/// Whether a value of type \p T can carry a pointer, as one or as its bytes.
/// Integers of other sizes than pointers' are taken for numbers.
bool canCarryPointer(llvm::Type *T);

/// Whether \p T holds a real number somewhere.
bool holdsReal(llvm::Type *T);

/// The companion of an inactive value of type \p T.
llvm::Constant *zeroCompanion(llvm::Type *T);

/// The cell kind (verso_cell_kind) of a real scalar type, or -1 for one that
/// has no cells (fp128, ppc_fp128).
int cellKind(llvm::Type *T);

/// How the shadow of a cell is aligned that the program accesses as \p T with
/// \p Primal: over-aligned memory may have a shadow that is an ordinary array.
llvm::Align shadowAlignment(llvm::Type *T, llvm::Align Primal,
                            const llvm::DataLayout &DL);

} // namespace verso

#endif // VERSO_EMIT_COMPANION_H
