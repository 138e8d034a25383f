//===- NormalizeMoves.h - moves by the wrong type ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM moves what a union holds by the type of any of its members. What is only
// moved is moved as bytes here, which take along the image or the tangents of
// whatever they are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_NORMALIZEMOVES_H
#define VERSO_PREPARE_NORMALIZEMOVES_H

namespace llvm {
class Function;
class LoadInst;
} // namespace llvm

namespace verso {

/// A number that is loaded from a local object only to be stored again may be
/// anything, two floats in a union for one: it is moved as an integer, which
/// takes the image of every byte along. So is a double out of other memory that
/// the language leaves open and a local object gets, or that becomes a pointer
/// at once. So is a pointer of which the language
/// does not say that it is one: LLVM moves what a union holds by the type of
/// any member.
void normalizeMoves(llvm::Function &F);

/// Numbers that are chosen, where one may be the bits of a pointer or of a
/// union's shorter member, are chosen as integers: an ID has no room for a
/// shadow, nor for what is not its number's.
void chooseAsBits(llvm::Function &F);

/// Pointers that are exchanged atomically are exchanged as integers, which have
/// images of bytes.
void exchangeAsIntegers(llvm::Function &F);

/// The pointers alone; with \p OnlyCasts those of which some are cast from the
/// bits of a number.
void movePointersAsBytes(llvm::Function &F, bool OnlyCasts);

/// A double that is loaded and moved, but may be two floats of a union; null if
/// there is none.
const llvm::LoadInst *findFloatsMovedAsDouble(llvm::Function &F);

} // namespace verso

#endif // VERSO_PREPARE_NORMALIZEMOVES_H
