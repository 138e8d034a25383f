//===- MixedUnions.h - unions of numbers of several types -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   struct T { int tag; union { double d; float f[2]; }; } *v;
//   struct T t = v[1];
//   if (t.tag == 0)
//     t.d *= 2;
//   v[0] = t;
//
// LLVM makes a double of t's union, and that of v[1] may be two floats: what is
// added to their adjoints would be a double. Its type of a union has one
// member, the largest, so what else a union holds is taken from what the file
// does with pointers to it. Variables of unions in which the same bytes are
// numbers of two types stay in memory until gradients are emitted, and copies
// of them are told to be of any type (DeclaredKind::Mixed), by a call beside
// them as well: LLVM drops descriptions of copies that it joins. Calls that
// hand such unions on in registers, of one type again, are inlined; so are
// those of structures with a vector of two floats, which are handed on as a
// double. In such files the tape tells a float from a double of the same bytes
// (VERSO_CELL_MEMBER).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_MIXEDUNIONS_H
#define VERSO_PREPARE_MIXEDUNIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class MemTransferInst;
class Module;
class StructType;
class Type;
class Value;
} // namespace llvm

namespace verso {

/// Whether clang calls \p T a union.
bool isUnion(const llvm::Type &T);

class MixedUnions {
public:
  /// At the start of the pipeline, where addresses still have types.
  explicit MixedUnions(llvm::Module &M);
  bool contains(const llvm::Type *T) const { return Mixed.contains(T); }
  /// Lets variables stay in memory in which such unions are. Where others are,
  /// LLVM is not told of a member's type, which would become that of what is
  /// copied through them. Whether there are any.
  bool keepVariables(llvm::Module &M) const;

private:
  bool keepVariables(llvm::Function &F,
                     llvm::SmallVectorImpl<llvm::Function *> &Handed) const;
  bool isIn(const llvm::Type &T) const;
  llvm::SmallPtrSet<const llvm::Type *, 4> Mixed;
};

/// Says that the \p Bytes bytes at \p P of a copy are of such a union.
void noteMixed(llvm::MemTransferInst &Copy, llvm::Value *P, uint64_t Offset,
               uint64_t Bytes);

/// Calls \p Do with what was noted: the first byte, and how many there are.
void eachMixed(
    const llvm::Function &F,
    llvm::function_ref<void(const llvm::Value *, uint64_t Bytes)> Do);

/// Whether anything is kept or noted.
bool holdsMixedUnions(const llvm::Module &M);

/// Nothing is kept or noted any longer; whether anything was.
bool releaseUnions(llvm::Module &M);

} // namespace verso

#endif // VERSO_PREPARE_MIXEDUNIONS_H
