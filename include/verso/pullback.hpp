//===- pullback.hpp - values with their pullbacks ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::vjp. A pullback is the tape of the run (tape.hpp), read downwards.
//
// Inside of a differentiated function, where no tape may outlive the request
// that made it, it is the gradient of the sum of all numbers that the function
// returns, each times its cotangent, at copies of the arguments: the function
// runs again.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PULLBACK_HPP
#define VERSO_PULLBACK_HPP

#include "verso/tape.hpp"

#include <optional>

namespace verso {

/// What verso::vjp(f, x...) returns.
template <class V, class Pullback> struct ValueAndPullback {
  V value;
  Pullback pullback;
};

namespace detail {

/// The sum of a function's numbers, each times a constant: its gradient is the
/// pullback of these constants.
template <class F, class V> struct Weighted {
  Referred<F> function;
  const GradientOf<V> *weights;

  using VersoParameters = ParametersOf<F>;
  static constexpr bool VersoTakesMarks = takesMarks<F>();
  static constexpr bool VersoHoldsPointer = holdsPointerToFunction<F>();
  template <class... A> VERSO_INLINE ScalarOf<V> operator()(A &&...a) const {
    const V &value = std::invoke(*function, std::forward<A>(a)...);
    return dot(*weights, value);
  }
};

/// An argument of a pullback: a copy, of a view as well. What cannot be copied
/// is referred to if it is constant.
template <class T, Role R> struct Saved {
  explicit Saved(const T &x) : value(x) {}
  const T &get() const { return value; }
  T value;
};
template <class E, std::size_t N, Role R> struct Saved<std::span<E, N>, R> {
  using Elements = GradientOf<std::span<E, N>>;
  explicit Saved(std::span<E, N> x) : elements(copyOf(x)) {}
  Saved(const Saved &) = default;
  std::span<E, N> get() const {
    return std::span<E, N>(const_cast<Elements &>(elements));
  }
  Elements elements;

private:
  static Elements copyOf(std::span<E, N> x) {
    Elements copy = Numbers<std::span<E, N>>::zero(x);
    std::copy(x.begin(), x.end(), copy.begin());
    return copy;
  }
};
template <class T>
  requires(!std::is_copy_constructible_v<T>)
struct Saved<T, Role::Constant> {
  explicit Saved(const T &x) : value(&x) {}
  const T &get() const { return *value; }
  const T *value;
};

/// Whether the function may write the argument of slot S.
template <class S> consteval bool mayWrite() {
  using P = typename S::Parameter;
  if (S::role != Role::Constant)
    return S::role != Role::Input;
  if (std::is_void_v<P>)
    return !std::is_const_v<typename S::Type>;
  return std::is_lvalue_reference_v<P> &&
         !std::is_const_v<std::remove_reference_t<P>>;
}

/// A saved argument for one run of the function: a copy of what may be written.
template <class T, bool IsCopy> struct Working;
template <class T, Role R> struct Working<Saved<T, R>, true> {
  explicit Working(const Saved<T, R> &saved)
      : copy(saved), object(copy.get()) {}
  Saved<T, R> copy;
  T object;
};
template <class T, Role R>
  requires(!IsSpan<T>::value && std::is_copy_constructible_v<T>)
struct Working<Saved<T, R>, true> {
  explicit Working(const Saved<T, R> &saved) : object(saved.get()) {}
  T object;
};
template <class T, Role R>
  requires(!std::is_copy_constructible_v<T>)
struct Working<Saved<T, R>, true> : Working<Saved<T, R>, false> {
  using Working<Saved<T, R>, false>::Working;
};
template <class T, Role R> struct Working<Saved<T, R>, false> {
  explicit Working(const Saved<T, R> &saved)
      : object(const_cast<T &>(saved.get())) {}
  T &object;
};
template <class E, std::size_t N, Role R>
struct Working<Saved<std::span<E, N>, R>, false> {
  explicit Working(const Saved<std::span<E, N>, R> &saved)
      : object(saved.get()) {}
  std::span<E, N> object;
};

template <class F, class V, class State, class P, class... S>
class PullbackFunction;

/// S are slots of the call of vjp; P the function's parameters.
template <class F, class V, class State, class... P, class... S>
class PullbackFunction<F, V, State, std::tuple<P...>, S...> {
  using Given = std::tuple<S...>;
  using Inputs = SequenceOf<Given, IsInput>;
  using Outs = SequenceOf<Given, IsOutput>;
  static constexpr bool HasValue = !std::is_void_v<V>;
  using SavedArguments =
      std::tuple<Saved<std::remove_cv_t<typename S::Type>, S::role>...>;
  template <class... A>
  using SlotsOf = std::tuple<SlotOf<P, A, Outputs::Seeded, 1>...>;
  // After the value's, one for each output.
  static constexpr std::size_t Cotangents = HasValue + Outs::size();

public:
  explicit PullbackFunction(Shared<State> tape) : tape(std::move(tape)) {}
  PullbackFunction(const F &function, Given &slots)
      : again(std::in_place, function,
              save(slots, std::index_sequence_for<S...>())) {}

  /// Sets what the value's cotangents have to look like.
  void noteValue(const auto &value) {
    again->numbersInValue = countNumbers(value);
  }

  /// The derivatives of the inputs for these cotangents: first the value's,
  /// then one for each argument that is an output, in order.
  template <class... C>
  VERSO_INLINE auto operator()(const C &...cotangents) const {
    static_assert(sizeof...(C) == Cotangents,
                  "verso: a pullback takes the cotangent of the returned value "
                  "and one of each argument that the function writes");
    if constexpr (sizeof...(C) == Cotangents) {
      if constexpr (!checkTypes(std::type_identity<C>()...)) {
        return;
      } else {
        if (verso_is_differentiated())
          return runAgain(cotangents...);
        return apply(cotangents...);
      }
    }
  }

private:
  /// What running the function once more takes.
  struct Again {
    Again(const F &function, SavedArguments &&saved)
        : function(function), saved(std::move(saved)) {}
    F function;
    SavedArguments saved;
    std::size_t numbersInValue = 0;
  };

  template <class... C> auto apply(const C &...cotangents) const {
    using G = decltype(runAgain(cotangents...));
    if (!tape) // It was made inside of a differentiated function.
      return runAgain(cotangents...);
    std::lock_guard lock(tape->mutex);
    setToZero(tape->gradients);
    if constexpr (HasValue)
      [&](const auto &first, const auto &...rest) {
        setShadow(tape->cotangent.get(), first,
                  "verso: the cotangent of the returned value has another "
                  "shape than the value");
        setOutputs(Outs(), rest...);
      }(cotangents...);
    else
      setOutputs(Outs(), cotangents...);
    verso_pullback(tape->tape, nullptr, nullptr);
    return G(tape->gradients);
  }

  template <std::size_t... I, class... C>
  void setOutputs(std::index_sequence<I...>, const C &...cotangents) const {
    (setShadow(outputShadow<I>(), cotangents,
               "verso: the cotangent of an output has another shape than the "
               "output"),
     ...);
  }
  /// The shadow of slot I, an output.
  template <std::size_t I> auto &outputShadow() const {
    if constexpr (std::tuple_element_t<I, Given>::role == Role::Output)
      return gradientAt<countBefore<Given>(I, IsPureOutput()),
                        PureOutputs::size()>(tape->outputs);
    else
      return gradientAt<countBefore<Given>(I, IsInput()), Inputs::size()>(
          tape->gradients);
  }
  template <class To, class From>
  static void setShadow(To &to, const From &from, const char *mistake) {
    if constexpr (std::is_floating_point_v<To>) {
      to = static_cast<To>(from);
    } else {
      if (!haveSameShape(to, from))
        shapeMismatch(mistake);
      Numbers<To>::each(Assign{}, to, from);
    }
  }

  template <class... C>
  VERSO_INLINE auto runAgain(const C &...cotangents) const {
    if (!again)
      misuse("verso: a pullback that was made outside of a differentiated "
             "function cannot be applied inside");
    if constexpr (HasValue)
      return pullValue(cotangents...);
    else
      return pull(again->function, std::tie(cotangents...));
  }

  template <std::size_t... I>
  static SavedArguments save(Given &slots, std::index_sequence<I...>) {
    return SavedArguments(Saved<std::remove_cv_t<typename S::Type>, S::role>(
        std::get<I>(slots).get())...);
  }

  /// T is the type of what the cotangent C is for.
  template <class T, class C> static consteval bool checkType() {
    constexpr bool fits = std::is_floating_point_v<T>
                              ? std::is_arithmetic_v<C>
                              : std::is_same_v<C, GradientOf<T>>;
    static_assert(fits, "verso: a cotangent has another type than the value or "
                        "output that it is for");
    return fits;
  }
  template <class... C, std::size_t... I>
  static consteval bool checkOutputTypes(std::index_sequence<I...>,
                                         std::type_identity<C>...) {
    return (checkType<TypeAt<I, Given>, C>() & ... & true);
  }
  template <class... C>
  static consteval bool checkTypes(std::type_identity<C>... types) {
    if constexpr (HasValue)
      return checkWithValue(types...);
    else
      return checkOutputTypes(Outs(), types...);
  }
  template <class First, class... Rest>
  static consteval bool checkWithValue(std::type_identity<First>,
                                       std::type_identity<Rest>... types) {
    const bool valueFits = checkType<V, First>();
    return checkOutputTypes(Outs(), types...) && valueFits;
  }

  template <class First, class... Rest>
  VERSO_INLINE auto pullValue(const First &first, const Rest &...rest) const {
    using G = GradientOf<V>;
    // A number may be given as another type of number.
    using Held =
        std::conditional_t<std::is_floating_point_v<G>, const G, const G &>;
    Held weights = static_cast<Held>(first);
    if (!Numbers<V>::IsFixed &&
        countNumbers<G>(weights) != again->numbersInValue)
      shapeMismatch("verso: the cotangent of the returned value has another "
                    "shape than the value");
    return pull(Weighted<F, V>{&again->function, &weights}, std::tie(rest...));
  }

  template <class Pulled, class C>
  VERSO_INLINE auto pull(const Pulled &pulled, C cotangents) const {
    auto working = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<
          Working<std::tuple_element_t<I, SavedArguments>, mayWrite<S>()>...>(
          std::get<I>(again->saved)...);
    }(std::index_sequence_for<S...>());
    return pullAt(pulled, cotangents, working, std::index_sequence_for<S...>());
  }

  template <class Pulled, class C, class W, std::size_t... I>
  VERSO_INLINE auto pullAt(const Pulled &pulled, C &cotangents, W &working,
                           std::index_sequence<I...>) const {
    using Slots = SlotsOf<
        Marked<decltype(std::get<I>(working).object) &, S::role, true>...>;
    Slots slots(Marked<decltype(std::get<I>(working).object) &, S::role, true>{
        std::get<I>(working).object}...);
    auto gradients = zeroGradients(slots, Inputs());
    auto scratch = zeroGradients(slots, PureOutputs());
    bindGradients<0, Inputs::size()>(slots, Inputs(), gradients);
    bindOutputs(slots, PureOutputs(), scratch);
    (seed<I>(slots, cotangents, gradients, scratch), ...);
    requestGradient<0, Inputs::size()>(pulled, slots, gradients);
    return gradients;
  }

  using PureOutputs = SequenceOf<Given, IsPureOutput>;

  template <class Slots, std::size_t... I, class G>
  VERSO_INLINE static void bindOutputs(Slots &slots, std::index_sequence<I...>,
                                       G &scratch) {
    (bindGradient<I>(
         slots,
         gradientAt<countBefore<Given>(I, IsPureOutput()), PureOutputs::size()>(
             scratch)),
     ...);
  }

  /// The shadow of an output holds its cotangent.
  template <std::size_t I, class Slots, class C, class G, class H>
  static void seed(Slots &slots, C &cotangents, G &gradients, H &scratch) {
    using T = TypeAt<I, Given>;
    if constexpr (IsOutput()(std::tuple_element_t<I, Given>::role,
                             std::tuple_element_t<I, Given>::kind)) {
      auto &cotangent = std::get<countBefore<Given>(I, IsOutput())>(cotangents);
      if (!haveSameShape(std::get<I>(slots).get(), cotangent))
        shapeMismatch(
            "verso: the cotangent of an output has another shape than "
            "the output");
      if constexpr (std::tuple_element_t<I, Given>::role == Role::Output)
        Numbers<T>::each(Assign{},
                         gradientAt<countBefore<Given>(I, IsPureOutput()),
                                    PureOutputs::size()>(scratch),
                         cotangent);
      else
        Numbers<T>::each(
            Assign{},
            gradientAt<countBefore<Given>(I, IsInput()), Inputs::size()>(
                gradients),
            cotangent);
    }
  }

  Shared<State> tape;
  std::optional<Again> again;
};

template <class F, class V, class State, class Indices, class Slots>
struct PullbackFor;
template <class F, class V, class State, std::size_t... I, class... S>
struct PullbackFor<F, V, State, std::index_sequence<I...>, std::tuple<S...>> {
  using type = PullbackFunction<
      F, V, State, std::tuple<std::type_identity_t<typename S::Parameter>...>,
      S...>;
};

template <class F, class Slots, std::size_t... I>
VERSO_INLINE decltype(auto) callWith(const F &function, Slots &slots,
                                     std::index_sequence<I...>) {
  return std::invoke(function,
                     PassedOn<F, std::tuple_element_t<I, Slots>>::from(
                         std::get<I>(slots).get())...);
}

template <class F, class... A> consteval bool checkVjp() {
  if constexpr (!checkFunction<F>()) {
    return false;
  } else if constexpr (!checkCall<F, Outputs::Seeded, A...>()) {
    return false;
  } else {
    using Slots = SlotsFor<F, Outputs::Seeded, 1, A...>;
    using V = ValueOf<F, Slots>;
    constexpr bool hasOutputs = SequenceOf<Slots, IsOutput>::size() != 0;
    if constexpr (!checkInputs<Slots>())
      return false;
    else if constexpr (std::is_void_v<V> && hasOutputs)
      return true;
    else
      return checkNumbersIn<V>();
  }
}

} // namespace detail

/// The value of a function, and its pullback: the transpose of its derivative.
///
///   std::vector<double> f(const Model &m, const std::vector<double> &x);
///   auto [y, pullback] = verso::vjp(f, m, x);
///   auto [dm, dx] = pullback(dy);        // dy is a vector as y is
///
/// A pullback takes the cotangent of what f returns, then, in order, those of
/// the arguments that f writes; it returns what verso::grad would: the gradient
/// of the one input, or a std::tuple of them. f runs once, in verso::vjp, on
/// the arguments themselves, and its derivative is kept. So a pullback may
/// outlive f and its arguments and may be used in other threads; those that
/// apply it at the same time wait for each other. Copies of it share what they
/// keep.
///
/// Inside of a function that is differentiated itself a pullback owns copies of
/// f and its arguments instead, and each call runs f again.
///
/// Where f returns nothing, `value` is an empty object; where it returns a
/// view, a container of its numbers.
template <class F, class... A> VERSO_INLINE auto vjp(F &&function, A &&...a) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkVjp<D, A...>()) {
    using namespace detail;
    using Slots = SlotsFor<D, Outputs::Seeded, 1, A...>;
    using V = ValueOf<D, Slots>;
    using Tape = TapeFor<D, A...>;
    using State = typename Tape::State;
    using All = std::make_index_sequence<sizeof...(A)>;
    using Pullback = typename PullbackFor<D, V, State, All, Slots>::type;
    using Result = ValueAndPullback<typename Tape::V, Pullback>;
    const D &f = function;
    if (verso_is_differentiated()) {
      Slots slots(a...);
      Pullback pullback(f, slots);
      if constexpr (std::is_void_v<V>) {
        callWith(f, slots, All());
        return Result{{}, std::move(pullback)};
      } else {
        const V &value = callWith(f, slots, All());
        pullback.noteValue(value);
        return Result{OwnedValue<V>::copy(value), std::move(pullback)};
      }
    }
    Shared<State> state = Tape::run(f, a...);
    typename Tape::V value = state->value.get();
    return Result{std::move(value), Pullback(std::move(state))};
  }
}

} // namespace verso

#endif // VERSO_PULLBACK_HPP
