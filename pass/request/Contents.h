//===- Contents.h - where types and integers hold numbers -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a parameter holds: real numbers, pointers, anything else. An ABI may
// pass a small struct that has numbers in it as an integer; nothing but the
// function's body tells. What is looked for there is what clang emits at -O0 (a
// store to a variable of the struct's type) and what is left of it after
// simplification (bits of the integer that are cast to a number).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_CONTENTS_H
#define VERSO_REQUEST_CONTENTS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Argument;
class Function;
class StructType;
class Type;
} // namespace llvm

namespace verso {

struct Contents {
  bool Real = false;
  bool Pointer = false;
  bool Other = false;
  bool Scalable = false;

  Contents &operator|=(const Contents &That);
};

Contents contentsOf(llvm::Type *T);

/// The scalars of \p T in order, without padding.
void flattenType(llvm::Type *T, llvm::SmallVectorImpl<llvm::Type *> &Scalars);

/// The number of real numbers in \p T.
unsigned countReals(llvm::Type *T);

/// rustc says of what is passed or returned in memory how many bytes it has,
/// and no more. Gives parameter \p A the type that the function's accesses
/// tell; false if they tell nothing.
bool tellNumbersInBytes(llvm::Argument &A);

/// The struct that integer parameter \p A carries, of its size, if there is a
/// real number in it; else null.
llvm::StructType *carriedStruct(llvm::Argument &A);

/// The same of what \p F returns: of an integer, or of a structure of
/// registers, the scalars of both.
llvm::StructType *carriedByReturn(llvm::Function &F);

} // namespace verso

#endif // VERSO_REQUEST_CONTENTS_H
