//===- aggregate.hpp - the members of a struct ------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// detail::members(x) is a tuple of references to the members of an aggregate,
// in order. Aggregates with base classes, with reference members or with
// bit-fields have no such tuple. With a clang before 21, which has no packs of
// structured bindings, up to 16 members are found.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_AGGREGATE_HPP
#define VERSO_AGGREGATE_HPP

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace verso::detail {

#if __has_builtin(__builtin_structured_binding_size) &&                        \
    defined(__cpp_structured_bindings) &&                                      \
    __cpp_structured_bindings >= 202411L && !defined(VERSO_NO_BINDING_PACKS)

/// The number of members, -1 if they cannot be told apart.
template <class T> consteval int memberCount() {
  if constexpr (requires { __builtin_structured_binding_size(T); })
    return static_cast<int>(__builtin_structured_binding_size(T));
  else
    return -1;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
template <class T> constexpr auto members(T &x) {
  auto &[... member] = x;
  return std::tie(member...);
}
#pragma clang diagnostic pop

#else

/// Stands for the initialiser of any member.
struct AnyMember {
  template <class T> operator T() const;
};

template <class T, class... Initialisers>
concept InitialisedBy = requires { T{Initialisers{}...}; };

/// AnyMember as often as there are indices.
template <std::size_t> using AnyOf = AnyMember;

/// How many initialisers T takes, where an array takes one for each element.
template <class T, class... Initialisers> consteval int initialiserCount() {
  constexpr int Most = 64;
  if constexpr (sizeof...(Initialisers) > Most)
    return -1;
  else if constexpr (InitialisedBy<T, Initialisers...> &&
                     !InitialisedBy<T, Initialisers..., AnyMember>)
    return static_cast<int>(sizeof...(Initialisers));
  else
    return initialiserCount<T, Initialisers..., AnyMember>();
}

/// Whether T can be initialised by \p before, then as many in braces of their
/// own as \p inside, then \p after.
template <class T, std::size_t... before, std::size_t... inside,
          std::size_t... after>
consteval bool isNested(std::index_sequence<before...>,
                        std::index_sequence<inside...>,
                        std::index_sequence<after...>) {
  return requires {
    T{AnyOf<before>{}..., {AnyOf<inside>{}...}, AnyOf<after>{}...};
  };
}

/// How many of all initialisers the member takes that begins with number
/// \p at. Only that of an array stands for several of them.
template <class T, int all, int at, int inside = 1>
consteval int initialisersOfMember() {
  using Before = std::make_index_sequence<at>;
  using Others = std::make_index_sequence<all - at - 1>;
  if constexpr (isNested<T>(Before{}, std::index_sequence<>{}, Others{}) ||
                isNested<T>(Before{}, std::index_sequence<0>{}, Others{}))
    return 1;
  else if constexpr (isNested<T>(Before{},
                                 std::make_index_sequence<inside + 1>{},
                                 std::index_sequence<>{}))
    return initialisersOfMember<T, all, at, inside + 1>();
  else
    return inside;
}

template <class T, int all, int at = 0> consteval int countMembers() {
  if constexpr (at >= all)
    return 0;
  else
    return 1 + countMembers<T, all, at + initialisersOfMember<T, all, at>()>();
}

template <class T> consteval int memberCount() {
  constexpr int all = initialiserCount<T>();
  constexpr int count = countMembers<T, (all < 0 ? 0 : all)>();
  return all < 0 || count > 16 ? -1 : count;
}

#define VERSO_MEMBERS(count, ...)                                              \
  else if constexpr (n == count) {                                             \
    auto &[__VA_ARGS__] = x;                                                   \
    return std::tie(__VA_ARGS__);                                              \
  }
template <class T> constexpr auto members(T &x) {
  constexpr int n = memberCount<std::remove_const_t<T>>();
  if constexpr (n == 0) {
    return std::tie();
  }
  VERSO_MEMBERS(1, a)
  VERSO_MEMBERS(2, a, b)
  VERSO_MEMBERS(3, a, b, c)
  VERSO_MEMBERS(4, a, b, c, d)
  VERSO_MEMBERS(5, a, b, c, d, e)
  VERSO_MEMBERS(6, a, b, c, d, e, f)
  VERSO_MEMBERS(7, a, b, c, d, e, f, g)
  VERSO_MEMBERS(8, a, b, c, d, e, f, g, h)
  VERSO_MEMBERS(9, a, b, c, d, e, f, g, h, i)
  VERSO_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
  VERSO_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
  VERSO_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  VERSO_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  VERSO_MEMBERS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, o)
  VERSO_MEMBERS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p)
  VERSO_MEMBERS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q)
}
#undef VERSO_MEMBERS

#endif

/// A struct whose members can be told apart.
template <class T>
concept Aggregate =
    std::is_aggregate_v<T> && std::is_class_v<T> && (memberCount<T>() > 0);

} // namespace verso::detail

#endif // VERSO_AGGREGATE_HPP
