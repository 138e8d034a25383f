//===- sparse.hpp - sparse Jacobians and Hessians ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of functions of one varying argument, as in jacobian.hpp; rows and columns
// are numbered as there. The function runs once. The pattern is read off its
// tape (verso_tape_sparsity); columns that share no row get one colour, and one
// sweep over the tape gives all columns of a colour. Rows that are long, which
// would ask for many colours, get sweeps in the other direction.
//
// Nothing is allocated but of the size of the tape, of the argument, of the
// value, and of the pattern.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_SPARSE_HPP
#define VERSO_SPARSE_HPP

#include "verso/colouring.hpp"
#include "verso/jacobian.hpp"
#include "verso/linearize.hpp"

namespace verso {

/// A sparse matrix, by rows, in each by columns in increasing order. Converts
/// to an Eigen::SparseMatrix of either order.
template <class T> class SparseMatrix {
public:
  SparseMatrix() = default;
  explicit SparseMatrix(SparsityPattern pattern)
      : where(std::move(pattern)), numbers(where.nonZeros()) {}

  std::size_t rows() const { return where.rows(); }
  std::size_t cols() const { return where.cols(); }
  std::size_t nonZeros() const { return numbers.size(); }
  const SparsityPattern &pattern() const { return where; }
  /// In the order of pattern().columns().
  const std::vector<T> &values() const { return numbers; }
  std::vector<T> &values() { return numbers; }
  /// Zero where the pattern has no entry.
  T operator()(std::size_t i, std::size_t j) const {
    std::size_t at = where.find(i, j);
    return at == SparsityPattern::None ? T(0) : numbers[at];
  }
  /// The same matrix by columns: this is the transpose, by rows.
  SparseMatrix transposed() const {
    std::vector<std::size_t> from;
    SparseMatrix result(where.transposed(&from));
    for (std::size_t k = 0; k != from.size(); ++k)
      result.numbers[k] = numbers[from[k]];
    return result;
  }

  /// How often the tape was pushed forward or pulled back for the values.
  std::size_t sweeps() const { return sweepCount; }
  void setSweeps(std::size_t count) { sweepCount = count; }

  template <class M>
    requires requires(M &m) {
      typename M::StorageIndex;
      m.outerIndexPtr();
      m.innerIndexPtr();
      m.valuePtr();
      m.resizeNonZeros(0);
    }
  operator M() const {
    if constexpr (M::IsRowMajor)
      return copyTo<M>(*this);
    else
      return copyTo<M>(transposed());
  }

private:
  template <class M> M copyTo(const SparseMatrix &outer) const {
    M m(rows(), cols());
    m.resizeNonZeros(nonZeros());
    std::copy(outer.where.starts().begin(), outer.where.starts().end(),
              m.outerIndexPtr());
    std::copy(outer.where.columns().begin(), outer.where.columns().end(),
              m.innerIndexPtr());
    std::copy(outer.numbers.begin(), outer.numbers.end(), m.valuePtr());
    return m;
  }

  SparsityPattern where;
  std::vector<T> numbers;
  std::size_t sweepCount = 0;
};

namespace detail {

/// A tape, as a matrix that can be multiplied from both sides.
template <class State> class TapeMatrix {
  using G = decltype(State::gradients);
  using C = typename State::Cotangent;

public:
  using T = typename Widest<ScalarOf<G>, ScalarOf<C>>::type;

  explicit TapeMatrix(Shared<State> state)
      : state(std::move(state)), in(countNumbers<G>(this->state->gradients)),
        out(countNumbers<C>(this->state->cotangent.get())) {}

  SparsityPattern pattern() const {
    CellLists inputs, outputs;
    inputs.add(state->gradients);
    outputs.add(state->cotangent.get());
    verso_pattern *p =
        verso_tape_sparsity(state->tape, inputs.data(), inputs.size(),
                            outputs.data(), outputs.size());
    SparsityPattern result(
        p->columns,
        std::vector<std::size_t>(p->starts, p->starts + p->rows + 1),
        std::vector<std::uint32_t>(p->indices,
                                   p->indices + p->starts[p->rows]));
    verso_pattern_free(p);
    return result;
  }

  /// The product with the vector that is one at \p ones and else zero.
  const std::vector<T> &timesUnits(std::span<const std::uint32_t> ones) {
    setUnits(state->gradients, in, ones);
    setToZero(state->cotangent.get());
    verso_pushforward(state->tape, nullptr, nullptr);
    return read(state->cotangent.get(), out);
  }
  const std::vector<T> &unitsTimes(std::span<const std::uint32_t> ones) {
    setToZero(state->gradients);
    setUnits(state->cotangent.get(), out, ones);
    verso_pullback(state->tape, nullptr, nullptr);
    return read(state->gradients, in);
  }

private:
  template <class X>
  static void setUnits(X &x, std::vector<T> &scratch,
                       std::span<const std::uint32_t> ones) {
    std::fill(scratch.begin(), scratch.end(), T(0));
    for (std::uint32_t k : ones)
      scratch[k] = 1;
    const T *next = scratch.data();
    Numbers<X>::each([&](auto &number) { number = *next++; }, x);
  }
  template <class X>
  static const std::vector<T> &read(const X &x, std::vector<T> &scratch) {
    T *next = scratch.data();
    Numbers<X>::each([&](const auto &number) { *next++ = number; }, x);
    return scratch;
  }

  Shared<State> state;
  std::vector<T> in, out;
};

/// A pattern from one side, and where its entries are in the values.
struct Side {
  const SparsityPattern &pattern;
  const std::vector<std::size_t> *numbers; ///< Null: in order.

  /// Visits the entries of a row: column and number.
  template <class Visit> void each(std::size_t row, Visit visit) const {
    for (std::size_t k = pattern.starts()[row]; k != pattern.starts()[row + 1];
         ++k)
      visit(pattern.columns()[k], numbers ? (*numbers)[k] : k);
  }
};

/// Fills the columns of each colour by \p multiply, rows that were left out by
/// \p multiplyRow. Returns the number of sweeps.
template <class T, class Multiply, class MultiplyRow>
std::size_t fillCompressed(std::vector<T> &values, Side byRows, Side byColumns,
                           const LongRows &out, const Colouring &colours,
                           Multiply multiply, MultiplyRow multiplyRow) {
  for (std::size_t c = 0; c != colours.count(); ++c) {
    const std::vector<T> &product = multiply(colours.group(c));
    for (std::uint32_t j : colours.group(c))
      byColumns.each(j, [&](std::uint32_t i, std::size_t number) {
        if (!out.is[i])
          values[number] = product[i];
      });
  }
  for (std::uint32_t i = 0; i != out.is.size(); ++i) {
    if (!out.is[i])
      continue;
    const std::vector<T> &product = multiplyRow(std::span(&i, 1));
    byRows.each(i, [&](std::uint32_t j, std::size_t number) {
      values[number] = product[j];
    });
  }
  return colours.count() + out.count;
}

/// By columns or by rows, whichever takes fewer sweeps.
template <class Tape> auto fillJacobian(Tape &&tape) {
  using T = typename std::remove_reference_t<Tape>::T;
  SparseMatrix<T> matrix(tape.pattern());
  const SparsityPattern &p = matrix.pattern();
  std::vector<std::size_t> from;
  const SparsityPattern t = p.transposed(&from);
  auto push = [&](auto ones) -> auto & { return tape.timesUnits(ones); };
  auto pull = [&](auto ones) -> auto & { return tape.unitsTimes(ones); };
  const LongRows rows = findLongRows(p), columns = findLongRows(t);
  const Side byRows{p, nullptr}, byColumns{t, &from};
  // The promising direction first: the other one may not be worth a try.
  auto colour = [&](bool isByColumns) {
    return isByColumns ? Colouring::ofColumns(p, t, rows.is)
                       : Colouring::ofColumns(t, p, columns.is);
  };
  auto sweeps = [&](bool isByColumns, const Colouring &c) {
    return c.count() + (isByColumns ? rows : columns).count;
  };
  bool isByColumns = rows.leastSweeps() <= columns.leastSweeps();
  Colouring best = colour(isByColumns);
  if ((isByColumns ? columns : rows).leastSweeps() <
      sweeps(isByColumns, best)) {
    Colouring other = colour(!isByColumns);
    if (sweeps(!isByColumns, other) < sweeps(isByColumns, best)) {
      best = std::move(other);
      isByColumns = !isByColumns;
    }
  }
  matrix.setSweeps(isByColumns
                       ? fillCompressed(matrix.values(), byRows, byColumns,
                                        rows, best, push, pull)
                       : fillCompressed(matrix.values(), byColumns, byRows,
                                        columns, best, pull, push));
  return matrix;
}

/// A long row of a symmetric matrix is a long column as well.
template <class Tape> auto fillHessian(Tape &&tape) {
  using T = typename std::remove_reference_t<Tape>::T;
  const SparsityPattern p = tape.pattern();
  SparseMatrix<T> matrix(unite(p, p.transposed()));
  const SparsityPattern &s = matrix.pattern();
  const LongRows hubs = findLongRows(s);
  const Colouring colours = Colouring::ofColumns(s, s, hubs.is, &hubs.is);
  std::vector<std::size_t> from;
  const SparsityPattern t = s.transposed(&from);
  auto push = [&](auto ones) -> auto & { return tape.timesUnits(ones); };
  // The product with a hub's unit is the hub's row as well as its column.
  auto pushHub = [&](std::span<const std::uint32_t> hub) -> auto & {
    auto &product = tape.timesUnits(hub);
    Side{t, &from}.each(hub[0], [&](std::uint32_t i, std::size_t number) {
      matrix.values()[number] = product[i];
    });
    return product;
  };
  matrix.setSweeps(fillCompressed(matrix.values(), Side{s, nullptr},
                                  Side{t, &from}, hubs, colours, push,
                                  pushHub));
  return matrix;
}

template <class F, class... A>
VERSO_INLINE auto tapeMatrix(const F &f, std::remove_reference_t<A> &...a) {
  using Tape = TapeFor<F, A...>;
  return TapeMatrix<typename Tape::State>(Tape::run(f, a...));
}

} // namespace detail

/// Which numbers of f's value depend on which of its argument, in a run at this
/// point: x * x has an entry even where x is zero; what a branch that was not
/// taken would have used has none.
template <class F, class... A>
VERSO_INLINE auto jacobian_sparsity(F &&function, A &&...a) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkFunction<D>()) {
    const D &f = function;
    if constexpr (detail::checkJacobian<D, A...>())
      return detail::tapeMatrix<D, A...>(f, a...).pattern();
  }
}

/// The Jacobian as a sparse matrix:
///
///   std::vector<double> f(const std::vector<double> &x, double t);
///   auto j = verso::sparse_jacobian(f, x, verso::constant(t));
///   Eigen::SparseMatrix<double> m = j;
template <class F, class... A>
VERSO_INLINE auto sparse_jacobian(F &&function, A &&...a) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkFunction<D>()) {
    const D &f = function;
    if constexpr (detail::checkJacobian<D, A...>())
      return detail::fillJacobian(detail::tapeMatrix<D, A...>(f, a...));
  }
}

/// The pattern of the Hessian of a function that returns a number, which is
/// symmetric: of the tape of its gradient, reverse mode over reverse.
template <class F, class... A>
VERSO_INLINE auto hessian_sparsity(F &&function, A &&...a) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkFunction<D>()) {
    using Gradient = detail::GradientFunction<D>;
    const Gradient f{std::forward<F>(function), {}};
    if constexpr (detail::checkJacobian<Gradient, A...>()) {
      auto p = detail::tapeMatrix<Gradient, A...>(f, a...).pattern();
      return detail::unite(p, p.transposed());
    }
  }
}

/// The Hessian of a function that returns a number, as a sparse matrix with
/// both halves. Columns of one colour have no row in common; long rows and
/// columns (of an arrowhead) take a sweep each.
template <class F, class... A>
VERSO_INLINE auto sparse_hessian(F &&function, A &&...a) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkFunction<D>()) {
    using Gradient = detail::GradientFunction<D>;
    const Gradient f{std::forward<F>(function), {}};
    if constexpr (detail::checkJacobian<Gradient, A...>())
      return detail::fillHessian(detail::tapeMatrix<Gradient, A...>(f, a...));
  }
}

} // namespace verso

#endif // VERSO_SPARSE_HPP
