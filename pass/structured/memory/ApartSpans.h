//===- ApartSpans.h - a test whether memory is apart ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of addresses, and rows of tables of pointers, that a nest of loops
// comes to. The test that they are apart is emitted where the nest begins;
// tables are looked through by the runtime (runtime/RowTables.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_APARTSPANS_H
#define VERSO_STRUCTURED_MEMORY_APARTSPANS_H

#include "analysis/AddressRanges.h"

namespace verso {

/// Memory that is told apart from other: a range of addresses, or the same
/// offsets from all pointers of a table, which come every Stride bytes.
struct Span {
  Interval Range;
  llvm::Value *Table = nullptr, *Bytes = nullptr;
  uint64_t Stride = 0;
  bool IsRead = true; ///< The table, or it was asked whether it can be.
};

/// A test that is extended step by step.
class ApartTest {
public:
  ApartTest(AddressRanges &Bounds, llvm::Value *First)
      : Bounds(Bounds), B(Bounds.builder()), Result(First) {}

  /// Of no meaning where what was added before does not hold.
  void add(llvm::Value *Condition) {
    if (Condition != B.getTrue())
      Result = B.CreateLogicalAnd(Result, Condition);
  }
  llvm::Value *result() const { return Result; }

  Span range(llvm::Value *Base, Interval Offsets) {
    Span S{Bounds.addresses(Base, Offsets)};
    add(Bounds.areAddresses(S.Range));
    return S;
  }
  Span rows(llvm::Value *Table, Interval Pointers, uint64_t Stride, bool IsRead,
            Interval Offsets);
  /// Once it was asked whether a table can be read it counts as read: all that
  /// is added later is asked only if all before holds.
  void addDistinct(Span &S);
  void addApart(llvm::MutableArrayRef<Span> Spans,
                llvm::ArrayRef<std::pair<unsigned, unsigned>> Pairs);

private:
  llvm::Value *in64Bits(llvm::Value *V) {
    return B.CreateTrunc(V, B.getInt64Ty());
  }

  AddressRanges &Bounds;
  llvm::IRBuilder<> &B;
  llvm::Value *Result;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_APARTSPANS_H
