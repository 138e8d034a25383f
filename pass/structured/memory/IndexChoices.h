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

#include <memory>

namespace llvm {
class DataLayout;
class Function;
class GEPOperator;
class PHINode;
class TargetLibraryInfo;
class Value;
} // namespace llvm

namespace verso {

/// What the counters of short loops in a function, which must not change, come
/// to.
class Counters {
public:
  /// \p TLI may be null: nothing is known then.
  Counters(llvm::Function &F, const llvm::TargetLibraryInfo *TLI);
  ~Counters();
  /// A superset; empty if there is no saying.
  llvm::SmallVector<llvm::APInt, 4> valuesOf(const llvm::PHINode &Counter);

private:
  struct Loops;
  llvm::Function &F;
  const llvm::TargetLibraryInfo *TLI;
  std::unique_ptr<Loops> Its; ///< Null until somebody asks.
};

struct IndexChoices {
  /// An integer, and the bytes of one.
  using Term = std::pair<const llvm::Value *, llvm::APInt>;
  /// The cells of a matrix of four rows and columns.
  static constexpr unsigned MaxChoices = 16;

  IndexChoices(const llvm::GEPOperator &GEP, const llvm::DataLayout &DL,
               Counters &Counting);
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
