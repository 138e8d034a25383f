//===- CopiedNumbers.h - which bytes of a copy are numbers ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tape follows bytes without their types. One thing it cannot do so: add
// two adjoints of bytes that are copied and never read. Where the language says
// what is copied, it can: clang describes the assignment of a struct
// (!tbaa.struct), and a loop that LLVM made a copy of, or a copy that it made
// an integer of, has the tag of its elements (!tbaa). Both hold for every
// object that the copy may meet, or the program is undefined; members of unions
// are not described. What is described as an integer gives no adjoint, unless
// the program reads it as a number all the same: bits of one may lie there. The
// types of variables are no such proof: SROA gives parts of a union the type of
// one member.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_COPIEDNUMBERS_H
#define VERSO_ANALYSIS_COPIEDNUMBERS_H

#include "verso/Layout.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace verso {

struct CopiedNumbers {
  verso_cell_kind Kind;
  uint64_t Offset;
  uint64_t Bytes;           ///< 0: up to the end of the copy.
  bool IsOfLanguage = true; ///< Not of prepare/DeclaredCopies.h.
};

/// What is known of the numbers that \p I copies: a call that copies memory, or
/// a load of an integer.
llvm::SmallVector<CopiedNumbers, 4> copiedNumbers(const llvm::Instruction &I);

/// The kind of the numbers that \p I copies, if by the language they are all
/// that it copies: it stands for their assignments. Those of the C++ library, too
/// (prepare/LibraryCopies.h).
std::optional<verso_cell_kind> assignedNumber(const llvm::Instruction &I);

/// What !tbaa.struct says of a copy: the numbers, as VERSO_COPIED_KNOWN the
/// integers and what lies between members (prepare/DeclaredCopies.h), and as
/// VERSO_COPIED_UNKNOWN what may be numbers of several types.
struct CopiedRecord {
  struct Field {
    uint64_t Offset, Bytes;
    verso_copied_kind Kind;
  };
  llvm::SmallVector<Field, 8> Fields;
  /// After how many bytes that repeats itself: LLVM makes one copy of a loop of
  /// assignments, and leaves the description of the first.
  uint64_t Period = 0;
  /// Whether it begins in a structure of numbers of several types: an array in
  /// which numbers are accessed may end within it.
  bool IsInMixed = false;
};
CopiedRecord copiedRecord(const llvm::CallBase &Copy);

} // namespace verso

#endif // VERSO_ANALYSIS_COPIEDNUMBERS_H
