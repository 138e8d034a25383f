//===- RowTables.cpp - whether the rows of tables are apart ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix is often a table of pointers to its rows (double **, a vector of
// vectors). Whether rows of two tables overlap, or two of one, is asked where a
// nest of loops begins (pass/structured/memory/ApartNests.h). Addresses are
// compared in 128 bits: what lies in a table need not be one.
//
//===----------------------------------------------------------------------===//

#include "ContextStack.h"
#include "Interface.h"
#include "Pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace {

using Address = __int128;

/// From each pointer that lies Stride bytes behind the one before, the bytes
/// from Low to High. Without a stride: the bytes from Low to High of memory.
struct Rows {
  const char *Table;
  int64_t Bytes, Stride, Low, High;

  bool isTable() const { return Stride != 0; }
  uint64_t count() const {
    constexpr int64_t Pointer = sizeof(uint64_t);
    return Bytes < Pointer ? 0 : uint64_t(Bytes - Pointer) / Stride + 1;
  }
  uint64_t start(uint64_t K) const {
    uint64_t Row;
    memcpy(&Row, Table + K * Stride, sizeof(Row));
    return Row;
  }
  bool isEmpty() const { return Low >= High || (isTable() && !count()); }
};

struct Range {
  Address Low, High;
  bool meets(const Range &That) const {
    return Low < That.High && That.Low < High;
  }
};

/// From the first byte of a row to the last; and whether a pointer is null,
/// which may stand for no row, or for no shadow of one.
struct Extent {
  Range Of;
  bool HasNull;
};

Extent extentOf(const Rows &R) {
  if (!R.isTable())
    return {{R.Low, R.High}, false};
  uint64_t Least = UINT64_MAX, Most = 0;
  for (uint64_t K = 0, Count = R.count(); K < Count; ++K) {
    uint64_t Row = R.start(K);
    Least = Row < Least ? Row : Least;
    Most = Row > Most ? Row : Most;
  }
  return {{Address(Least) + R.Low, Address(Most) + R.High}, Least == 0};
}

/// Whether the table can be read: not every iteration that the bounds allow
/// need read it. Where it cannot, the nest runs as it was. The kernel is asked,
/// which takes longer than a small nest, only of memory that may be anywhere.
bool canBeRead(const Rows &R) {
  return !R.isTable() || R.Bytes <= 0 ||
         verso::ContextStack::ofThread().holds(R.Table, size_t(R.Bytes)) ||
         verso::canBeRead(R.Table, size_t(R.Bytes));
}

/// The pointers of a table in order.
class SortedRows {
public:
  explicit SortedRows(const Rows &Of) : Of(Of), Count(Of.count()) {
    constexpr uint64_t Few = 256;
    Starts = Count <= Few ? Inline : static_cast<uint64_t *>(malloc(Count * 8));
    if (!Starts)
      return;
    for (uint64_t K = 0; K < Count; ++K)
      Starts[K] = Of.start(K);
    for (uint64_t K = 1; K < Count; ++K)
      IsSorted = IsSorted && Starts[K - 1] <= Starts[K];
    if (!IsSorted)
      qsort(Starts, Count, sizeof(uint64_t), [](const void *A, const void *B) {
        uint64_t X, Y;
        memcpy(&X, A, sizeof(X));
        memcpy(&Y, B, sizeof(Y));
        return int(X > Y) - int(X < Y);
      });
  }
  ~SortedRows() {
    if (Starts != Inline)
      free(Starts);
  }

  /// Whether no two of them overlap.
  bool areApart() const {
    if (!Starts)
      return false;
    for (uint64_t K = 1; K < Count; ++K)
      if (Address(Starts[K]) - Starts[K - 1] < Address(Of.High) - Of.Low)
        return false;
    return true;
  }
  bool meet(const Range &That) const {
    if (!Starts)
      return true;
    uint64_t First = 0, Last = Count; // The first that ends behind That.Low.
    while (First < Last) {
      uint64_t Middle = First + (Last - First) / 2;
      if (Address(Starts[Middle]) + Of.High > That.Low)
        Last = Middle;
      else
        First = Middle + 1;
    }
    return First < Count && Address(Starts[First]) + Of.Low < That.High;
  }

private:
  const Rows Of;
  const uint64_t Count;
  uint64_t Inline[256];
  uint64_t *Starts;
  bool IsSorted = true;
};

bool areApart(const Rows &A, const Rows &B) {
  const Extent OfA = extentOf(A), OfB = extentOf(B);
  if (OfA.HasNull || OfB.HasNull)
    return false;
  if (!OfA.Of.meets(OfB.Of))
    return true;
  if (!A.isTable())
    return B.isTable() && areApart(B, A);
  const SortedRows Sorted(A);
  if (!B.isTable())
    return !Sorted.meet({B.Low, B.High});
  for (uint64_t K = 0, Count = B.count(); K < Count; ++K)
    if (const Address Row = B.start(K);
        Sorted.meet({Row + B.Low, Row + B.High}))
      return false;
  return true;
}

} // namespace

namespace verso::entry {

I32 __verso_rows_are_apart(I32 How, Ptr Table, I64 Bytes, I64 Stride, I64 Low,
                           I64 High, Ptr OtherTable, I64 OtherBytes,
                           I64 OtherStride, I64 OtherLow, I64 OtherHigh) {
  const Rows A{static_cast<const char *>(Table), Bytes, Stride, Low, High};
  const Rows B{static_cast<const char *>(OtherTable), OtherBytes, OtherStride,
               OtherLow, OtherHigh};
  return (How & VERSO_ROWS_ASK) &&
         (How & VERSO_ROWS_FIRST_IS_READ || canBeRead(A)) &&
         (How & VERSO_ROWS_SECOND_IS_READ || canBeRead(B)) &&
         (A.isEmpty() || B.isEmpty() || areApart(A, B));
}

I32 __verso_rows_are_distinct(I32 How, Ptr Table, I64 Bytes, I64 Stride,
                              I64 Low, I64 High) {
  const Rows R{static_cast<const char *>(Table), Bytes, Stride, Low, High};
  return (How & VERSO_ROWS_ASK) &&
         (How & VERSO_ROWS_FIRST_IS_READ || canBeRead(R)) &&
         (R.isEmpty() || SortedRows(R).areApart());
}

} // namespace verso::entry
