//===- tape.hpp - one run of a function, kept as a linear map ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One request of __verso_linearize, all of whose operands are in memory: the
// function writes its value to memory of the tape's owner. The shadows live as
// long as the tape does; of the arguments themselves it needs nothing more.
//
// The function runs once. If the shape of its value is not known before, the
// memory for the value and its shadow is made in between, when the function has
// returned and its value has not been copied yet: a shadow is looked up when
// its primal is first written.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPE_HPP
#define VERSO_TAPE_HPP

#include "verso/reverse.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

namespace verso::detail {

/// The value of a function that returns nothing.
struct NoValue {};

/// f as a function that writes its numbers to its first argument.
template <class F, class V> struct Into {
  Referred<F> function;

  using VersoParameters = typename PrependTo<ParametersOf<F>, V &>::type;
  static constexpr bool VersoTakesMarks = takesMarks<F>();
  static constexpr bool VersoHoldsPointer = holdsPointerToFunction<F>();
  template <class... A> VERSO_INLINE void operator()(V &out, A &&...a) const {
    if constexpr (requires { function->into(out, std::forward<A>(a)...); }) {
      function->into(out, std::forward<A>(a)...);
    } else {
      const V &value = std::invoke(*function, std::forward<A>(a)...);
      Numbers<V>::each(Assign{}, out, value);
    }
  }
};

template <class F> struct IsGradientFunction : std::false_type {};
template <class F>
struct IsGradientFunction<GradientFunction<F>> : std::true_type {};

template <class V>
inline constexpr bool HasFixedShape =
    Numbers<V>::IsFixed && std::is_default_constructible_v<V>;

/// Memory for an object that is made later, at an address that is known now.
template <class T> class Later {
public:
  Later() {}
  Later(const Later &) = delete;
  ~Later() {
    if (isMade)
      object.~T();
  }
  void make(T &&x) {
    ::new (static_cast<void *>(std::addressof(object))) T(std::move(x));
    isMade = true;
  }
  bool exists() const { return isMade; }
  T &get() { return object; }
  const T &get() const { return object; }

private:
  union {
    T object;
  };
  bool isMade = false;
};

/// Contiguous numbers of an object, as verso_tape_sparsity takes them.
class CellLists {
public:
  template <class T> void add(T &x) {
    Numbers<T>::each([this](auto &number) { this->addOne(number); }, x);
  }
  const verso_cells *data() const { return lists.data(); }
  std::size_t size() const { return lists.size(); }
  const std::vector<verso_cells> &all() const { return lists; }

private:
  template <class E> void addOne(E &number) {
    char *at = reinterpret_cast<char *>(std::addressof(number));
    if (!lists.empty()) {
      verso_cells &last = lists.back();
      if (last.size == sizeof number &&
          static_cast<char *>(last.shadow) + last.count * last.size == at) {
        ++last.count;
        return;
      }
    }
    lists.push_back({at, 1, sizeof number});
  }
  std::vector<verso_cells> lists;
};

/// A pointer that counts its copies, in functions that a request leaves alone.
template <class T> class Shared {
public:
  Shared() = default;
  explicit Shared(T *object) : object(object) {}
  Shared(const Shared &other) : object(other.object) {
    if (object)
      retain(object);
  }
  Shared(Shared &&other) noexcept
      : object(std::exchange(other.object, nullptr)) {}
  Shared &operator=(Shared other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Shared() {
    if (object)
      release(object);
  }
  explicit operator bool() const { return object; }
  T *operator->() const { return object; }
  T &operator*() const { return *object; }
  T *get() const { return object; }

private:
  [[gnu::noinline]] VERSO_INACTIVE static void retain(T *object) {
    ++object->references;
  }
  [[gnu::noinline]] VERSO_INACTIVE static void release(T *object) {
    if (!--object->references)
      delete object;
  }
  T *object = nullptr;
};

/// What a tape refers to. It never moves. V may be NoValue.
template <class V, class G, class H> struct TapeState {
  using Cotangent = GradientOf<V>;

  TapeState(G &&zeros, H &&zerosOfOutputs)
      : gradients(std::move(zeros)), outputs(std::move(zerosOfOutputs)) {}
  TapeState(const TapeState &) = delete;
  ~TapeState() {
    if (tape)
      verso_tape_free(tape);
  }

  void makeValue(V &&initial) {
    cotangent.make(Numbers<V>::zero(initial));
    value.make(std::move(initial));
  }

  Later<V> value;
  Later<Cotangent> cotangent;
  G gradients; ///< Shadows of the inputs.
  H outputs;   ///< Of arguments that are only written.
  verso_tape *tape = nullptr;
  std::atomic<std::size_t> references = 1;
  std::mutex mutex; ///< The shadows are those of one application at a time.
};

/// What owns the numbers of a V: of a view, a container.
template <class V> struct OwnedValue : std::type_identity<V> {
  static V copy(const V &x) { return x; }
};
template <class E, std::size_t N>
struct OwnedValue<std::span<E, N>>
    : std::type_identity<GradientOf<std::span<E, N>>> {
  static GradientOf<std::span<E, N>> copy(std::span<E, N> x) {
    auto result = Numbers<std::span<E, N>>::zero(x);
    std::copy(x.begin(), x.end(), result.begin());
    return result;
  }
};

/// It consists of numbers, equally many in each.
template <class V>
inline constexpr bool IsArrayOfNumbers = std::is_floating_point_v<V>;
template <class E, std::size_t N>
inline constexpr bool IsArrayOfNumbers<std::array<E, N>> = IsArrayOfNumbers<E>;

/// Makes room for a value of the shape of x, in the middle of a request.
template <class State, class V>
[[gnu::noinline]] VERSO_INACTIVE void makeRoom(State *state, const V *x) {
  state->makeValue(OwnedValue<V>::copy(*x));
  CellLists cells;
  cells.add(state->value.get());
  for (const verso_cells &c : cells.all())
    verso_forget(c.shadow, c.count * c.size);
}

/// f as a function that writes its numbers to a TapeState that has no room yet.
template <class F, class V, class State> struct IntoState {
  const F *function;
  State *state;

  using Owner = typename OwnedValue<V>::type;
  using VersoParameters = typename PrependTo<ParametersOf<F>, Owner &>::type;
  static constexpr bool VersoTakesMarks = takesMarks<F>();
  template <class... A>
  VERSO_INLINE void operator()(Owner &out, A &&...a) const {
    const V &value = std::invoke(*function, std::forward<A>(a)...);
    makeRoom(state, std::addressof(value));
    Numbers<V>::each(Assign{}, out, value);
  }
};

template <class T> void setToZero(T &x) { Numbers<T>::each(SetToZero{}, x); }

struct TapeEntry {
  using Result = verso_tape *;
  template <class F, class Slots, class... Operands>
  VERSO_INLINE static verso_tape *call(void *callable, Operands... operands) {
    return __verso_linearize<verso_tape *>(
        reinterpret_cast<void *>(thunk<F, Slots>), verso_const, callable,
        operands...);
  }
};

/// Slots are those of a request whose first \p Skipped slots are not arguments.
template <std::size_t Skipped, class Slots, std::size_t... I, class State>
VERSO_INLINE void bindInputShadows(Slots &slots, std::index_sequence<I...>,
                                   State &state) {
  (std::get<I + Skipped>(slots).setShadow(
       0, gradientAt<countBefore<Slots>(I + Skipped, IsInput()), sizeof...(I)>(
              state.gradients)),
   ...);
}
template <std::size_t Skipped, class Slots, std::size_t... I, class State>
VERSO_INLINE void bindOutputShadows(Slots &slots, std::index_sequence<I...>,
                                    State &state) {
  (std::get<I + Skipped>(slots).setShadow(
       0, gradientAt<countBefore<Slots>(I + Skipped, IsPureOutput()) - Skipped,
                     sizeof...(I)>(state.outputs)),
   ...);
}

/// What one run of F with arguments A is kept as.
template <class F, class... A> struct TapeFor {
  using Slots = SlotsFor<F, Outputs::SeededAllInMemory, 1, A...>;
  using Inputs = SequenceOf<Slots, IsInput>;
  using PureOutputs = SequenceOf<Slots, IsPureOutput>;
  using Returned = ValueOf<F, Slots>;
  using V = typename OwnedValue<
      std::conditional_t<std::is_void_v<Returned>, NoValue, Returned>>::type;
  using G = decltype(zeroGradients(std::declval<Slots &>(), Inputs()));
  using H = decltype(zeroGradients(std::declval<Slots &>(), PureOutputs()));
  using State = TapeState<V, G, H>;

  VERSO_INLINE static Shared<State> run(const F &f,
                                        std::remove_reference_t<A> &...a) {
    Slots slots(static_cast<A &>(a)...);
    Shared<State> state(new State(zeroGradients(slots, Inputs()),
                                  zeroGradients(slots, PureOutputs())));
    if constexpr (std::is_void_v<Returned>) {
      state->makeValue(NoValue{});
      bindInputShadows<0>(slots, Inputs(), *state);
      bindOutputShadows<0>(slots, PureOutputs(), *state);
      Frame<F, Slots> frame{std::addressof(f), &slots};
      state->tape = emitReverse<TapeEntry>(frame);
    } else if constexpr (IsArrayOfNumbers<V> && std::is_same_v<V, Returned>) {
      state->makeValue(V{});
      runInto(Into<F, V>{std::addressof(f)}, *state, a...);
    } else if constexpr (IsGradientFunction<F>::value) {
      state->makeValue(V(zeroGradients(slots, Inputs())));
      runInto(Into<F, V>{std::addressof(f)}, *state, a...);
    } else {
      runInto(IntoState<F, Returned, State>{std::addressof(f), state.get()},
              *state, a...);
    }
    return state;
  }

private:
  template <class Function>
  VERSO_INLINE static void runInto(const Function &f, State &state,
                                   std::remove_reference_t<A> &...a) {
    using Whole = SlotsFor<Function, Outputs::SeededAllInMemory, 1,
                           Marked<V &, Role::Output, true>, A...>;
    Whole whole(out(state.value.get()), static_cast<A &>(a)...);
    std::get<0>(whole).setShadow(0, state.cotangent.get());
    bindInputShadows<1>(whole, Inputs(), state);
    bindOutputShadows<1>(whole, PureOutputs(), state);
    Frame<Function, Whole> frame{std::addressof(f), &whole};
    state.tape = emitReverse<TapeEntry>(frame);
  }
};

} // namespace verso::detail

#endif // VERSO_TAPE_HPP
