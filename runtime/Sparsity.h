//===- Sparsity.h - the pattern of a linear map -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which inputs each output of a linear map depends on, read off its operands.
// The pattern is that of the run that the map was made of, whatever the values
// of its partials; another run may take other branches.
//
// A value of up to Few inputs keeps the list of them; one with the same inputs
// as an operand shares its list. What depends on more is *wide*: it keeps its
// operands only, and is walked again from each output that it leads to. So
//
//   memory   O(map + pattern), nothing of the size outputs * inputs
//   time     O(map + pattern), and for each output the wide values below it: as
//            many as there are entries in its row, in sums and in stencils
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_SPARSITY_H
#define VERSO_RUNTIME_SPARSITY_H

#include "LinearMap.h"
#include "verso/verso.h"

namespace verso {

/// The numbers at some addresses, in the order of the user's list.
class Numbering {
public:
  static constexpr uint32_t None = ~uint32_t(0);

  void build(const verso_cells *Cells, size_t Count, const char *Where);
  void release() { Ranges.release(); }
  uint32_t size() const { return Total; }
  /// The number that the byte \p At belongs to; None if it is of none.
  uint32_t of(const char *At);
  /// The address of each number, in order.
  template <typename Visit> void each(Visit V) const {
    for (const Range &R : Ranges)
      for (size_t I = 0; I != R.Count; ++I)
        V(R.First + uint32_t(I), R.Begin + I * R.Size);
  }

private:
  struct Range {
    char *Begin;
    size_t Count, Size;
    uint32_t First;
  };
  static int compare(const void *A, const void *B);
  bool covers(const Range &R, const char *At) const {
    return At >= R.Begin && size_t(At - R.Begin) < R.Count * R.Size;
  }

  Vector<Range> Ranges; ///< By address.
  size_t Last = 0;      ///< Where the last search ended.
  uint32_t Total = 0;
};

class Sparsity {
public:
  explicit Sparsity(const LinearMap &Map) : Map(Map) {}
  Sparsity(const Sparsity &) = delete;
  ~Sparsity();

  /// By rows, in increasing order of columns. To be freed by
  /// verso_pattern_free.
  verso_pattern *compute(const verso_cells *Inputs, size_t NumInputs,
                         const verso_cells *Outputs, size_t NumOutputs);

private:
  static constexpr uint32_t Few = 16;
  static constexpr uint32_t Wide = uint32_t(1) << 31;

  /// The inputs of an ID: a list of columns from Start on in Lists; or, of a
  /// wide one, its operands from Start on in the map.
  struct Set {
    uint64_t Start;
    uint32_t Count; ///< With the bit Wide.
    uint32_t Stamp; ///< Of a wide one: of the last walk that came here.
  };
  /// What an output holds in the end: an ID, or else what an input held.
  struct Source {
    uint32_t Id, Column;
  };

  void findSources();
  void markLive();
  void listInputs();
  void summarize(uint32_t Id, size_t Term, uint32_t Terms);
  void add(uint32_t Column);
  void addOperand(uint32_t Operand);
  void walk(uint32_t Id);
  verso_pattern *assemble();
  void sortRows();
  void *zeroed(size_t Count, size_t Size) const;

  const LinearMap &Map;
  Numbering In, Out;
  uint32_t Columns = 0;
  Vector<Source> Sources; ///< One for each row.
  Set *Sets = nullptr;
  unsigned char *Live = nullptr;
  Vector<uint32_t> Lists;
  uint32_t *Seen = nullptr; ///< By column: the last walk that came there.
  uint32_t Walk = 0;
  Vector<uint32_t> Pending; ///< Wide IDs.
  Vector<uint32_t> Found;   ///< Columns, row by row.
  Vector<size_t> Ends;
};

} // namespace verso

#endif // VERSO_RUNTIME_SPARSITY_H
