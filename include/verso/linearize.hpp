//===- linearize.hpp - the linear map of a function at a point --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tape of one run, read in both directions (tape.hpp): a pushforward sets
// the shadows of the inputs and reads that of the value, a pullback does it the
// other way round.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_LINEARIZE_HPP
#define VERSO_LINEARIZE_HPP

#include "verso/forward.hpp"

namespace verso {

namespace detail {

/// A linear map and its transpose. \p Count is the number of inputs.
template <class State, std::size_t Count> class LinearMap {
  using Cotangent = typename State::Cotangent;
  using Gradients = decltype(State::gradients);

public:
  explicit LinearMap(Shared<State> state) : state(std::move(state)) {}

  /// The tangent of the value for one tangent of each input.
  template <class... T> Cotangent operator()(const T &...tangents) const {
    static_assert(
        sizeof...(T) == Count,
        "verso: a pushforward takes one tangent for each argument that "
        "varies");
    if constexpr (sizeof...(T) == Count) {
      std::lock_guard lock(state->mutex);
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        (set(gradientAt<K, Count>(state->gradients), tangents), ...);
      }(std::index_sequence_for<T...>());
      setToZero(state->cotangent.get());
      verso_pushforward(state->tape, nullptr, nullptr);
      return state->cotangent.get();
    }
  }

  /// The gradients of the inputs for a cotangent of the value.
  template <class C> Gradients pullback(const C &cotangent) const {
    std::lock_guard lock(state->mutex);
    setToZero(state->gradients);
    set(state->cotangent.get(), cotangent);
    verso_pullback(state->tape, nullptr, nullptr);
    return state->gradients;
  }

private:
  template <class To, class From> static void set(To &to, const From &from) {
    if constexpr (std::is_floating_point_v<To>) {
      to = static_cast<To>(from);
    } else {
      static_assert(std::is_same_v<To, From>,
                    "verso: a tangent or cotangent has another type than its "
                    "primal's gradient has");
      if (!haveSameShape(to, from))
        shapeMismatch(
            "verso: a tangent or cotangent has another shape than its "
            "primal");
      Numbers<To>::each(Assign{}, to, from);
    }
  }

  Shared<State> state;
};

template <class F, class... A> consteval bool checkLinearize() {
  if constexpr (!checkFunction<F>()) {
    return false;
  } else if constexpr (!checkCall<F, Outputs::Seeded, A...>()) {
    return false;
  } else {
    using Slots = SlotsFor<F, Outputs::Seeded, 1, A...>;
    constexpr bool isPure = SequenceOf<Slots, IsOutput>::size() == 0;
    static_assert(isPure,
                  "verso: a function that is linearized must return its "
                  "value and write no argument");
    if constexpr (!isPure || !checkInputs<Slots>())
      return false;
    else
      return checkNumbersIn<ValueOf<F, Slots>>();
  }
}

} // namespace detail

/// The value of a function, and its derivative at this point as a linear map.
///
///   auto [y, pushforward] = verso::linearize(f, x...);
///   dy = pushforward(dx...);                 // as verso::jvp
///   auto [dx, ...] = pushforward.pullback(dy);   // as the pullback of
///   verso::vjp
///
/// f runs once, and never again. The map owns its tape, may outlive all
/// arguments and may be used in other threads; those that apply it at the same
/// time wait for each other. Copies of a map share its tape.
template <class F, class... A>
VERSO_INLINE auto linearize(F &&function, A &&...a) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkLinearize<D, A...>()) {
    using namespace detail;
    using Tape = TapeFor<D, A...>;
    const D &f = function;
    auto state = Tape::run(f, a...);
    using V = typename Tape::V;
    using Map = LinearMap<typename Tape::State, Tape::Inputs::size()>;
    V value = state->value.get();
    return ValueAndPushforward<V, Map>{std::move(value), Map(std::move(state))};
  }
}

} // namespace verso

#endif // VERSO_LINEARIZE_HPP
