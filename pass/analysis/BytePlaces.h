//===- BytePlaces.h - where the bytes of an integer come from ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks, shifts and ors with constants put integers together of the bytes of
// others. A number whose bytes all arrive has its derivative there; one that
// lost a part on the way has none any more, and nothing that goes with the
// bytes can tell: the rest of an ID, or of a tangent, may be zero.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ANALYSIS_BYTEPLACES_H
#define VERSO_ANALYSIS_BYTEPLACES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace verso {

/// Bytes of one integer in another.
struct PlacedBytes {
  llvm::Value *Of;
  int By;         ///< How many bytes further they are than in `Of`.
  uint64_t Bytes; ///< Which of the other one's they are, a bit each.
};

/// A word of four bytes of one integer, of which only a part is in another and
/// something else is in the place of the rest.
struct CutWord {
  llvm::Value *Of;
  unsigned Word;  ///< Of `Of`.
  uint64_t Bytes; ///< Of the other one: those of all its words that have any.
  uint64_t Other; ///< The same of what makes a number of eight bytes with it.
};

/// The bytes of the words of four of the integer \p V that are not known to be
/// zero, a bit each; all bits if it has no whole bytes, or too many.
uint64_t usedWords(const llvm::Value *V, const llvm::DataLayout &DL);

class BytePlaces {
public:
  static constexpr unsigned WordBytes = 4;

  /// Whether \p V only moves bytes of its operands, to places that are known.
  static bool isMove(const llvm::Value *V);

  /// The bytes of the integer \p V that are moved from other values, or all of
  /// them as its own where nobody can tell. Those left out are constant.
  llvm::ArrayRef<PlacedBytes> of(llvm::Value *V);

  /// The words that \p V has in part, for an integer of whole words. A part
  /// above which there are zeros is none: that is how something is taken to
  /// pieces.
  llvm::SmallVector<CutWord, 2> cutWords(llvm::Value *V);

private:
  using Places = llvm::SmallVector<PlacedBytes, 2>;
  Places compute(llvm::Value *V);

  llvm::DenseMap<llvm::Value *, Places> Known;
};

} // namespace verso

#endif // VERSO_ANALYSIS_BYTEPLACES_H
