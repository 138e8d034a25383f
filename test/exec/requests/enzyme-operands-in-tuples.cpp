//===- enzyme-operands-in-tuples.cpp - a header over Enzyme's names -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wrappers that are always inlined collect the operands, markers among them, in
// tuples, and say of the returned value what is to become of it: nothing
// (enzyme_noret), its derivative (enzyme_active_return), its tangent
// (enzyme_dup_return), or that it has none (enzyme_const_return). At -O0 the
// tuples are in memory, and a pair of an int and a float is an integer.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"

#include <cstddef>
#include <utility>

extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_noret,
    enzyme_primal_return, enzyme_active_return, enzyme_const_return,
    enzyme_dup_return;
template <typename Return, typename... Arguments>
Return __enzyme_autodiff(Arguments...);
template <typename Return, typename... Arguments>
Return __enzyme_fwddiff(Arguments...);

#define INLINE __attribute__((always_inline))

template <size_t, typename T> struct leaf {
  T value;
};
template <typename, typename...> struct leaves;
template <size_t... K, typename... T>
struct leaves<std::index_sequence<K...>, T...> : leaf<K, T>... {};
template <typename... T>
struct pack : leaves<std::index_sequence_for<T...>, T...> {};

template <size_t K, typename T> INLINE T get(leaf<K, T> &l) { return l.value; }
template <typename T> INLINE pack<int, T> out(T x) { return {enzyme_out, x}; }
template <typename T> INLINE pack<int, T> constant(T x) {
  return {enzyme_const, x};
}
template <typename T> INLINE pack<int, T, T> dup(T x, T dx) {
  return {enzyme_dup, x, dx};
}
template <typename... A, size_t... I, typename... B, size_t... J>
INLINE pack<A..., B...> join(pack<A...> a, std::index_sequence<I...>,
                             pack<B...> b, std::index_sequence<J...>) {
  return {get<I>(a)..., get<J>(b)...};
}
template <typename Return, typename F, typename... A, size_t... I>
INLINE Return reverse(F *f, int *how, pack<A...> a, std::index_sequence<I...>) {
  return __enzyme_autodiff<Return>((void *)f, how, get<I>(a)...);
}
template <typename Return, typename F, typename... A, size_t... I>
INLINE Return forward(F *f, int *how, pack<A...> a, std::index_sequence<I...>) {
  return __enzyme_fwddiff<Return>((void *)f, how, get<I>(a)...);
}
template <typename... A, typename... B>
INLINE pack<A..., B...> operator+(pack<A...> a, pack<B...> b) {
  return join(a, std::index_sequence_for<A...>(), b,
              std::index_sequence_for<B...>());
}
template <typename Return, typename F, typename... A>
INLINE Return reverse(F *f, int *how, pack<A...> a) {
  return reverse<Return>(f, how, a, std::index_sequence_for<A...>());
}
template <typename Return, typename F, typename... A>
INLINE Return forward(F *f, int *how, pack<A...> a) {
  return forward<Return>(f, how, a, std::index_sequence_for<A...>());
}

struct value_and_tangent {
  double value, tangent;
};
struct both {
  double dx, dy;
};
static double product(double x, double y) { return x * y; }
static float squareOf(float x) { return x * x; }
static double scaled(const double *x, double factor) {
  return *x * *x * factor;
}
static double alsoInto(const double *x, double *y) {
  *y = 3 * *x;
  return *x * *x;
}

int main() {
  pack<int *> noret{&enzyme_noret}, primal{&enzyme_primal_return};
  both d = reverse<both>(product, &enzyme_active_return,
                         noret + out(3.0) + out(5.0));
  CHECK_EQUAL(d.dx, 5);
  CHECK_EQUAL(d.dy, 3);
  float f = reverse<float>(squareOf, &enzyme_active_return, noret + out(3.0f));
  CHECK_EQUAL(f, 6);
  double x = 2, dx = 0;
  reverse<void>(scaled, &enzyme_active_return,
                noret + dup(&x, &dx) + constant(7.0));
  CHECK_EQUAL(dx, 28);
  // Of a returned value without derivative only the other outputs count.
  double y = 0, dy = 1;
  dx = 0;
  reverse<void>(alsoInto, &enzyme_const_return,
                noret + dup(&x, &dx) + dup(&y, &dy));
  CHECK_EQUAL(dx, 3);

  CHECK_EQUAL(forward<double>(product, &enzyme_dup_return,
                              noret + dup(3.0, 1.0) + constant(5.0)),
              5);
  value_and_tangent v = forward<value_and_tangent>(
      product, &enzyme_dup_return, primal + dup(3.0, 1.0) + dup(5.0, 10.0));
  CHECK_EQUAL(v.value, 15);
  CHECK_EQUAL(v.tangent, 35);
  CHECK_EQUAL(forward<double>(product, &enzyme_const_return,
                              primal + dup(3.0, 1.0) + dup(5.0, 10.0)),
              15);
  double t = 0, dt = 0;
  dx = 1;
  forward<void>(alsoInto, &enzyme_const_return,
                noret + dup(&x, &dx) + dup(&t, &dt));
  CHECK_EQUAL(dt, 3);
  return check_status();
}
