//===- colouring.hpp - patterns, and columns to sweep at once ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two columns of a matrix may be swept at once if no row has an entry in both:
// colours of the graph of columns whose edges join columns with a common row.
// The colouring is greedy, columns with many neighbours first (the first of
// those first, which is best for bands). It takes the time of the sum of the
// squares of the rows' lengths, and the memory of the pattern.
//
// As a row of n entries asks for n colours, rows that are much longer than the
// others are left out, to be computed by a sweep each in the other direction.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_COLOURING_HPP
#define VERSO_COLOURING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace verso {

/// Where a sparse matrix has entries: of each row, the columns in increasing
/// order (compressed rows).
class SparsityPattern {
public:
  static constexpr std::size_t None = static_cast<std::size_t>(-1);

  SparsityPattern() = default;
  SparsityPattern(std::size_t columnCount, std::vector<std::size_t> starts,
                  std::vector<std::uint32_t> columns)
      : columnCount(columnCount), rowStarts(std::move(starts)),
        entries(std::move(columns)) {}

  std::size_t rows() const { return rowStarts.size() - 1; }
  std::size_t cols() const { return columnCount; }
  std::size_t nonZeros() const { return entries.size(); }
  const std::vector<std::size_t> &starts() const { return rowStarts; }
  const std::vector<std::uint32_t> &columns() const { return entries; }
  std::span<const std::uint32_t> row(std::size_t i) const {
    return std::span(entries).subspan(rowStarts[i],
                                      rowStarts[i + 1] - rowStarts[i]);
  }
  /// The number of entry (i, j), or None.
  std::size_t find(std::size_t i, std::size_t j) const {
    auto columns = row(i);
    auto at = std::lower_bound(columns.begin(), columns.end(), j);
    return at == columns.end() || *at != j
               ? None
               : rowStarts[i] + std::size_t(at - columns.begin());
  }
  bool contains(std::size_t i, std::size_t j) const {
    return find(i, j) != None;
  }
  /// \p from: for each entry of the result its number here.
  SparsityPattern transposed(std::vector<std::size_t> *from = nullptr) const {
    SparsityPattern t;
    t.columnCount = rows();
    t.rowStarts.assign(cols() + 1, 0);
    t.entries.resize(nonZeros());
    if (from)
      from->resize(nonZeros());
    for (std::uint32_t j : entries)
      ++t.rowStarts[j + 1];
    std::partial_sum(t.rowStarts.begin(), t.rowStarts.end(),
                     t.rowStarts.begin());
    std::vector<std::size_t> next(t.rowStarts.begin(), t.rowStarts.end() - 1);
    for (std::size_t i = 0; i != rows(); ++i)
      for (std::size_t k = rowStarts[i]; k != rowStarts[i + 1]; ++k) {
        std::size_t to = next[entries[k]]++;
        t.entries[to] = static_cast<std::uint32_t>(i);
        if (from)
          (*from)[to] = k;
      }
    return t;
  }
  friend bool operator==(const SparsityPattern &,
                         const SparsityPattern &) = default;

private:
  std::size_t columnCount = 0;
  std::vector<std::size_t> rowStarts = {0};
  std::vector<std::uint32_t> entries;
};

namespace detail {

/// The entries of either.
inline SparsityPattern unite(const SparsityPattern &a,
                             const SparsityPattern &b) {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i != a.rows(); ++i) {
    auto x = a.row(i), y = b.row(i);
    std::set_union(x.begin(), x.end(), y.begin(), y.end(),
                   std::back_inserter(columns));
    starts.push_back(columns.size());
  }
  return SparsityPattern(a.cols(), std::move(starts), std::move(columns));
}

/// Rows that are left out of a colouring.
struct LongRows {
  std::vector<bool> is;
  std::size_t count = 0;
  std::size_t longestOther = 0;
  /// No colouring takes fewer sweeps in all.
  std::size_t leastSweeps() const { return count + longestOther; }
};

/// Leaves out as many as make leastSweeps() least; of equal choices, fewest.
inline LongRows findLongRows(const SparsityPattern &p) {
  std::vector<std::size_t> withLength(p.cols() + 1);
  for (std::size_t i = 0; i != p.rows(); ++i)
    ++withLength[p.row(i).size()];
  LongRows best;
  std::size_t limit = p.cols(), longer = 0;
  bool any = false;
  for (std::size_t length = p.cols() + 1; length--;) {
    if (!withLength[length] && length)
      continue;
    if (!any || longer + length < best.leastSweeps()) {
      best.count = longer;
      best.longestOther = limit = length;
    }
    any = true;
    longer += withLength[length];
  }
  best.is.resize(p.rows());
  for (std::size_t i = 0; i != p.rows(); ++i)
    best.is[i] = p.row(i).size() > limit;
  return best;
}

/// Columns of one colour stand together.
class Colouring {
public:
  std::size_t count() const { return starts.size() - 1; }
  std::span<const std::uint32_t> group(std::size_t colour) const {
    return std::span(members).subspan(starts[colour],
                                      starts[colour + 1] - starts[colour]);
  }

  /// Of the columns of \p p that have an entry in a row that is not left out,
  /// except those \p omitted. \p byColumns is the transpose of p.
  static Colouring ofColumns(const SparsityPattern &p,
                             const SparsityPattern &byColumns,
                             const std::vector<bool> &rowIsOut,
                             const std::vector<bool> *omitted = nullptr) {
    const std::vector<std::uint32_t> order =
        byNeighbours(p, byColumns, rowIsOut, omitted);
    constexpr std::uint32_t None = static_cast<std::uint32_t>(-1);
    std::vector<std::uint32_t> colourOf(p.cols(), None);
    std::vector<std::uint32_t> takenFor; // By colour: the last column.
    for (std::uint32_t j : order) {
      for (std::uint32_t i : byColumns.row(j))
        if (!rowIsOut[i])
          for (std::uint32_t other : p.row(i))
            if (colourOf[other] != None)
              takenFor[colourOf[other]] = j;
      std::uint32_t colour = 0;
      while (colour != takenFor.size() && takenFor[colour] == j)
        ++colour;
      if (colour == takenFor.size())
        takenFor.push_back(None);
      colourOf[j] = colour;
    }
    return Colouring(order, colourOf, takenFor.size());
  }

private:
  Colouring(const std::vector<std::uint32_t> &columns,
            const std::vector<std::uint32_t> &colourOf, std::size_t colours)
      : members(columns.size()), starts(colours + 1) {
    for (std::uint32_t j : columns)
      ++starts[colourOf[j] + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::uint32_t j : columns)
      members[next[colourOf[j]]++] = j;
  }

  static std::vector<std::uint32_t>
  byNeighbours(const SparsityPattern &p, const SparsityPattern &byColumns,
               const std::vector<bool> &rowIsOut,
               const std::vector<bool> *omitted) {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> neighbours(p.cols());
    for (std::size_t j = 0; j != p.cols(); ++j) {
      if (omitted && (*omitted)[j])
        continue;
      for (std::uint32_t i : byColumns.row(j))
        if (!rowIsOut[i])
          neighbours[j] += p.row(i).size();
      if (neighbours[j])
        order.push_back(static_cast<std::uint32_t>(j));
    }
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
      return neighbours[a] != neighbours[b] ? neighbours[a] > neighbours[b]
                                            : a < b;
    });
    return order;
  }

  std::vector<std::uint32_t> members;
  std::vector<std::size_t> starts;
};

} // namespace detail
} // namespace verso

#endif // VERSO_COLOURING_HPP
