//===- forward.hpp - tangents and linear maps -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that returns numbers otherwise than as one number is
// differentiated as a function that writes them to memory of the caller's. Its
// shape has to be known before: of a type of fixed shape, and of a gradient, it
// is; else the function runs once more, without derivatives.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_HPP
#define VERSO_FORWARD_HPP

#include "verso/pullback.hpp"

#include <memory>

namespace verso {

/// What verso::jvp(f, primals, tangents) returns.
template <class V, class T> struct ValueAndTangent {
  V value;
  T tangent;
};

/// What verso::linearize(f, x...) returns.
template <class V, class Pushforward> struct ValueAndPushforward {
  V value;
  Pushforward pushforward;
};

namespace detail {

//===----------------------------------------------------------------------===//
// Values in memory
//===----------------------------------------------------------------------===//

/// Memory for the function's value.
template <class V, class F, class Slots>
VERSO_INLINE V makeValue(const F &function, Slots &slots) {
  using All = std::make_index_sequence<std::tuple_size_v<Slots>>;
  if constexpr (HasFixedShape<V>) {
    return V{};
  } else if constexpr (IsGradientFunction<F>::value) {
    return zeroGradients(slots, SequenceOf<Slots, IsInput>());
  } else {
    static_assert(
        SequenceOf<Slots, IsOutput>::size() == 0,
        "verso: a function that writes its arguments must return a "
        "number or a type of fixed size in forward mode; let it write "
        "its value to an argument");
    return callWith(function, slots, All());
  }
}

//===----------------------------------------------------------------------===//
// Tangents
//===----------------------------------------------------------------------===//

template <class T> struct IsTuple : std::false_type {};
template <class... T> struct IsTuple<std::tuple<T...>> : std::true_type {};

/// x, or a tuple that refers to it.
template <class T> VERSO_INLINE decltype(auto) asTuple(T &&x) {
  if constexpr (IsTuple<std::remove_cvref_t<T>>::value)
    return std::forward<T>(x);
  else
    return std::forward_as_tuple(std::forward<T>(x));
}
template <class T>
using TupleOf = std::remove_cvref_t<decltype(asTuple(std::declval<T>()))>;
template <class T>
using IndicesOfArguments =
    std::make_index_sequence<std::tuple_size_v<TupleOf<T>>>;

template <std::size_t I, class Slots, class Tangents>
consteval bool checkTangent() {
  using S = std::tuple_element_t<I, Slots>;
  using Given = std::remove_reference_t<
      std::tuple_element_t<countBefore<Slots>(I, IsVarying()), Tangents>>;
  constexpr bool fits = S::kind == Kind::Number
                            ? std::is_arithmetic_v<Given>
                            : std::is_same_v<std::remove_cv_t<Given>,
                                             GradientOf<TypeAt<I, Slots>>>;
  constexpr bool isWritable = S::role == Role::Input || !std::is_const_v<Given>;
  static_assert(fits,
                "verso: a tangent has another type than the gradient with "
                "respect to its primal");
  static_assert(isWritable,
                "verso: the tangent of an argument that the function "
                "writes is written; give a variable");
  return fits && isWritable;
}
template <class Slots, class Tangents, std::size_t... I>
consteval bool checkTangents(std::index_sequence<I...>) {
  return (checkTangent<I, Slots, Tangents>() & ... & true);
}

template <class F, class Tangents, class... A> consteval bool checkJvp() {
  if constexpr (!checkCall<F, Outputs::Seeded, A...>()) {
    return false;
  } else {
    using Slots = SlotsFor<F, Outputs::Seeded, 1, A...>;
    constexpr bool countsFit =
        std::tuple_size_v<Tangents> == SequenceOf<Slots, IsVarying>::size();
    static_assert(countsFit,
                  "verso: there is not one tangent for each argument "
                  "that varies");
    if constexpr (!countsFit || !checkInputs<Slots>())
      return false;
    else if constexpr (!checkTangents<Slots, Tangents>(
                           SequenceOf<Slots, IsVarying>()))
      return false;
    else if constexpr (std::is_void_v<ValueOf<F, Slots>> &&
                       SequenceOf<Slots, IsOutput>::size() != 0)
      return true;
    else
      return checkNumbersIn<ValueOf<F, Slots>>();
  }
}

/// Gives slot \p I its tangent, whose type fits.
template <std::size_t I, class Slots, class T>
VERSO_INLINE void bindTangent(Slots &slots, T &tangent) {
  auto &slot = std::get<I>(slots);
  using S = std::tuple_element_t<I, Slots>;
  if constexpr (S::kind == Kind::Number) {
    slot.tangents[0] = static_cast<typename S::Type>(tangent);
  } else {
    if (!haveSameShape(slot.get(), tangent))
      shapeMismatch("verso: a tangent has another shape than its primal");
    slot.setShadow(0, const_cast<std::remove_cv_t<T> &>(tangent));
  }
}

/// Slots that vary get tangents in order, except the first \p Skipped of them.
template <std::size_t Skipped, class Slots, std::size_t... I, class Tangents>
VERSO_INLINE void bindTangents(Slots &slots, std::index_sequence<I...>,
                               Tangents &tangents) {
  (
      [&] {
        constexpr std::size_t K = countBefore<Slots>(I, IsVarying());
        if constexpr (K >= Skipped)
          bindTangent<I>(slots, std::get<K - Skipped>(tangents));
      }(),
      ...);
}

template <class V>
VERSO_INLINE ValueAndTangent<V, GradientOf<V>> withZeroTangent(V &&value) {
  GradientOf<V> tangent = Numbers<V>::zero(value);
  return {std::move(value), std::move(tangent)};
}

/// The slots of a call that writes its value of type V to memory.
template <class F, class V, int Width, class... A>
using SlotsInto = SlotsFor<Into<F, V>, Outputs::Seeded, Width,
                           Marked<V &, Role::Output, true>, A...>;

template <class F, class Tangents, class... A>
VERSO_INLINE auto jvpOf(const F &function, Tangents &&tangents, A &&...a) {
  if constexpr (checkJvp<F, std::remove_cvref_t<Tangents>, A...>()) {
    using Slots = SlotsFor<F, Outputs::Seeded, 1, A...>;
    using V = ValueOf<F, Slots>;
    Slots slots(std::forward<A>(a)...);
    if constexpr (std::is_void_v<V>) {
      bindTangents<0>(slots, SequenceOf<Slots, IsVarying>(), tangents);
      Frame<F, Slots> frame{std::addressof(function), &slots};
      emitForward<JvpEntry<void, 1>>(frame);
      return ValueAndTangent<NoValue, NoValue>{};
    } else if constexpr (std::is_floating_point_v<V>) {
      bindTangents<0>(slots, SequenceOf<Slots, IsVarying>(), tangents);
      Frame<F, Slots> frame{std::addressof(function), &slots};
      Pack<V, V> pack = emitForward<ValueAndJvpEntry<Pack<V, V>>>(frame);
      return ValueAndTangent<V, V>{packed<0>(pack), packed<1>(pack)};
    } else {
      using Whole = SlotsInto<F, V, 1, A...>;
      ValueAndTangent<V, GradientOf<V>> result =
          withZeroTangent(makeValue<V>(function, slots));
      Whole whole(out(result.value), a...);
      std::get<0>(whole).setShadow(0, result.tangent);
      bindTangents<1>(whole, SequenceOf<Whole, IsVarying>(), tangents);
      Into<F, V> into{std::addressof(function)};
      Frame<Into<F, V>, Whole> frame{&into, &whole};
      emitForward<JvpEntry<void, 1>>(frame);
      return result;
    }
  }
}

template <class F, class Primals, class Tangents, std::size_t... I>
VERSO_INLINE auto jvpOfTuple(const F &function, Primals &&primals,
                             Tangents &&tangents, std::index_sequence<I...>) {
  return jvpOf(function, std::forward<Tangents>(tangents),
               std::get<I>(std::forward<Primals>(primals))...);
}

template <class F> struct JvpFunction {
  F function;

  template <class Primals, class Tangents>
  VERSO_INLINE auto operator()(Primals &&primals, Tangents &&tangents) const {
    return jvpOfTuple(function, asTuple(std::forward<Primals>(primals)),
                      asTuple(std::forward<Tangents>(tangents)),
                      IndicesOfArguments<Primals>());
  }
};

} // namespace detail

/// The value of a function at a point, and its derivative in a direction.
///
///   std::vector<double> f(const Model &m, const std::vector<double> &x, int
///   n); auto [y, dy] = verso::jvp(f, std::tie(m, x, n), std::tie(dm, dx));
///   auto [z, dz] = verso::jvp(g, 3.0, 1.0);          a function of one
///   argument
///
/// There is one tangent for each argument that varies, of the type that
/// verso::grad gives for it. The tangent of an argument that f writes is, after
/// the call, that of what f has written. dy has y's type; of a view, the type
/// that owns its numbers. f runs once; but where it returns a type whose size
/// is only known when it returns (std::vector, a dynamic matrix), it runs once
/// more.
template <class F, class Primals, class Tangents>
VERSO_INLINE auto jvp(F &&function, Primals &&primals, Tangents &&tangents) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkFunction<D>()) {
    // As an object, as everywhere: a function is a pointer to it.
    const D &f = function;
    return detail::jvpOfTuple(f,
                              detail::asTuple(std::forward<Primals>(primals)),
                              detail::asTuple(std::forward<Tangents>(tangents)),
                              detail::IndicesOfArguments<Primals>());
  }
}

/// The same as a function: verso::jvp(f)(primals, tangents).
template <class F> VERSO_INLINE constexpr auto jvp(F &&function) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkFunction<D>())
    return detail::JvpFunction<D>{std::forward<F>(function)};
  else
    return detail::Nothing();
}

/// The product of the Hessian of f, which returns a number, at x with a vector:
/// forward mode over reverse. Both may be tuples, as in verso::jvp; the product
/// has the type of the gradient.
template <class F, class Primals, class Tangents>
VERSO_INLINE auto hvp(F &&function, Primals &&primals, Tangents &&tangents) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkFunction<D>())
    return jvp(detail::GradientFunction<D>{std::forward<F>(function), {}},
               std::forward<Primals>(primals), std::forward<Tangents>(tangents))
        .tangent;
}

} // namespace verso

#endif // VERSO_FORWARD_HPP
