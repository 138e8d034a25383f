//===- numbers.hpp - where a C++ type holds its numbers ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::Numbers<T> is what the interface knows of a type:
//
//   content    Numbers: it can be differentiated; Nothing: it holds no real
//              number; Unknown: nobody said
//   Scalar     the widest type of its numbers
//   Gradient   the type of a derivative with respect to it: T itself, except
//              that of a view is a container that owns its numbers
//   IsFixed    every T holds equally many numbers
//   zero(x)    a gradient of the shape of x, all of whose numbers are zero;
//   what
//              is no number (a size, an index) is as in x
//   each(visit, x, y...)  visit(a, b...) for corresponding numbers of several
//              objects, in order; of the shorter shape, if they differ
//   Shadow     made of a Gradient &, has address(): the memory that a request
//              takes as the shadow of a T
//
// Known are: floating-point types, std::complex of them (the derivative is
// d/dRe + i d/dIm), C arrays, std::array, std::vector, std::span, std::pair,
// std::tuple, matrices, vectors and arrays of Eigen, aggregates of all of
// these; and, as types without numbers: integers, enumerations, functions,
// strings, empty classes. A class of your own that is no aggregate becomes
// known by a specialisation; derive it from verso::NumbersOf<T, Members...> if
// it is copied by value:
//
//   template <> struct verso::Numbers<Sphere>
//       : verso::NumbersOf<Sphere, &Sphere::centre, &Sphere::radius> {};
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_NUMBERS_HPP
#define VERSO_NUMBERS_HPP

#include "verso/aggregate.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace verso {

enum class Content { Unknown, Nothing, Numbers };

template <class T> struct Numbers;

namespace detail {

/// The wider of two types of numbers; void is none.
template <class A, class B> struct Wider : std::common_type<A, B> {};
template <class A> struct Wider<A, void> : std::type_identity<A> {};
template <class B> struct Wider<void, B> : std::type_identity<B> {};
template <> struct Wider<void, void> : std::type_identity<void> {};

template <class... T> struct Widest : std::type_identity<void> {};
template <class T, class... Rest>
struct Widest<T, Rest...> : Wider<T, typename Widest<Rest...>::type> {};

template <class T>
inline constexpr Content contentOf = Numbers<std::remove_cv_t<T>>::content;
template <class T>
using ScalarOf = typename Numbers<std::remove_cv_t<T>>::Scalar;
template <class T>
using GradientOf = typename Numbers<std::remove_cv_t<T>>::Gradient;

/// Of a type that consists of these.
template <class... T> consteval Content contentOfAll() {
  if (((contentOf<T> == Content::Unknown) || ...))
    return Content::Unknown;
  return ((contentOf<T> == Content::Numbers) || ...) ? Content::Numbers
                                                     : Content::Nothing;
}

struct SetToZero {
  void operator()(auto &number) const { number = 0; }
};
struct Assign {
  void operator()(auto &to, const auto &from) const { to = from; }
};

/// A gradient that is itself the shadow.
template <class G> struct OwnShadow {
  explicit OwnShadow(G &gradient) : gradient(&gradient) {}
  void *address() { return gradient; }
  G *gradient;
};

/// What types that are their own gradient share.
template <class T> struct Copyable {
  using Gradient = T;
  using Shadow = OwnShadow<T>;
  static T zero(const T &x) {
    T result = x;
    Numbers<T>::each(SetToZero{}, result);
    return result;
  }
};

struct NoNumbers {
  static constexpr Content content = Content::Nothing;
  static constexpr bool IsFixed = true;
  using Scalar = void;
  static void each(auto &&, auto &...) {}
};

/// Sequences of \p E.
template <class E> struct Sequence {
  static constexpr Content content = contentOf<E>;
  using Scalar = ScalarOf<E>;

  template <class Visit, class X, class... Y>
  static void each(Visit &&visit, X &x, Y &...y) {
    if constexpr (content == Content::Numbers) {
      std::size_t n = std::size(x);
      ((n = std::size(y) < n ? std::size(y) : n), ...);
      for (std::size_t i = 0; i != n; ++i)
        Numbers<std::remove_cv_t<E>>::each(visit, x[i], y[i]...);
    }
  }
};

template <class Visit, class X, class... Y>
void eachOfMember(Visit &visit, X &x, Y &...y) {
  Numbers<std::remove_cv_t<X>>::each(visit, x, y...);
}

/// Corresponding elements of several tuples.
template <class Visit, class... Tuples>
void eachOfTuples(Visit &visit, Tuples &&...tuples) {
  using First = std::tuple_element_t<0, std::tuple<std::decay_t<Tuples>...>>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (
        [&] {
          constexpr std::size_t K = I;
          eachOfMember(visit, std::get<K>(tuples)...);
        }(),
        ...);
  }(std::make_index_sequence<std::tuple_size_v<First>>());
}

/// What is known of a type from the types of its members.
template <class... T> struct Compound {
  static constexpr Content content = contentOfAll<T...>();
  static constexpr bool IsFixed =
      (Numbers<std::remove_cv_t<T>>::IsFixed && ...);
  using Scalar = typename Widest<ScalarOf<T>...>::type;
};

template <class Tuple> struct CompoundOf;
template <class... T>
struct CompoundOf<std::tuple<T &...>> : Compound<std::remove_cv_t<T>...> {};

/// Types without numbers. Of a pointer to a class nothing is said, as the class
/// may hold pointers in turn.
template <class T> consteval bool holdsNothing() {
  using Pointee = std::remove_pointer_t<T>;
  if constexpr (std::is_pointer_v<T>)
    return std::is_function_v<Pointee> || std::is_integral_v<Pointee> ||
           std::is_enum_v<Pointee>;
  else
    return std::is_integral_v<T> || std::is_enum_v<T> ||
           std::is_null_pointer_v<T> || std::is_member_pointer_v<T> ||
           std::is_empty_v<T>;
}

/// Owns its elements or has a fixed number of them, as Eigen's matrices do.
template <class T>
concept EigenObject = requires(T &x, const T &c) {
  typename T::PlainObject;
  requires std::same_as<typename T::PlainObject, T>;
  typename T::Scalar;
  requires std::same_as<decltype(x.data()), typename T::Scalar *>;
  T::RowsAtCompileTime + T::ColsAtCompileTime + T::SizeAtCompileTime;
  c.rows() + c.cols() + c.size();
  T::Zero(c.rows(), c.cols());
};

} // namespace detail

//===----------------------------------------------------------------------===//
// Numbers and types without
//===----------------------------------------------------------------------===//

template <class T> struct Numbers : detail::Copyable<T> {
  static constexpr Content content = Content::Unknown;
  static constexpr bool IsFixed = false;
  using Scalar = void;
  static void each(auto &&, auto &...) {}
};

template <std::floating_point T> struct Numbers<T> : detail::Copyable<T> {
  static constexpr Content content = Content::Numbers;
  static constexpr bool IsFixed = true;
  using Scalar = T;
  static void each(auto &&visit, auto &...x) { visit(x...); }
};

template <std::floating_point T>
struct Numbers<std::complex<T>> : detail::Copyable<std::complex<T>> {
  static constexpr Content content = Content::Numbers;
  static constexpr bool IsFixed = true;
  using Scalar = T;

  template <class Visit, class... X> static void each(Visit &&visit, X &...x) {
    visit(part<0>(x)...);
    visit(part<1>(x)...);
  }

private:
  // The standard says that a complex number is an array of two.
  template <int K> static T &part(std::complex<T> &x) {
    return reinterpret_cast<T(&)[2]>(x)[K];
  }
  template <int K> static const T &part(const std::complex<T> &x) {
    return reinterpret_cast<const T(&)[2]>(x)[K];
  }
};

template <class T>
  requires(detail::holdsNothing<T>())
struct Numbers<T> : detail::Copyable<T>, detail::NoNumbers {};

template <class C, class... Rest>
struct Numbers<std::basic_string<C, Rest...>>
    : detail::Copyable<std::basic_string<C, Rest...>>, detail::NoNumbers {};
template <class C, class... Rest>
struct Numbers<std::basic_string_view<C, Rest...>>
    : detail::Copyable<std::basic_string_view<C, Rest...>>,
      detail::NoNumbers {};

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

template <class E, std::size_t N> struct Numbers<E[N]> : detail::Sequence<E> {
  static constexpr bool IsFixed = Numbers<std::remove_cv_t<E>>::IsFixed;
  // For the functions of aggregates alone: an array is no argument.
  using Gradient = E[N];
};

template <class E, std::size_t N>
struct Numbers<std::array<E, N>> : detail::Sequence<E>,
                                   detail::Copyable<std::array<E, N>> {
  static constexpr bool IsFixed = Numbers<std::remove_cv_t<E>>::IsFixed;
};

template <class E, class Allocator>
struct Numbers<std::vector<E, Allocator>>
    : detail::Sequence<E>, detail::Copyable<std::vector<E, Allocator>> {
  static constexpr bool IsFixed = false;
  static std::vector<E, Allocator> zero(const std::vector<E, Allocator> &x) {
    if constexpr (std::is_floating_point_v<E>)
      return std::vector<E, Allocator>(x.size(), E(0), x.get_allocator());
    else
      return detail::Copyable<std::vector<E, Allocator>>::zero(x);
  }
};

/// The gradient owns its numbers: an array if the number of them is known when
/// the program is compiled, else a vector.
template <class E, std::size_t N>
struct Numbers<std::span<E, N>> : detail::Sequence<E> {
  static_assert(std::is_trivially_copyable_v<E>,
                "verso: the elements of a span must be trivially copyable");
  static constexpr bool IsFixed = N != std::dynamic_extent;
  using Element = std::remove_cv_t<E>;
  using Gradient =
      std::conditional_t<N != std::dynamic_extent,
                         std::array<Element, N == std::dynamic_extent ? 0 : N>,
                         std::vector<Element>>;

  static Gradient zero(std::span<E, N> x) {
    Gradient result{};
    if constexpr (N == std::dynamic_extent)
      result.assign(x.begin(), x.end());
    else
      std::copy(x.begin(), x.end(), result.begin());
    detail::Sequence<E>::each(detail::SetToZero{}, result);
    return result;
  }

  struct Shadow {
    explicit Shadow(Gradient &gradient) : view(gradient) {}
    void *address() { return &view; }
    std::span<Element, N> view;
  };
};

template <detail::EigenObject T>
struct Numbers<T> : detail::Sequence<typename T::Scalar> {
  static constexpr bool IsFixed =
      T::RowsAtCompileTime >= 0 && T::ColsAtCompileTime >= 0;
  using Gradient = T;
  using Shadow = detail::OwnShadow<T>;
  static T zero(const T &x) { return T::Zero(x.rows(), x.cols()); }

  template <class Visit, class... X> static void each(Visit &&visit, X &...x) {
    eachOfSpans(visit, std::span(x.data(), std::size_t(x.size()))...);
  }

private:
  template <class Visit, class... Spans>
  static void eachOfSpans(Visit &visit, Spans... spans) {
    detail::Sequence<typename T::Scalar>::each(visit, spans...);
  }
};

//===----------------------------------------------------------------------===//
// Compounds
//===----------------------------------------------------------------------===//

template <class A, class B>
struct Numbers<std::pair<A, B>> : detail::Compound<A, B>,
                                  detail::Copyable<std::pair<A, B>> {
  static void each(auto &&visit, auto &...x) {
    detail::eachOfTuples(visit, x...);
  }
};

template <class... T>
  requires(sizeof...(T) > 0)
struct Numbers<std::tuple<T...>> : detail::Compound<T...>,
                                   detail::Copyable<std::tuple<T...>> {
  static void each(auto &&visit, auto &...x) {
    detail::eachOfTuples(visit, x...);
  }
};

template <class T>
  requires(detail::Aggregate<T> && !detail::holdsNothing<T>() &&
           !detail::EigenObject<T>)
struct Numbers<T>
    : detail::CompoundOf<decltype(detail::members(std::declval<T &>()))>,
      detail::Copyable<T> {
  static void each(auto &&visit, auto &...x) {
    detail::eachOfTuples(visit, detail::members(x)...);
  }
};

/// For classes that are no aggregates: these members hold the numbers.
template <class T, auto... Members> struct NumbersOf : detail::Copyable<T> {
  using Base =
      detail::CompoundOf<decltype(std::tie(std::declval<T &>().*Members...))>;
  static constexpr Content content = Base::content;
  static constexpr bool IsFixed = Base::IsFixed;
  using Scalar = typename Base::Scalar;
  static void each(auto &&visit, auto &...x) {
    (eachOf<Members>(visit, x...), ...);
  }

private:
  template <auto Member> static void eachOf(auto &visit, auto &...x) {
    detail::eachOfMember(visit, x.*Member...);
  }
};

namespace detail {

template <class T> std::size_t countNumbers(const T &x) {
  std::size_t count = 0;
  Numbers<T>::each([&](const auto &) { ++count; }, x);
  return count;
}

/// Whether a tangent or a cotangent fits x.
template <class T, class G> bool haveSameShape(const T &x, const G &gradient) {
  if constexpr (Numbers<T>::IsFixed) {
    return true;
  } else {
    if constexpr (EigenObject<T>)
      if (x.rows() != gradient.rows() || x.cols() != gradient.cols())
        return false;
    std::size_t common = 0;
    Numbers<T>::each([&](const auto &, const auto &) { ++common; }, x,
                     gradient);
    return common == countNumbers(x) && common == countNumbers(gradient);
  }
}

/// The sum of products of corresponding numbers.
template <class A, class B> ScalarOf<B> dot(const A &a, const B &b) {
  ScalarOf<B> sum = 0;
  Numbers<B>::each([&](const auto &x, const auto &y) { sum += x * y; }, b, a);
  return sum;
}

} // namespace detail
} // namespace verso

#endif // VERSO_NUMBERS_HPP
