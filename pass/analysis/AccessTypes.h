//===- AccessTypes.h - what the language says of an access ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type-based alias information, where it tells more than the access's type in
// LLVM does.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_ACCESSTYPES_H
#define VERSO_ANALYSIS_ACCESSTYPES_H

#include "llvm/IR/Instructions.h"

namespace verso {

/// The root of the types of Verso's own accesses to frames (`Recursion.h`).
constexpr char FrameTypes[] = "verso frame";

/// Whether \p I is such an access, of a scalar in a place of its own.
bool isInFrame(const llvm::Instruction &I);

/// Says that \p Load loads numbers, of code that has no types: LLVM loads as an
/// integer what is cast to one.
void markAsNumber(llvm::LoadInst &Load);

/// Says that nobody knows what \p I loads or stores.
void markAsAnyType(llvm::Instruction &I);

/// Whether the language, or -O0, says nothing of types: no access has any.
bool isUntyped(const llvm::Function &F);

/// Notes for hasTypes() whether the program's own functions have types of
/// accesses; those that Verso adds have.
void noteTypes(llvm::Module &M);
void forgetTypes(llvm::Module &M);

/// Whether the program has types of accesses, as from -O1 on: one without a
/// type may be of anything.
bool hasTypes(const llvm::Module &M);

/// Whether what \p I loads or stores is an integer of the program, not bytes
/// of something else: by types of C and C++ and Verso's own. What the names
/// of others mean is not known.
bool isIntegerForCertain(const llvm::Instruction &I);

/// Whether it is a pointer, by types of C and C++.
bool isPointerForCertain(const llvm::Instruction &I);

/// Addresses below lead to nothing; a null pointer is one, and what empty
/// vectors of Rust have.
inline constexpr unsigned FirstPageBytes = 4096;

/// The !tbaa tag of what \p I accesses, wherever that is a member; null if it
/// may be anything.
llvm::MDNode *accessTag(const llvm::Instruction &I);

/// Whether it is of the pointer to a C++ object's table of virtual functions.
bool isVirtualTable(const llvm::Instruction &I);

/// Whether it is one of these: no number, nor the bits of one.
bool isNoNumber(const llvm::Instruction &I);

/// What \p F loads as a number is one, whatever the program says of types: it
/// is a body of a library's function that is given numbers.
void markLoadsOfNumbers(llvm::Function &F);

/// Whether \p Load is marked so.
bool loadsNumberForCertain(const llvm::LoadInst &Load);

/// The class of what the pointer that \p I loads leads to, as it is mangled in
/// the name of a type ("5Layer"); empty if its type does not say.
llvm::StringRef classPointedTo(const llvm::Instruction &I);

/// Whether a type of that name is a pointer.
bool isPointerName(llvm::StringRef Name);

/// The same of the tag of an access, or of a field in !tbaa.struct.
/// Padding lies between members. A MaybeInteger is an integer to the types of
/// addresses, where the language's do not say so: bits of anything may be
/// there. Mixed is a union of numbers of several types
/// (prepare/MixedUnions.h).
enum class DeclaredKind {
  Float,
  Double,
  Pointer,
  Integer,
  MaybeInteger,
  Padding,
  Mixed,
  Other
};
DeclaredKind declaredKind(const llvm::MDNode &Tag);

/// The tag of bytes of which a declaration says what they are, while to LLVM
/// they may alias anything, as array members of clang's descriptions do.
llvm::MDNode *declaredTag(llvm::LLVMContext &C, DeclaredKind Kind);
bool isDeclaredTag(const llvm::MDNode &Tag);

/// Whether \p I loads or stores what may be numbers of several types of a
/// union.
bool isOfMixedUnion(const llvm::Instruction &I);

/// Whether types of C and C++ leave open what \p I loads or stores, as they do
/// for a union's member.
bool isOfAnyType(const llvm::Instruction &I);

/// Whether nobody says what \p I loads or stores: it is of any type, or has
/// none but what markAsNumber() or markAsAnyType() gave it.
bool mayBeOfAnyType(const llvm::Instruction &I);

} // namespace verso

#endif // VERSO_ANALYSIS_ACCESSTYPES_H
