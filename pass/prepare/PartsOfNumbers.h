//===- PartsOfNumbers.h - what overwrites parts of numbers ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store of some bytes of a number leaves one whose derivative nobody knows.
// The tape cannot tell it from a flag that is stored where a number has been
// before; what the memory is used for can: it is a variable of numbers, or of
// integers as large, which may be their bits, or a block of the heap in which
// numbers are accessed, here or by the function that hands a pointer to it on.
// Of a pointer that comes out of memory nobody knows: if a number is there at
// the moment, it is taken for one.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_PARTSOFNUMBERS_H
#define VERSO_PREPARE_PARTSOFNUMBERS_H

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace verso {

/// Marks the stores, memsets and copies of text of \p F, which is prepared of
/// \p Original, that may overwrite a part of a number and nothing else.
void markPartsOfNumbers(llvm::Function &F, const llvm::Function &Original);

bool overwritesPartOfNumber(const llvm::Instruction &I);

} // namespace verso

#endif // VERSO_PREPARE_PARTSOFNUMBERS_H
