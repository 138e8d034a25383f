//===- jacobian.hpp - Jacobians and Hessians --------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense derivatives of functions of one varying argument (give the others as
// verso::constant, or put several in a struct or a std::tuple). Rows are the
// numbers of what the function returns, columns those of its argument, both in
// the order of memory: of a matrix of Eigen, column by column.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_JACOBIAN_HPP
#define VERSO_JACOBIAN_HPP

#include "verso/forward.hpp"

#include <span>
#include <vector>

namespace verso {

/// A dense matrix, stored by rows.
template <class T> class Matrix {
public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : rowCount(rows), columnCount(columns), numbers(rows * columns) {}

  std::size_t rows() const { return rowCount; }
  std::size_t cols() const { return columnCount; }
  T &operator()(std::size_t i, std::size_t j) {
    return numbers[i * columnCount + j];
  }
  const T &operator()(std::size_t i, std::size_t j) const {
    return numbers[i * columnCount + j];
  }
  std::span<T> row(std::size_t i) {
    return std::span(numbers).subspan(i * columnCount, columnCount);
  }
  std::span<const T> row(std::size_t i) const {
    return std::span(numbers).subspan(i * columnCount, columnCount);
  }
  T *data() { return numbers.data(); }
  const T *data() const { return numbers.data(); }

private:
  std::size_t rowCount = 0, columnCount = 0;
  std::vector<T> numbers;
};

namespace detail {

//===----------------------------------------------------------------------===//
// The type of a Jacobian
//===----------------------------------------------------------------------===//

/// A matrix of Eigen with the given static sizes, of the kind of T.
template <class T, int Rows, int Columns> struct EigenMatrixLike;
template <template <class, int, int, int, int, int> class M, class S, int R,
          int C, int Options, int MaxR, int MaxC, int Rows, int Columns>
struct EigenMatrixLike<M<S, R, C, Options, MaxR, MaxC>, Rows, Columns> {
  // A row vector must be stored by rows, a matrix is stored by columns.
  static constexpr int Order = Rows == 1 && Columns != 1 ? 1 : 0;
  using type = M<S, Rows, Columns, Order, Rows, Columns>;
};

/// As Eigen counts: -1 if it is not known.
template <class T> consteval int staticCount() {
  if constexpr (std::is_floating_point_v<T>)
    return 1;
  else if constexpr (EigenObject<T>)
    return T::SizeAtCompileTime;
  else
    return -1;
}

template <class V, class X> struct JacobianType {
  using type = Matrix<typename Widest<ScalarOf<V>, ScalarOf<X>>::type>;
};
template <class V, class X>
  requires(EigenObject<X> && (EigenObject<V> || std::is_floating_point_v<V>))
struct JacobianType<V, X>
    : EigenMatrixLike<X, staticCount<V>(), staticCount<X>()> {};
template <class V, class X>
  requires(EigenObject<V> && std::is_floating_point_v<X>)
struct JacobianType<V, X>
    : EigenMatrixLike<V, staticCount<V>(), staticCount<X>()> {};
template <class V, class X>
using JacobianOf = typename JacobianType<V, X>::type;

template <class M> M makeMatrix(std::size_t rows, std::size_t columns) {
  if constexpr (EigenObject<M>)
    return M::Zero(rows, columns);
  else
    return M(rows, columns);
}

//===----------------------------------------------------------------------===//
// What both ways share
//===----------------------------------------------------------------------===//

/// Sets number \p which of x to one and the others to zero.
template <class T> void setUnit(T &x, std::size_t which) {
  std::size_t i = 0;
  Numbers<T>::each([&](auto &number) { number = i++ == which; }, x);
}

template <class M, class T>
void setRow(M &matrix, std::size_t row, const T &x) {
  std::size_t j = 0;
  Numbers<T>::each([&](const auto &number) { matrix(row, j++) = number; }, x);
}

template <class M, class T>
void setColumn(M &matrix, std::size_t column, const T &x) {
  std::size_t i = 0;
  Numbers<T>::each([&](const auto &number) { matrix(i++, column) = number; },
                   x);
}

template <class F, class... A> consteval bool checkJacobian() {
  if constexpr (!checkCall<F, Outputs::Seeded, A...>()) {
    return false;
  } else {
    using Slots = SlotsFor<F, Outputs::Seeded, 1, A...>;
    constexpr bool isOfOne = SequenceOf<Slots, IsInput>::size() <= 1;
    constexpr bool isPure = SequenceOf<Slots, IsOutput>::size() == 0;
    static_assert(
        isOfOne,
        "verso: a Jacobian or Hessian is with respect to one argument; "
        "pass the others as verso::constant(x), or put all in a "
        "struct");
    static_assert(isPure,
                  "verso: the function of a Jacobian or Hessian must not "
                  "write its argument");
    if constexpr (!isOfOne || !isPure || !checkInputs<Slots>())
      return false;
    else
      return checkNumbersIn<ValueOf<F, Slots>>();
  }
}

template <class Slots>
inline constexpr std::size_t inputOf = indicesOf<Slots, IsInput>[0];

//===----------------------------------------------------------------------===//
// By rows and by columns
//===----------------------------------------------------------------------===//

/// One pullback for each number that is returned.
template <class V, class M, class F, class Slots>
VERSO_INLINE void fillByRows(M &matrix, const F &function, Slots &slots,
                             const V &value) {
  GradientOf<V> weights = Numbers<V>::zero(value);
  auto gradient = zeroGradients(slots, SequenceOf<Slots, IsInput>());
  const Weighted<F, V> weighted{std::addressof(function), &weights};
  const std::size_t rows = matrix.rows();
  for (std::size_t i = 0; i != rows; ++i) {
    setUnit(weights, i);
    Numbers<decltype(gradient)>::each(SetToZero{}, gradient);
    bindGradients<0, 1>(slots, SequenceOf<Slots, IsInput>(), gradient);
    requestGradient<0, 1>(weighted, slots, gradient);
    setRow(matrix, i, gradient);
  }
}

/// How many tangents one request pushes forward.
template <class X>
inline constexpr int JacobianWidth = std::is_floating_point_v<X> ? 1 : 8;

template <int Width, class T> std::array<T, Width> repeat(const T &x) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::array<T, Width>{(void(K), x)...};
  }(std::make_index_sequence<Width>());
}

/// The K-th unit tangent of a request that starts at \p column.
template <std::size_t I, int K, class Slots, class G>
VERSO_INLINE void bindUnit(Slots &slots, G &tangent, std::size_t column) {
  if constexpr (std::tuple_element_t<I, Slots>::kind == Kind::Number) {
    std::get<I>(slots).tangents[K] = column + K == 0;
  } else {
    setUnit(tangent, column + K);
    std::get<I>(slots).setShadow(K, tangent);
  }
}

template <std::size_t I, class Slots, class G, std::size_t... K>
VERSO_INLINE void bindUnits(Slots &slots, std::array<G, sizeof...(K)> &tangents,
                            std::size_t column, std::index_sequence<K...>) {
  (bindUnit<I, int(K)>(slots, tangents[K], column), ...);
}

template <class M, class S, class... T, std::size_t... K>
VERSO_INLINE void setNumberColumns(M &matrix, std::size_t column,
                                   Pack<S, T...> &pack,
                                   std::index_sequence<K...>) {
  ((column + K < std::size_t(matrix.cols())
        ? void(matrix(0, column + K) = packed<K>(pack))
        : void()),
   ...);
}

template <class S, class Indices> struct PackOf;
template <class S, std::size_t... K>
struct PackOf<S, std::index_sequence<K...>>
    : std::type_identity<Pack<std::enable_if_t<(K >= 0), S>...>> {};

/// One request for each \p Width columns, of a function that returns a number.
template <int Width, class V, class M, class F, class Slots>
VERSO_INLINE void fillNumberByColumns(M &matrix, const F &function,
                                      Slots &slots) {
  constexpr std::size_t I = inputOf<Slots>;
  using G = GradientOf<TypeAt<I, Slots>>;
  using Lanes = std::make_index_sequence<Width>;
  using Result = typename PackOf<V, Lanes>::type;
  auto tangents =
      repeat<Width>(Numbers<TypeAt<I, Slots>>::zero(std::get<I>(slots).get()));
  Frame<F, Slots> frame{std::addressof(function), &slots};
  const std::size_t columns = matrix.cols();
  for (std::size_t j = 0; j < columns; j += Width) {
    bindUnits<I, Slots, G>(slots, tangents, j, Lanes());
    Result pack = emitForward<JvpEntry<Result, Width>>(frame);
    setNumberColumns(matrix, j, pack, Lanes());
  }
}

/// The same of a function that writes its value to its first argument.
template <int Width, class V, class M, class F, class Slots>
VERSO_INLINE void fillByColumns(M &matrix, const Into<F, V> &function,
                                Slots &slots) {
  constexpr std::size_t I = inputOf<Slots>;
  using G = GradientOf<TypeAt<I, Slots>>;
  using Lanes = std::make_index_sequence<Width>;
  auto tangents =
      repeat<Width>(Numbers<TypeAt<I, Slots>>::zero(std::get<I>(slots).get()));
  auto results = repeat<Width>(Numbers<V>::zero(std::get<0>(slots).get()));
  Frame<Into<F, V>, Slots> frame{std::addressof(function), &slots};
  const std::size_t columns = matrix.cols();
  for (std::size_t j = 0; j < columns; j += Width) {
    bindUnits<I, Slots, G>(slots, tangents, j, Lanes());
    for (int k = 0; k != Width; ++k) {
      Numbers<GradientOf<V>>::each(SetToZero{}, results[k]);
      std::get<0>(slots).setShadow(k, results[k]);
    }
    emitForward<JvpEntry<void, Width>>(frame);
    for (int k = 0; k != Width && j + k < columns; ++k)
      setColumn(matrix, j + k, results[k]);
  }
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

enum class Direction { Rows, Columns, Shorter };

template <class F, Direction D> struct JacobianFunction {
  F function;

  template <class... A> VERSO_INLINE auto operator()(A &&...a) const {
    if constexpr (checkJacobian<F, A...>()) {
      using Slots = SlotsFor<F, Outputs::Seeded, 1, A...>;
      using V = ValueOf<F, Slots>;
      using X = TypeAt<inputOf<Slots>, Slots>;
      Slots slots(a...);
      V value = makeValue<V>(function, slots);
      auto matrix = makeMatrix<JacobianOf<V, X>>(
          countNumbers(value),
          countNumbers(std::get<inputOf<Slots>>(slots).get()));
      if constexpr (D == Direction::Rows ||
                    (D == Direction::Shorter && std::is_floating_point_v<V>))
        fillByRows<V>(matrix, function, slots, value);
      else if constexpr (D == Direction::Columns || std::is_floating_point_v<X>)
        byColumns<V, X, A...>(matrix, value, a...);
      else if (matrix.rows() <= matrix.cols())
        fillByRows<V>(matrix, function, slots, value);
      else
        byColumns<V, X, A...>(matrix, value, a...);
      return matrix;
    }
  }

private:
  template <class V, class X, class... A, class M>
  VERSO_INLINE void byColumns(M &matrix, V &value,
                              std::remove_reference_t<A> &...a) const {
    constexpr int Width = JacobianWidth<X>;
    if constexpr (std::is_floating_point_v<V>) {
      using Slots = SlotsFor<F, Outputs::Seeded, Width, A...>;
      Slots slots(a...);
      fillNumberByColumns<Width, V>(matrix, function, slots);
    } else {
      using Slots = SlotsInto<F, V, Width, A...>;
      Slots slots(out(value), a...);
      fillByColumns<Width, V>(matrix, Into<F, V>{&function}, slots);
    }
  }
};

template <class F, Direction D>
VERSO_INLINE constexpr auto jacobianFunction(F &&f) {
  using Decayed = std::decay_t<F>;
  if constexpr (checkFunction<Decayed>())
    return JacobianFunction<Decayed, D>{std::forward<F>(f)};
  else
    return Nothing();
}

} // namespace detail

/// The Jacobian of a function as a dense matrix: an Eigen matrix if the
/// argument and the value are Eigen's (or one of them is a number), else
/// verso::Matrix.
///
///   std::vector<double> f(const std::vector<double> &x, double t);
///   verso::Matrix j = verso::jacobian(f)(x, verso::constant(t));
///   j(2, 5)                                        // d f[2] / d x[5]
///
/// By rows (reverse mode) if there are no more rows than columns, else by
/// columns (forward mode, several at once). jacrev and jacfwd decide it
/// themselves.
template <class F> VERSO_INLINE constexpr auto jacobian(F &&function) {
  return detail::jacobianFunction<F, detail::Direction::Shorter>(
      std::forward<F>(function));
}
/// The Jacobian by rows: one reverse sweep for each number that f returns.
template <class F> VERSO_INLINE constexpr auto jacrev(F &&function) {
  return detail::jacobianFunction<F, detail::Direction::Rows>(
      std::forward<F>(function));
}
/// The Jacobian by columns, in forward mode.
template <class F> VERSO_INLINE constexpr auto jacfwd(F &&function) {
  return detail::jacobianFunction<F, detail::Direction::Columns>(
      std::forward<F>(function));
}

/// The Hessian of a function that returns a number, as verso::jacobian of its
/// gradient: forward mode over reverse.
template <class F> VERSO_INLINE constexpr auto hessian(F &&function) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkFunction<D>())
    return jacfwd(detail::GradientFunction<D>{std::forward<F>(function), {}});
  else
    return detail::Nothing();
}

} // namespace verso

#endif // VERSO_JACOBIAN_HPP
