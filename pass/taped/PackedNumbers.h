//===- PackedNumbers.h - numbers at any address, on the tape ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image begins with a granule of four bytes. Numbers of packed structs may
// begin anywhere: where an access may be one, it asks, and goes through the
// runtime (runtime/PackedNumbers.h), and so do copies and clears of parts of
// granules. Only modules that *hold packed numbers* pay for that; a program
// must not move bytes of such structs in other modules, but by memcpy.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPED_PACKEDNUMBERS_H
#define VERSO_TAPED_PACKEDNUMBERS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace verso {

/// Whether \p M has types with numbers at other distances than multiples of
/// four, or accesses such numbers, or has them in registers.
bool holdsPacked(const llvm::Module &M);

/// In a function of such a module: an integer that is chosen, of more than a
/// word and not of whole ones, is chosen as one of whole words. An image of
/// fewer bytes may have a part of an ID.
void widenChoices(llvm::Function &F);

/// Tells the runtime, before main.
void registerPacked(llvm::Module &M);

} // namespace verso

#endif // VERSO_TAPED_PACKEDNUMBERS_H
