//===- Halves.h - two-byte numbers in memory, on the tape -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image has no room for the ID of a number of two bytes: their accesses go
// through the runtime (runtime/Halves.h), and so do copies and clears of parts
// of four-byte granules. Only modules that *hold halves*, accesses or variables
// of such types, pay for that; a program must not move halves of granules in
// other modules.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPED_HALVES_H
#define VERSO_TAPED_HALVES_H

namespace llvm {
class Function;
class Module;
class Type;
} // namespace llvm

namespace verso {

/// Whether \p T is half or bfloat.
bool isHalf(const llvm::Type *T);

/// Of which kinds the numbers are that \p M holds: a bit for each
/// verso_cell_kind.
unsigned halvesIn(const llvm::Module &M);

/// In a function of such a module: local variables begin with a granule, and an
/// integer that is only moved from one place to the next, as InstCombine makes
/// it of a small memcpy, is a memmove again.
void keepMovesTogether(llvm::Function &F);

/// Tells the runtime of these kinds, before main.
void registerHalves(llvm::Module &M, unsigned Kinds);

} // namespace verso

#endif // VERSO_TAPED_HALVES_H
