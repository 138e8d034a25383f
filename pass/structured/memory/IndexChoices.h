//===- IndexChoices.h - what an index comes to ------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offset of a getelementptr as one of few constants plus multiples of what
// nothing is known of: b[i].position[c] is 56 i + 0, 8 or 16, where c counts to
// three. So it is no other field of the structure.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_INDEXCHOICES_H
#define VERSO_STRUCTURED_MEMORY_INDEXCHOICES_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class DataLayout;
class GEPOperator;
class Value;
} // namespace llvm

namespace verso {

struct IndexChoices {
  /// An integer, and the bytes of one.
  using Term = std::pair<const llvm::Value *, llvm::APInt>;

  IndexChoices(const llvm::GEPOperator &GEP, const llvm::DataLayout &DL);
  /// Whether the offset is a sum of integers at all.
  bool isKnown() const { return !Sums.empty(); }
  /// Whether the rest is added, each term of it at least zero.
  bool restIsUpwards(const llvm::GEPOperator &GEP,
                     const llvm::DataLayout &DL) const;

  /// What the terms with few values come to, each once.
  llvm::SmallVector<llvm::APInt, 4> Sums;
  /// All other terms.
  llvm::SmallVector<Term, 4> Rest;

private:
  /// Whether a sum that was taken apart may be negative.
  bool IsSigned = false;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_INDEXCHOICES_H
