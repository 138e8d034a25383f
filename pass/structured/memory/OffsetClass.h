//===- OffsetClass.h - sets of offsets in an object -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One offset, or all that differ from it by a multiple of a step: where an
// access in a loop over an array of structures may be.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_OFFSETCLASS_H
#define VERSO_STRUCTURED_MEMORY_OFFSETCLASS_H

#include "llvm/ADT/ArrayRef.h"

#include <compare>
#include <cstdint>
#include <utility>

namespace verso {

/// Offsets from the start of an object: Offset + k * Step for all integers k,
/// or for those that are not negative.
struct OffsetClass {
  int64_t Offset = 0;
  uint64_t Step = 0;
  bool HasLeast = false;

  auto operator<=>(const OffsetClass &) const = default;
  /// Whether accesses of these sizes may share a byte.
  bool overlaps(uint64_t Size, OffsetClass That, uint64_t ThatSize) const;
  /// Whether an access of ThatSize bytes there that touches one of Size bytes
  /// here covers all of it.
  bool isFilledBy(uint64_t Size, OffsetClass That, uint64_t ThatSize) const;
  /// The smallest class that holds both.
  OffsetClass joined(OffsetClass That) const;
  OffsetClass plus(int64_t Constant, uint64_t AnyMultipleOf) const;
  OffsetClass withoutLeast() const;
  /// Of multiples that are not negative.
  OffsetClass plusUp(uint64_t AnyMultipleOf) const;
  /// Those of them that are not below \p Least.
  OffsetClass notBelow(int64_t Least) const;
  /// Where these bytes are when From is copied to To; none is known to be the
  /// least of several.
  OffsetClass moved(OffsetClass From, OffsetClass To) const;
};

/// Whether each of the first \p Bytes bytes is in one of \p Parts, of which
/// each is a class and a size. Of many bytes that is only known if the parts
/// repeat themselves.
bool coverAll(llvm::ArrayRef<std::pair<OffsetClass, uint64_t>> Parts,
              uint64_t Bytes);

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_OFFSETCLASS_H
