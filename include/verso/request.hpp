//===- request.hpp - from a C++ call to a call of an entry point -*- C++
//-*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request of this interface is one call of an entry point of verso.h,
//
//   __verso_grad(Thunk::call, verso_const, &callable, value..., pointer,
//   shadow..., verso_const, constant...)
//
// of a function that is made for the callable and its arguments and that takes
//
//   - the callable itself, of a function its address;
//   - every number by value: its derivative is returned;
//   - every other argument by pointer, with its shadow;
//   - what is constant by value if it is small, else by pointer.
//
// The compiler sees the function, and where each argument is: nothing of them
// is read out of memory.
//
// Everything up to the entry point is inlined at every level of optimisation
// and without debug information, so that a request stands at the user's line.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_HPP
#define VERSO_REQUEST_HPP

#include "verso/arguments.hpp"
#include "verso/verso.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

/// Of this interface's own functions.
#define VERSO_INLINE [[gnu::always_inline, gnu::nodebug]] inline

extern "C" {
// The function's value is returned first.
extern int enzyme_primal_return;
}

namespace verso::detail {

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

// Never defined: the compiler replaces the calls. All pointers are void, as a
// local type among the operands would give these functions internal linkage.
template <class R, class... Operands>
R __verso_grad(void *function, Operands...);
template <class R, class... Operands>
R __verso_value_and_grad(void *function, Operands...);
template <class R, class... Operands>
R __verso_jvp(void *function, Operands...);
template <class R, class... Operands>
R __verso_linearize(void *function, Operands...);

/// Numbers in the order in which a request returns them.
template <class... T> struct Pack {};
template <class T, class... Rest> struct Pack<T, Rest...> {
  T first;
  [[no_unique_address]] Pack<Rest...> rest;
};

template <std::size_t I, class... T>
VERSO_INLINE auto &packed(Pack<T...> &pack) {
  if constexpr (I == 0)
    return pack.first;
  else
    return packed<I - 1>(pack.rest);
}

//===----------------------------------------------------------------------===//
// Slots: arguments, as a request takes them
//===----------------------------------------------------------------------===//

enum class Kind { Constant, Number, Memory };

/// Whether outputs have cotangents, or do not count; whether numbers are in
/// memory as well.
enum class Outputs { Ignored, Seeded, SeededAllInMemory };

template <class T, Role R, Outputs O> consteval Kind kindOf() {
  if (R == Role::Constant || (R == Role::Output && O == Outputs::Ignored))
    return Kind::Constant;
  return R == Role::Input && std::is_floating_point_v<T> &&
                 O != Outputs::SeededAllInMemory
             ? Kind::Number
             : Kind::Memory;
}

/// Where an argument is: in the caller's hands, or, if it had to be converted
/// to the parameter's type, here.
template <class T, class Given> struct Place {
  static constexpr bool IsGiven =
      std::is_same_v<std::remove_cv_t<T>, std::remove_cv_t<Given>> ||
      std::is_base_of_v<std::remove_cv_t<T>, std::remove_cv_t<Given>>;
  using Stored = std::conditional_t<IsGiven, T *, T>;

  template <class A> VERSO_INLINE static Stored store(A &&a) {
    auto &&given = Unmarked<A>::get(std::forward<A>(a));
    if constexpr (IsGiven)
      return std::addressof(const_cast<T &>(static_cast<const T &>(given)));
    else
      return static_cast<T>(given);
  }
  VERSO_INLINE T &get() {
    if constexpr (IsGiven)
      return *stored;
    else
      return stored;
  }
  Stored stored;
};

template <class P, class TypeOfObject, class Given, Role R, Kind K, int Width>
struct Slot;

/// Marked as constant.
template <class P, class T, class Given, Role R, int Width>
struct Slot<P, T, Given, R, Kind::Constant, Width> {
  using Parameter = P;
  using Type = T;
  static constexpr Kind kind = Kind::Constant;
  static constexpr Role role = R;
  // What the function cannot write is held by value if it is small.
  static constexpr bool IsFunction =
      std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>;
  static constexpr bool IsReference =
      std::is_lvalue_reference_v<P> &&
      !std::is_const_v<std::remove_reference_t<P>>;
  static constexpr bool IsByValue =
      std::is_void_v<P> ? IsFunction : std::is_scalar_v<T> && !IsReference;
  using Held = Place<T, std::conditional_t<IsByValue, void, Given>>;

  using Passed = std::conditional_t<IsByValue, std::remove_cv_t<T>, T *>;

  template <class A>
  VERSO_INLINE explicit Slot(A &&a) : place{Held::store(std::forward<A>(a))} {}
  VERSO_INLINE T &get() { return place.get(); }
  /// What the request gets, beside its marker: pointers to objects are void.
  VERSO_INLINE auto operand() {
    if constexpr (!IsByValue)
      return const_cast<void *>(
          static_cast<const volatile void *>(std::addressof(get())));
    else if constexpr (IsFunction)
      return reinterpret_cast<void *>(get());
    else if constexpr (std::is_pointer_v<T>)
      return const_cast<void *>(static_cast<const volatile void *>(get()));
    else
      return get();
  }
  /// What the function gets.
  using Argument = std::conditional_t<std::is_rvalue_reference_v<P>,
                                      std::remove_cv_t<T>, T &>;
  VERSO_INLINE static T &argument(Passed &passed) {
    if constexpr (IsByValue)
      return passed;
    else
      return *passed;
  }
  Held place;
};

/// A number by value.
template <class P, class T, class Given, Role R, int Width>
struct Slot<P, T, Given, R, Kind::Number, Width> {
  using Parameter = P;
  using Type = T;
  using Passed = T;
  static constexpr Kind kind = Kind::Number;
  static constexpr Role role = R;

  template <class A>
  VERSO_INLINE explicit Slot(A &&a)
      : value(static_cast<T>(Unmarked<A>::get(std::forward<A>(a)))) {}
  VERSO_INLINE const T &get() const { return value; }
  using Argument =
      std::conditional_t<std::is_rvalue_reference_v<P>, T, const T &>;
  VERSO_INLINE static Argument argument(const T &value) { return value; }
  T value;
  T tangents[Width] = {};
};

/// Anything else, with the memory of its shadows.
template <class P, class T, class Given, Role R, int Width>
struct Slot<P, T, Given, R, Kind::Memory, Width> {
  using Parameter = P;
  using Type = T;
  using Passed = T *;
  static constexpr Kind kind = Kind::Memory;
  static constexpr Role role = R;

  template <class A>
  VERSO_INLINE explicit Slot(A &&a)
      : place{Place<T, Given>::store(std::forward<A>(a))} {}
  VERSO_INLINE T &get() { return place.get(); }
  using Argument =
      std::conditional_t<std::is_rvalue_reference_v<P>, T,
                         std::conditional_t<R == Role::Input, const T &, T &>>;
  VERSO_INLINE static Argument argument(T *pointer) { return *pointer; }
  template <class G> VERSO_INLINE void setShadow(int k, G &gradient) {
    shadows[k].emplace(gradient);
  }
  Place<T, Given> place;
  std::optional<typename Numbers<T>::Shadow> shadows[Width];
};

template <class P, class A, Outputs O, int Width>
using SlotOf =
    Slot<P, typename Treatment<P, A>::Object, typename Treatment<P, A>::Given,
         Treatment<P, A>::R,
         kindOf<typename Treatment<P, A>::Object, Treatment<P, A>::R, O>(),
         Width>;

/// The slots of a call of F with arguments A (references or not, marked or
/// not).
template <class F, Outputs O, int Width, class Indices, class... A>
struct SlotsOfCall;
template <class F, Outputs O, int Width, std::size_t... I, class... A>
struct SlotsOfCall<F, O, Width, std::index_sequence<I...>, A...> {
  using type = std::tuple<
      SlotOf<typename ParameterAt<I, ParametersOf<F>>::type, A, O, Width>...>;
};
template <class F, Outputs O, int Width, class... A>
using SlotsFor =
    typename SlotsOfCall<F, O, Width, std::index_sequence_for<A...>,
                         A...>::type;

/// How many of the first \p I slots satisfy a condition: where number I is
/// among those that do.
template <class Slots, class Condition>
consteval std::size_t countBefore(std::size_t end, Condition condition) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (std::size_t(I < end &&
                        condition(std::tuple_element_t<I, Slots>::role,
                                  std::tuple_element_t<I, Slots>::kind)) +
            ... + 0);
  }(std::make_index_sequence<std::tuple_size_v<Slots>>());
}

/// It is among the operands: it varies.
struct IsVarying {
  constexpr bool operator()(Role, Kind k) const { return k != Kind::Constant; }
};
struct IsNumber {
  constexpr bool operator()(Role, Kind k) const { return k == Kind::Number; }
};
/// It has a derivative that is returned to the user.
struct IsInput {
  constexpr bool operator()(Role r, Kind k) const {
    return k != Kind::Constant && r != Role::Output;
  }
};
struct IsOutput {
  constexpr bool operator()(Role r, Kind k) const {
    return k != Kind::Constant && r != Role::Input;
  }
};
struct IsPureOutput {
  constexpr bool operator()(Role r, Kind k) const {
    return k != Kind::Constant && r == Role::Output;
  }
};

//===----------------------------------------------------------------------===//
// Thunks
//===----------------------------------------------------------------------===//

/// Whether F is a pointer to a function, or one with something beside it.
template <class F> consteval bool holdsPointerToFunction() {
  if constexpr (requires { F::VersoHoldsPointer; })
    return F::VersoHoldsPointer;
  else
    return std::is_member_pointer_v<F> ||
           (std::is_pointer_v<F> &&
            std::is_function_v<std::remove_pointer_t<F>>);
}

/// A callable of somebody else's. Pointers to functions are copied: in a frame
/// on the stack the request can read them before the function runs.
template <class F> class Referred {
public:
  VERSO_INLINE Referred(const F *function) : function(function) {}
  VERSO_INLINE const F &operator*() const { return *function; }
  VERSO_INLINE const F *operator->() const { return function; }

private:
  const F *function;
};
template <class F>
  requires(holdsPointerToFunction<F>())
class Referred<F> {
public:
  VERSO_INLINE Referred(const F *function) : function(*function) {}
  VERSO_INLINE const F &operator*() const { return function; }
  VERSO_INLINE const F *operator->() const { return &function; }

private:
  F function;
};

/// The callable and its arguments, where the request is made.
template <class F, class Slots> struct Frame {
  Referred<F> function;
  Slots *slots;

  /// There is nothing in the callable that the thunk needs.
  static constexpr bool IsEmpty =
      std::is_empty_v<F> && std::is_trivially_default_constructible_v<F>;
  /// It is the address of a function, which the thunk is given.
  static constexpr bool IsFunction = std::is_pointer_v<F>;

  VERSO_INLINE void *operand() {
    if constexpr (IsEmpty)
      return nullptr;
    else if constexpr (IsFunction)
      return reinterpret_cast<void *>(*function);
    else
      return const_cast<void *>(
          static_cast<const volatile void *>(function.operator->()));
  }
};

template <std::size_t I, class First, class... Rest>
VERSO_INLINE auto &pick(First &first, Rest &...rest) {
  if constexpr (I == 0)
    return first;
  else
    return pick<I - 1>(rest...);
}

/// Callables of ours that are requests themselves have to know which arguments
/// are constants.
template <class F> consteval bool takesMarks() {
  if constexpr (requires { F::VersoTakesMarks; })
    return F::VersoTakesMarks;
  else
    return false;
}
/// What a call of F gets from the slot S.
template <class F, class S> struct PassedOn {
  using type = typename S::Argument;
  template <class A> VERSO_INLINE static type from(A &&a) {
    return static_cast<type>(a);
  }
};
template <class F, class S>
  requires(takesMarks<F>() && S::role == Role::Constant)
struct PassedOn<F, S> {
  using type = Marked<typename S::Type &, Role::Constant, true>;
  template <class A> VERSO_INLINE static type from(A &&a) { return {a}; }
};

/// Calls \p F with an argument for each slot.
template <class F, class Slots> struct Thunk {
  template <class Passed> struct Caller;
  template <class... Passed> struct Caller<std::tuple<Passed...>> {
    static auto call(void *callable, Passed... passed) {
      return invoke(std::make_index_sequence<std::tuple_size_v<Slots>>(),
                    callable, passed...);
    }
  };

  template <std::size_t I, class... Passed>
  VERSO_INLINE static typename PassedOn<F, std::tuple_element_t<I, Slots>>::type
  argument(Passed &...passed) {
    using S = std::tuple_element_t<I, Slots>;
    if constexpr (S::kind == Kind::Constant)
      return PassedOn<F, S>::from(S::argument(pick<I>(passed...)));
    else
      return S::argument(pick<I>(passed...));
  }

  template <std::size_t... I, class... Passed>
  VERSO_INLINE static auto invoke(std::index_sequence<I...>, void *operand,
                                  Passed &...passed) {
    [[maybe_unused]] auto *callable = static_cast<const F *>(operand);
    if constexpr (std::is_member_pointer_v<F>)
      return std::invoke(*callable, argument<I>(passed...)...);
    else if constexpr (Frame<F, Slots>::IsEmpty)
      return F()(argument<I>(passed...)...);
    else if constexpr (Frame<F, Slots>::IsFunction)
      return reinterpret_cast<F>(operand)(argument<I>(passed...)...);
    else
      return (*callable)(argument<I>(passed...)...);
  }

  template <class T> struct PassedTypes;
  template <class... S> struct PassedTypes<std::tuple<S...>> {
    using type = std::tuple<typename S::Passed...>;
  };
  using Called = Caller<typename PassedTypes<Slots>::type>;
};

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Reverse mode: a number is one operand, memory and a constant are two.
template <class Entry, std::size_t I = 0, class F, class Slots,
          class... Operands>
VERSO_INLINE typename Entry::Result emitReverse(Frame<F, Slots> &frame,
                                                Operands... operands) {
  if constexpr (I == std::tuple_size_v<Slots>) {
    return Entry::template call<F, Slots>(frame.operand(), operands...);
  } else {
    auto &slot = std::get<I>(*frame.slots);
    using S = std::tuple_element_t<I, Slots>;
    if constexpr (S::kind == Kind::Constant)
      return emitReverse<Entry, I + 1>(frame, operands..., verso_const,
                                       slot.operand());
    else if constexpr (S::kind == Kind::Number)
      return emitReverse<Entry, I + 1>(frame, operands..., slot.value);
    else
      return emitReverse<Entry, I + 1>(
          frame, operands..., static_cast<void *>(std::addressof(slot.get())),
          static_cast<void *>(slot.shadows[0]->address()));
  }
}

/// Forward mode: every operand is followed by its tangents.
template <class Entry, std::size_t I = 0, class F, class Slots,
          class... Operands>
VERSO_INLINE typename Entry::Result emitForward(Frame<F, Slots> &frame,
                                                Operands... operands);

template <class Entry, std::size_t I, class F, class Slots, std::size_t... K,
          class... Operands>
VERSO_INLINE typename Entry::Result emitTangents(Frame<F, Slots> &frame,
                                                 std::index_sequence<K...>,
                                                 Operands... operands) {
  auto &slot = std::get<I>(*frame.slots);
  if constexpr (std::tuple_element_t<I, Slots>::kind == Kind::Number)
    return emitForward<Entry, I + 1>(frame, operands..., slot.value,
                                     slot.tangents[K]...);
  else
    return emitForward<Entry, I + 1>(
        frame, operands..., static_cast<void *>(std::addressof(slot.get())),
        static_cast<void *>(slot.shadows[K]->address())...);
}

template <class Entry, std::size_t I, class F, class Slots, class... Operands>
VERSO_INLINE typename Entry::Result emitForward(Frame<F, Slots> &frame,
                                                Operands... operands) {
  if constexpr (I == std::tuple_size_v<Slots>)
    return Entry::template call<F, Slots>(frame.operand(), operands...);
  else if constexpr (std::tuple_element_t<I, Slots>::kind == Kind::Constant)
    return emitForward<Entry, I + 1>(frame, operands..., verso_const,
                                     std::get<I>(*frame.slots).operand());
  else
    return emitTangents<Entry, I>(
        frame, std::make_index_sequence<Entry::Width>(), operands...);
}

template <class F, class Slots>
inline constexpr auto thunk = &Thunk<F, Slots>::Called::call;

template <class R> struct GradEntry {
  using Result = R;
  template <class F, class Slots, class... Operands>
  VERSO_INLINE static R call(void *callable, Operands... operands) {
    return __verso_grad<R>(reinterpret_cast<void *>(thunk<F, Slots>),
                           verso_const, callable, operands...);
  }
};

template <class R> struct ValueAndGradEntry {
  using Result = R;
  template <class F, class Slots, class... Operands>
  VERSO_INLINE static R call(void *callable, Operands... operands) {
    return __verso_value_and_grad<R>(reinterpret_cast<void *>(thunk<F, Slots>),
                                     verso_const, callable, operands...);
  }
};

template <class R, int W> struct JvpEntry {
  using Result = R;
  static constexpr int Width = W;
  template <class F, class Slots, class... Operands>
  VERSO_INLINE static R call(void *callable, Operands... operands) {
    if constexpr (W == 1)
      return __verso_jvp<R>(reinterpret_cast<void *>(thunk<F, Slots>),
                            verso_const, callable, operands...);
    else
      return __verso_jvp<R>(reinterpret_cast<void *>(thunk<F, Slots>),
                            verso_width, W, verso_const, callable, operands...);
  }
};

/// The value first, then its tangent.
template <class R> struct ValueAndJvpEntry {
  using Result = R;
  static constexpr int Width = 1;
  template <class F, class Slots, class... Operands>
  VERSO_INLINE static R call(void *callable, Operands... operands) {
    return __verso_jvp<R>(reinterpret_cast<void *>(thunk<F, Slots>),
                          enzyme_primal_return, verso_const, callable,
                          operands...);
  }
};

} // namespace verso::detail

#endif // VERSO_REQUEST_HPP
