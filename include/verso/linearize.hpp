//===- linearize.hpp - the linear map of a function at a point --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One request of __verso_linearize, all of whose operands are in memory. Their
// shadows live as long as its tape does: a pushforward sets those of the inputs
// and reads that of the value, a pullback does it the other way round.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_LINEARIZE_HPP
#define VERSO_LINEARIZE_HPP

#include "verso/forward.hpp"

#include <memory>

namespace verso {

namespace detail {

/// What a tape refers to. It never moves.
template <class V, class G> struct LinearState {
  explicit LinearState(V &&initial, G &&zeros)
      : value(std::move(initial)), cotangent(Numbers<V>::zero(value)),
        gradients(std::move(zeros)) {}
  LinearState(const LinearState &) = delete;
  ~LinearState() {
    if (tape)
      verso_tape_free(tape);
  }

  V value;
  GradientOf<V> cotangent;
  G gradients;
  verso_tape *tape = nullptr;
};

/// A linear map and its transpose. \p Count is the number of inputs.
template <class V, class G, std::size_t Count> class LinearMap {
  using State = LinearState<V, G>;

public:
  explicit LinearMap(std::unique_ptr<State> state) : state(std::move(state)) {}

  /// The tangent of the value for one tangent of each input.
  template <class... T> GradientOf<V> operator()(const T &...tangents) const {
    static_assert(
        sizeof...(T) == Count,
        "verso: a pushforward takes one tangent for each argument that "
        "varies");
    if constexpr (sizeof...(T) == Count) {
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        (set(gradientAt<K, Count>(state->gradients), tangents), ...);
      }(std::index_sequence_for<T...>());
      clear(state->cotangent);
      verso_pushforward(state->tape);
      return state->cotangent;
    }
  }

  /// The gradients of the inputs for a cotangent of the value.
  template <class C> G pullback(const C &cotangent) const {
    clear(state->gradients);
    set(state->cotangent, cotangent);
    verso_pullback(state->tape);
    return state->gradients;
  }

private:
  template <class T> static void clear(T &x) {
    Numbers<T>::each(SetToZero{}, x);
  }
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

  std::unique_ptr<State> state;
};

template <class Slots, std::size_t... I, class G>
VERSO_INLINE void bindLinear(Slots &slots, std::index_sequence<I...>,
                             G &gradients) {
  // Slot 0 is the value.
  (std::get<I + 1>(slots).setShadow(
       0, gradientAt<countBefore<Slots>(I + 1, IsInput()), sizeof...(I)>(
              gradients)),
   ...);
}

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
/// f runs once (and once more to learn the size of a value of dynamic size),
/// and never again. The map owns its tape, may be moved, may outlive all
/// arguments and may be used in another thread, in one at a time.
template <class F, class... A>
VERSO_INLINE auto linearize(F &&function, A &&...a) {
  using D = std::decay_t<F>;
  if constexpr (detail::checkLinearize<D, A...>()) {
    using namespace detail;
    constexpr Outputs Passing = Outputs::SeededAllInMemory;
    using Slots = SlotsFor<D, Passing, 1, A...>;
    using V = ValueOf<D, Slots>;
    using Whole =
        SlotsFor<Into<D, V>, Passing, 1, Marked<V &, Role::Output, true>, A...>;
    using Inputs = SequenceOf<Slots, IsInput>;
    const D &f = function;
    Slots slots(a...);
    using G = decltype(zeroGradients(slots, Inputs()));
    auto state = std::make_unique<LinearState<V, G>>(
        makeValue<V>(f, slots), zeroGradients(slots, Inputs()));
    Whole whole(out(state->value), a...);
    std::get<0>(whole).setShadow(0, state->cotangent);
    bindLinear(whole, Inputs(), state->gradients);
    Into<D, V> into{std::addressof(f)};
    Frame<Into<D, V>, Whole> frame{&into, &whole};
    state->tape = emitReverse<LinearizeEntry>(frame);
    V value = state->value;
    using Map = LinearMap<V, G, Inputs::size()>;
    return ValueAndPushforward<V, Map>{std::move(value), Map(std::move(state))};
  }
}

} // namespace verso

#endif // VERSO_LINEARIZE_HPP
