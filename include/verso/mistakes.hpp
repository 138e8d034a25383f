//===- mistakes.hpp - what a call of the interface gets wrong ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mistakes that the types show are static assertions, made here and in one
// order, so that the first message is about the cause. What only a run shows, a
// tangent or cotangent of another shape than its primal, is a
// std::invalid_argument; where there are no exceptions the program ends with
// that message.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_MISTAKES_HPP
#define VERSO_MISTAKES_HPP

#include "verso/request.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <type_traits>

namespace verso::detail {

[[noreturn, gnu::cold]] inline void shapeMismatch(const char *message) {
#if __cpp_exceptions
  throw std::invalid_argument(message);
#else
  std::fprintf(stderr, "%s\n", message);
  std::abort();
#endif
}

[[noreturn, gnu::cold]] inline void misuse(const char *message) {
#if __cpp_exceptions
  throw std::logic_error(message);
#else
  std::fprintf(stderr, "%s\n", message);
  std::abort();
#endif
}

/// F is what a user gave as a function, decayed.
template <class F> consteval bool checkFunction() {
  constexpr bool isFunction =
      std::is_member_function_pointer_v<F> || std::is_class_v<F> ||
      (std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>);
  static_assert(isFunction,
                "verso: the first argument is not a function; give a function, "
                "a lambda, or an object with a call operator");
  return isFunction;
}

/// What A gives for a parameter of type P.
template <class P, class A> consteval bool checkArgument() {
  using T = Treatment<P, A>;
  using Type = typename T::Type;
  using Given = std::remove_reference_t<typename T::Mark::type>;
  constexpr bool isPointer = std::is_pointer_v<Type> || std::is_array_v<Given>;
  constexpr bool isKnown =
      T::Mark::Given == Role::Constant ||
      (contentOf<Type> != Content::Unknown && !std::is_array_v<Type>);
  constexpr bool hasNumbers = !T::Mark::IsMarked ||
                              T::Mark::Given == Role::Constant ||
                              contentOf<Type> != Content::Nothing;
  constexpr bool isWritable =
      IsSpan<Type>::value || (T::R != Role::InOut && T::R != Role::Output) ||
      ((T::Mark::IsMarked || std::is_lvalue_reference_v<A>) &&
       !std::is_const_v<Given>);
  static_assert(
      isKnown || !isPointer,
      "verso: an argument is a pointer or an array, which does not say "
      "how many numbers the function gets; pass a std::span, or "
      "verso::constant(p) if they do not vary");
  static_assert(
      isKnown || isPointer,
      "verso: it is not known where the type of an argument holds its "
      "numbers; specialise verso::Numbers for it, or pass "
      "verso::constant(x) if it does not vary");
  static_assert(hasNumbers || !isKnown,
                "verso: an argument is marked as varying, but its type has "
                "nothing to differentiate: it holds no floating-point numbers");
  static_assert(isWritable,
                "verso: the function writes an argument that is const or a "
                "temporary; give a variable");
  // A constant is converted by the call itself.
  constexpr bool converts =
      T::R == Role::Constant ||
      std::is_base_of_v<Type, std::remove_const_t<Given>> ||
      std::is_convertible_v<typename T::Mark::type, Type>;
  static_assert(converts || !isKnown || !hasNumbers,
                "verso: the function cannot be called with these arguments");
  return isKnown && hasNumbers && isWritable && converts;
}

template <class F, std::size_t... I, class... A>
consteval bool checkArguments(std::index_sequence<I...>,
                              std::type_identity<A>...) {
  return (checkArgument<typename ParameterAt<I, ParametersOf<F>>::type, A>() &
          ... & true);
}

template <class F, class Slots> struct CallOf;
template <class F, class... S> struct CallOf<F, std::tuple<S...>> {
  static constexpr bool IsPossible =
      std::is_invocable_v<const F &, typename PassedOn<F, S>::type...>;
  static constexpr bool IsPossibleIfNotConst =
      std::is_invocable_v<F &, typename PassedOn<F, S>::type...>;
};
template <class F, class... S>
  requires CallOf<F, std::tuple<S...>>::IsPossible
auto resultOfCall(std::tuple<S...> *)
    -> std::invoke_result_t<const F &, typename PassedOn<F, S>::type...>;

/// What a call of F returns, by value.
template <class F, class Slots>
using ValueOf = typename Evaluated<std::remove_cvref_t<decltype(resultOfCall<F>(
    static_cast<Slots *>(nullptr)))>>::type;

/// A call of F with arguments A.
template <class F, Outputs O, class... A> consteval bool checkCall() {
  constexpr bool countsFit = [] {
    if constexpr (ParametersOf<F>::IsKnown)
      return ParametersOf<F>::Count == sizeof...(A);
    return true;
  }();
  static_assert(countsFit, "verso: the function takes another number of "
                           "arguments than are given");
  if constexpr (!countsFit) {
    return false;
  } else if constexpr (!checkArguments<F>(std::index_sequence_for<A...>(),
                                          std::type_identity<A>()...)) {
    return false;
  } else {
    using Slots = SlotsFor<F, O, 1, A...>;
    using Call = CallOf<F, Slots>;
    static_assert(Call::IsPossible || !Call::IsPossibleIfNotConst,
                  "verso: the function changes its own state when it is called "
                  "(a mutable lambda); its call operator must be const");
    static_assert(Call::IsPossible || Call::IsPossibleIfNotConst,
                  "verso: the function cannot be called with these arguments");
    return Call::IsPossible;
  }
}

template <class Slots, std::size_t Others = 0> consteval bool checkInputs() {
  constexpr bool any =
      Others + countBefore<Slots>(std::tuple_size_v<Slots>, IsInput()) != 0;
  static_assert(any,
                "verso: there is nothing to differentiate with respect to: "
                "no argument that varies holds floating-point numbers");
  return any;
}

/// The value of a function that has a gradient.
template <class V> consteval bool checkGradientOf() {
  constexpr bool isVoid = std::is_void_v<V>;
  constexpr bool isSeveral = [] {
    if constexpr (!std::is_void_v<V>)
      return contentOf<V> == Content::Numbers && !std::is_floating_point_v<V>;
    return false;
  }();
  constexpr bool isNumber = std::is_floating_point_v<V>;
  static_assert(!isVoid, "verso: the function returns nothing, so it has no "
                         "gradient; return a number, or use verso::vjp");
  static_assert(!isSeveral,
                "verso: the function returns several numbers, so it has no "
                "gradient; use verso::jacobian or verso::vjp");
  static_assert(isNumber || isVoid || isSeveral,
                "verso: the function returns no floating-point number");
  return isNumber;
}

/// The value of a function that has a Jacobian or a linear map.
template <class V> consteval bool checkNumbersIn() {
  constexpr bool holds = [] {
    if constexpr (!std::is_void_v<V>)
      return contentOf<V> == Content::Numbers;
    return false;
  }();
  static_assert(holds, "verso: the function returns no floating-point numbers");
  return holds;
}

} // namespace verso::detail

#endif // VERSO_MISTAKES_HPP
