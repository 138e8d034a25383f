//===- arguments.hpp - what a request does with each argument ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an argument is differentiated as follows from the type of the function's
// parameter:
//
//   T, const T &, T &&, std::span<const T>    an input
//   T &, std::span<T>                         an input and an output
//   a type without numbers                    a constant
//
// The parameters are known of functions, of member functions, and of callables
// with one call operator that is no template. Of the others (generic lambdas)
// the argument decides: it is an input, or, if it is a std::span<T>, an input
// and an output. An argument may say otherwise:
//
//   verso::constant(x)   does not vary
//   verso::active(x)     is an input, and it is an error if it holds no numbers
//   verso::inout(x)      an input and an output
//   verso::out(x)        an output: what it held before does not matter
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_ARGUMENTS_HPP
#define VERSO_ARGUMENTS_HPP

#include "verso/numbers.hpp"

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace verso {

namespace detail {
enum class Role { Input, InOut, Output, Constant };

/// An argument of which the user said what it is. T is a reference for an
/// lvalue, and the type itself for a temporary, which is moved in.
template <class T, Role R, bool IsSure> struct Marked {
  T value;
};
} // namespace detail

/// x does not vary.
template <class T>
constexpr detail::Marked<T, detail::Role::Constant, true> constant(T &&x) {
  return {std::forward<T>(x)};
}
/// x is differentiated with respect to.
template <class T>
constexpr detail::Marked<T, detail::Role::Input, true> active(T &&x) {
  return {std::forward<T>(x)};
}
/// The function reads and writes x.
template <class T>
constexpr detail::Marked<T &, detail::Role::InOut, true> inout(T &x) {
  return {x};
}
/// The function writes x, and does not read what was there before.
template <class T>
constexpr detail::Marked<T &, detail::Role::Output, true> out(T &x) {
  return {x};
}

namespace detail {

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

template <class... T> struct Parameters {
  static constexpr bool IsKnown = true;
  static constexpr std::size_t Count = sizeof...(T);
};
struct UnknownParameters {
  static constexpr bool IsKnown = false;
};

template <class M> struct MemberSignature {
  using type = UnknownParameters;
};
#define VERSO_MEMBER_SIGNATURE(qualifiers, object)                             \
  template <class R, class C, class... P>                                      \
  struct MemberSignature<R (C::*)(P...) qualifiers> {                          \
    using type = Parameters<P...>;                                             \
    using WithObject = Parameters<object, P...>;                               \
  };
VERSO_MEMBER_SIGNATURE(, C &)
VERSO_MEMBER_SIGNATURE(&, C &)
VERSO_MEMBER_SIGNATURE(const, const C &)
VERSO_MEMBER_SIGNATURE(const &, const C &)
VERSO_MEMBER_SIGNATURE(noexcept, C &)
VERSO_MEMBER_SIGNATURE(& noexcept, C &)
VERSO_MEMBER_SIGNATURE(const noexcept, const C &)
VERSO_MEMBER_SIGNATURE(const & noexcept, const C &)
#undef VERSO_MEMBER_SIGNATURE

/// The parameters of a callable.
template <class F> struct Signature {
  using type = UnknownParameters;
};
template <class R, class... P> struct Signature<R (*)(P...)> {
  using type = Parameters<P...>;
};
template <class R, class... P> struct Signature<R (*)(P...) noexcept> {
  using type = Parameters<P...>;
};
template <class F>
  requires std::is_member_function_pointer_v<F>
struct Signature<F> {
  using type = typename MemberSignature<F>::WithObject;
};
template <class F>
  requires requires { &F::operator(); }
struct Signature<F> : MemberSignature<decltype(&F::operator())> {};
/// A callable of ours says what it takes.
template <class F>
  requires requires { typename F::VersoParameters; }
struct Signature<F> {
  using type = typename F::VersoParameters;
};

template <class F> using ParametersOf = typename Signature<F>::type;

/// void if it is not known.
template <std::size_t I, class P> struct ParameterAt {
  using type = void;
};
template <std::size_t I, class... P>
  requires(I < sizeof...(P))
struct ParameterAt<I, Parameters<P...>> {
  using type = std::tuple_element_t<I, std::tuple<P...>>;
};

template <class P, class... First> struct PrependTo {
  using type = UnknownParameters;
};
template <class... P, class... First>
struct PrependTo<Parameters<P...>, First...> {
  using type = Parameters<First..., P...>;
};

//===----------------------------------------------------------------------===//
// From parameter and argument to a role
//===----------------------------------------------------------------------===//

template <class T> struct IsSpan : std::false_type {};
template <class E, std::size_t N>
struct IsSpan<std::span<E, N>> : std::true_type {
  static constexpr bool IsWritable = !std::is_const_v<E>;
};

template <class A> struct Unmarked {
  using type = A;
  static constexpr bool IsMarked = false;
  static constexpr Role Given = Role::Input;
  static constexpr auto &&get(A &&a) { return std::forward<A>(a); }
};
/// A function is a pointer to it.
template <class A>
  requires std::is_function_v<std::remove_reference_t<A>>
struct Unmarked<A> {
  using type = std::decay_t<A>;
  static constexpr bool IsMarked = false;
  static constexpr Role Given = Role::Input;
  static constexpr type get(A a) { return a; }
};
template <class T, Role R, class A> struct UnmarkedAs {
  using type = T;
  static constexpr bool IsMarked = true;
  static constexpr Role Given = R;
  static constexpr auto &get(auto &&a) { return a.value; }
};
template <class T, Role R, bool S>
struct Unmarked<Marked<T, R, S>> : UnmarkedAs<T, R, Marked<T, R, S>> {};
template <class T, Role R, bool S>
struct Unmarked<Marked<T, R, S> &> : UnmarkedAs<T, R, Marked<T, R, S> &> {};
template <class T, Role R, bool S>
struct Unmarked<const Marked<T, R, S> &>
    : UnmarkedAs<T, R, const Marked<T, R, S> &> {};

/// An expression of Eigen is evaluated.
template <class T> struct Evaluated : std::type_identity<T> {};
template <class T>
  requires requires { typename T::PlainObject; }
struct Evaluated<T> : std::type_identity<typename T::PlainObject> {};

/// What an argument of type A (a reference or not, marked or not) for a
/// parameter of type P (void: not known) is treated as.
template <class P, class A> struct Treatment {
  using Mark = Unmarked<A>;
  using Given = std::remove_cvref_t<typename Mark::type>;
  using Declared = std::remove_cvref_t<P>;

  static constexpr bool IsWritten =
      std::is_lvalue_reference_v<P> &&
      !std::is_const_v<std::remove_reference_t<P>>;

  /// The parameter's type if that is a value that the argument converts to,
  /// else the argument's own.
  static consteval auto chooseType() {
    if constexpr (std::is_void_v<P>)
      return std::type_identity<typename Evaluated<Given>::type>();
    else if constexpr (contentOf<Declared> == Content::Unknown ||
                       IsSpan<Given>::value != IsSpan<Declared>::value)
      // A view of Eigen's as the parameter takes whatever the argument is; a
      // std::span that is made of a container is a view of it.
      return std::type_identity<
          std::conditional_t<IsSpan<Declared>::value, Declared,
                             typename Evaluated<Given>::type>>();
    else
      return std::type_identity<Declared>();
  }
  using Type = typename decltype(chooseType())::type;

  static consteval Role chooseRole() {
    if (Mark::IsMarked)
      return Mark::Given;
    if (contentOf<Type> != Content::Numbers)
      return Role::Constant;
    if constexpr (IsSpan<Type>::value)
      return IsSpan<Type>::IsWritable ? Role::InOut : Role::Input;
    return IsWritten ? Role::InOut : Role::Input;
  }
  static constexpr Role R = chooseRole();

  /// A constant keeps its own type, const or not.
  using Object =
      std::conditional_t<R == Role::Constant,
                         std::remove_reference_t<typename Mark::type>, Type>;
};

} // namespace detail
} // namespace verso

#endif // VERSO_ARGUMENTS_HPP
