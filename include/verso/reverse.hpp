//===- reverse.hpp - gradients and pullbacks --------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::grad and verso::value_and_grad. A gradient is built where it is
// returned from: it is the shadow of its argument (of a number it is what the
// request returns), so that nothing else is allocated.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REVERSE_HPP
#define VERSO_REVERSE_HPP

#include "verso/mistakes.hpp"

namespace verso {

/// What verso::value_and_grad(f)(x...) returns.
template <class V, class G> struct ValueAndGradient {
  V value;
  G gradient;
};

namespace detail {

//===----------------------------------------------------------------------===//
// Where derivatives go
//===----------------------------------------------------------------------===//

/// One gradient is that gradient, several are a tuple.
template <class... G> struct Together : std::type_identity<std::tuple<G...>> {};
template <class G> struct Together<G> : std::type_identity<G> {};

template <std::size_t K, std::size_t Count, class G>
VERSO_INLINE auto &gradientAt(G &gradients) {
  if constexpr (Count == 1)
    return gradients;
  else
    return std::get<K>(gradients);
}

/// The indices of those slots that satisfy a condition.
template <class Slots, class Condition, std::size_t... I>
consteval auto indicesAmong(Condition condition, std::index_sequence<I...>) {
  constexpr std::size_t size = std::tuple_size_v<Slots>;
  constexpr std::size_t count = countBefore<Slots>(size, Condition{});
  std::array<std::size_t, count> indices{};
  std::size_t next = 0;
  ((condition(std::tuple_element_t<I, Slots>::role,
              std::tuple_element_t<I, Slots>::kind)
        ? void(indices[next++] = I)
        : void()),
   ...);
  return indices;
}
template <class Slots, class Condition>
inline constexpr auto indicesOf = indicesAmong<Slots>(
    Condition{}, std::make_index_sequence<std::tuple_size_v<Slots>>());

template <class Slots, class Condition>
using SequenceOf = decltype([]<std::size_t... K>(std::index_sequence<K...>) {
  return std::index_sequence<indicesOf<Slots, Condition>[K]...>();
}(std::make_index_sequence<indicesOf<Slots, Condition>.size()>()));

template <std::size_t I, class Slots>
using TypeAt = std::remove_cv_t<typename std::tuple_element_t<I, Slots>::Type>;

/// Zero gradients of all inputs, before them those of \p captured.
template <class Slots, std::size_t... I, class... W>
VERSO_INLINE auto zeroGradients(Slots &slots, std::index_sequence<I...>,
                                W &...captured) {
  using Result = typename Together<GradientOf<W>...,
                                   GradientOf<TypeAt<I, Slots>>...>::type;
  return Result(Numbers<std::remove_cv_t<W>>::zero(captured)...,
                Numbers<TypeAt<I, Slots>>::zero(std::get<I>(slots).get())...);
}

/// Every input's shadow is its gradient. \p First gradients belong to others.
template <std::size_t First, std::size_t Count, class Slots, std::size_t... I,
          class G>
VERSO_INLINE void bindGradients(Slots &slots, std::index_sequence<I...>,
                                G &gradients) {
  (bindGradient<I>(
       slots,
       gradientAt<First + countBefore<Slots>(I, IsInput()), Count>(gradients)),
   ...);
}
template <std::size_t I, class Slots, class G>
VERSO_INLINE void bindGradient(Slots &slots, G &gradient) {
  if constexpr (std::tuple_element_t<I, Slots>::kind == Kind::Memory)
    std::get<I>(slots).setShadow(0, gradient);
}

/// Returned derivatives, from number \p From of the pack, to their gradients.
template <std::size_t First, std::size_t Count, std::size_t From, class Slots,
          std::size_t... I, class G, class... T>
VERSO_INLINE void unpackNumbers(std::index_sequence<I...>, G &gradients,
                                Pack<T...> &pack) {
  ((gradientAt<First + countBefore<Slots>(I, IsInput()), Count>(gradients) =
        packed<From + countBefore<Slots>(I, IsNumber())>(pack)),
   ...);
}

template <class Slots, class Indices, class... Before> struct PackFor;
template <class Slots, std::size_t... I, class... Before>
struct PackFor<Slots, std::index_sequence<I...>, Before...>
    : std::type_identity<Pack<Before..., TypeAt<I, Slots>...>> {};

/// One request in reverse mode, whose shadows are bound.
template <std::size_t First, std::size_t Count, class F, class Slots, class G>
VERSO_INLINE void requestGradient(const F &function, Slots &slots,
                                  G &gradients) {
  using Reals = SequenceOf<Slots, IsNumber>;
  Frame<F, Slots> frame{std::addressof(function), &slots};
  if constexpr (Reals::size() == 0) {
    emitReverse<GradEntry<void>>(frame);
  } else {
    using Result = typename PackFor<Slots, Reals>::type;
    Result pack = emitReverse<GradEntry<Result>>(frame);
    unpackNumbers<First, Count, 0, Slots>(Reals(), gradients, pack);
  }
}

/// The same; returns the function's value.
template <class V, std::size_t First, std::size_t Count, class F, class Slots,
          class G>
VERSO_INLINE V requestValueAndGradient(const F &function, Slots &slots,
                                       G &gradients) {
  using Reals = SequenceOf<Slots, IsNumber>;
  using Result = typename PackFor<Slots, Reals, V>::type;
  Frame<F, Slots> frame{std::addressof(function), &slots};
  Result pack = emitReverse<ValueAndGradEntry<Result>>(frame);
  unpackNumbers<First, Count, 1, Slots>(Reals(), gradients, pack);
  return pack.first;
}

//===----------------------------------------------------------------------===//
// Captured data
//===----------------------------------------------------------------------===//

/// Contiguous memory that holds the numbers of \p x.
template <class T, class Visit> void eachRange(T &x, Visit visit) {
  if constexpr (requires { x.data()[x.size() - 1]; }) {
    using E = std::remove_reference_t<decltype(x.data()[0])>;
    if constexpr (std::is_trivially_copyable_v<E>)
      visit(const_cast<std::remove_cv_t<E> *>(x.data()),
            static_cast<std::size_t>(x.size()) * sizeof(E));
    else
      for (auto &element : x)
        eachRange(element, visit);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    visit(const_cast<std::remove_cv_t<T> *>(std::addressof(x)), sizeof x);
  } else {
    Numbers<std::remove_cv_t<T>>::each(
        [&](auto &number) {
          using E = std::remove_cvref_t<decltype(number)>;
          visit(const_cast<E *>(std::addressof(number)), sizeof number);
        },
        x);
  }
}

/// Watches what a callable holds by reference, for one request.
template <class... W> class Watch {
public:
  explicit Watch(const std::tuple<W &...> &captured) : captured(captured) {
    std::apply([](auto &...w) { (eachRange(w, verso_watch), ...); }, captured);
  }
  Watch(const Watch &) = delete;
  ~Watch() {
    auto end = [](void *memory, std::size_t) { verso_unwatch(memory); };
    std::apply([&](auto &...w) { (eachRange(w, end), ...); }, captured);
  }
  /// The derivatives, which are the first of \p Count gradients.
  template <std::size_t Count, class G> void read(G &gradients) const {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (readOne(gradientAt<K, Count>(gradients), std::get<K>(captured)), ...);
    }(std::index_sequence_for<W...>());
  }

private:
  template <class T, class G> static void readOne(G &gradient, T &w) {
    Numbers<std::remove_cv_t<T>>::each(
        [](const auto &number, auto &g) {
          using Number = std::remove_cvref_t<decltype(number)>;
          g = *static_cast<const Number *>(
              verso_adjoint_of(std::addressof(number)));
        },
        w, gradient);
  }

  const std::tuple<W &...> &captured;
};

template <> class Watch<> {
public:
  VERSO_INLINE explicit Watch(const std::tuple<> &) {}
  template <std::size_t Count, class G> VERSO_INLINE void read(G &) const {}
};

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

template <class F, class... W> struct GradientFunction {
  F function;
  std::tuple<W &...> captured;

  using VersoParameters = ParametersOf<F>;
  static constexpr bool VersoTakesMarks = true;

  template <class... A> VERSO_INLINE auto operator()(A &&...a) const {
    if constexpr (check<A...>()) {
      using Slots = SlotsFor<F, Outputs::Ignored, 1, A...>;
      Slots slots(std::forward<A>(a)...);
      auto gradients = zeros(slots);
      bind(slots, gradients);
      Watch<W...> watch(captured);
      requestGradient<sizeof...(W), count<Slots>>(function, slots, gradients);
      watch.template read<count<Slots>>(gradients);
      return gradients;
    }
  }

  template <class... A> VERSO_INLINE auto withValue(A &&...a) const {
    if constexpr (check<A...>()) {
      using Slots = SlotsFor<F, Outputs::Ignored, 1, A...>;
      using V = ValueOf<F, Slots>;
      Slots slots(std::forward<A>(a)...);
      ValueAndGradient<V, decltype(zeros(slots))> result{0, zeros(slots)};
      bind(slots, result.gradient);
      Watch<W...> watch(captured);
      result.value = requestValueAndGradient<V, sizeof...(W), count<Slots>>(
          function, slots, result.gradient);
      watch.template read<count<Slots>>(result.gradient);
      return result;
    }
  }

  /// Writes the gradients to \p gradients, of the right shape.
  template <class G, class... A>
  VERSO_INLINE void into(G &gradients, A &&...a) const {
    using Slots = SlotsFor<F, Outputs::Ignored, 1, A...>;
    Slots slots(std::forward<A>(a)...);
    Numbers<G>::each(SetToZero{}, gradients);
    bind(slots, gradients);
    Watch<W...> watch(captured);
    requestGradient<sizeof...(W), count<Slots>>(function, slots, gradients);
    watch.template read<count<Slots>>(gradients);
  }

private:
  template <class... A> static consteval bool check() {
    if constexpr (!checkCall<F, Outputs::Ignored, A...>()) {
      return false;
    } else {
      using Slots = SlotsFor<F, Outputs::Ignored, 1, A...>;
      if constexpr (!checkInputs<Slots, sizeof...(W)>())
        return false;
      else
        return checkGradientOf<ValueOf<F, Slots>>();
    }
  }
  template <class Slots>
  static constexpr std::size_t count =
      sizeof...(W) + SequenceOf<Slots, IsInput>::size();

  template <class Slots> VERSO_INLINE auto zeros(Slots &slots) const {
    return std::apply(
        [&](auto &...w) {
          return zeroGradients(slots, SequenceOf<Slots, IsInput>(), w...);
        },
        captured);
  }
  template <class Slots, class G>
  VERSO_INLINE static void bind(Slots &slots, G &gradients) {
    bindGradients<sizeof...(W), count<Slots>>(
        slots, SequenceOf<Slots, IsInput>(), gradients);
  }
};

template <class Gradient> struct ValueAndGradientFunction {
  Gradient gradient;

  using VersoParameters = typename Gradient::VersoParameters;
  static constexpr bool VersoTakesMarks = true;
  template <class... A> VERSO_INLINE auto operator()(A &&...a) const {
    return gradient.withValue(std::forward<A>(a)...);
  }
};

/// What is left after a mistake, so that there are no further messages.
struct Nothing {
  template <class... A> constexpr Nothing operator()(A &&...) const {
    return {};
  }
};

template <class C> struct CapturedType {};
template <class W> struct CapturedType<Marked<W &, Role::Input, true>> {
  using type = W;
};

/// C is what stands after a function.
template <class C> consteval bool checkCaptured() {
  constexpr bool isActive = requires { typename CapturedType<C>::type; };
  constexpr bool hasNumbers = [] {
    if constexpr (isActive)
      return contentOf<typename CapturedType<C>::type> == Content::Numbers;
    return false;
  }();
  static_assert(
      isActive,
      "verso: after the function stands nothing but variables that it "
      "captures by reference, as verso::active(w); arguments have "
      "parentheses of their own: verso::grad(f)(x)");
  static_assert(hasNumbers || !isActive,
                "verso: it is not known where the type of a captured variable "
                "holds numbers, or it holds none");
  return isActive && hasNumbers;
}

template <class F, class... C>
VERSO_INLINE constexpr auto makeGradientFunction(F &&function, C... captured) {
  if constexpr (!checkFunction<std::decay_t<F>>())
    return Nothing();
  else if constexpr (!(checkCaptured<C>() & ... & true))
    return Nothing();
  else
    return GradientFunction<std::decay_t<F>, typename CapturedType<C>::type...>{
        std::forward<F>(function), {captured.value...}};
}

} // namespace detail

/// The gradient of a function that returns a number:
///
///   double f(double x, const std::vector<double> &y, int n);
///   auto [dx, dy] = verso::grad(f)(x, y, n);
///
/// It has the type of the argument: a double of a double, a vector (of equal
/// length) of a vector, a struct of a struct; a std::vector of a std::span.
/// With several arguments that vary it is a std::tuple in their order.
/// Constants take no place in it. f runs once, and what it writes it writes. Of
/// an argument that f reads and writes it is the derivative with respect to
/// what was there before.
///
/// f may be a lambda with captures. What it captures is constant, unless it is
/// captured by reference and named here; its gradients come first:
///
///   auto loss = [&w](double x) { ... w[i] ... };
///   auto [dw, dx] = verso::grad(loss, verso::active(w))(x);
///
/// A gradient function is a function as others are: verso::grad(verso::grad(f))
/// of a function of one number is its second derivative.
template <class F, class... Captured>
VERSO_INLINE constexpr auto grad(F &&function, Captured... captured) {
  return detail::makeGradientFunction(std::forward<F>(function), captured...);
}

/// The same with the function's value: auto [value, gradient] =
/// verso::value_and_grad(f)(x...).
template <class F, class... Captured>
VERSO_INLINE constexpr auto value_and_grad(F &&function, Captured... captured) {
  auto gradient =
      detail::makeGradientFunction(std::forward<F>(function), captured...);
  if constexpr (std::is_same_v<decltype(gradient), detail::Nothing>)
    return gradient;
  else
    return detail::ValueAndGradientFunction<decltype(gradient)>{
        std::move(gradient)};
}

/// A function whose address is a constant, as an object without state, so that
/// no call goes through a pointer: verso::grad(verso::fn<f>)(x).
template <auto F> struct Fn {
  using VersoParameters = detail::ParametersOf<decltype(F)>;
  template <class... A>
    requires std::invocable<decltype(F), A...>
  VERSO_INLINE constexpr decltype(auto) operator()(A &&...a) const {
    return std::invoke(F, std::forward<A>(a)...);
  }
};
template <auto F> inline constexpr Fn<F> fn{};

} // namespace verso

#endif // VERSO_REVERSE_HPP
