/*===- verso.h - derivatives of C and C++ functions --------------*- C -*-===*\
|*
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Verso's interface, for C and C++. Compile with -fpass-plugin=libVerso.so and
|* link with -lverso.
|*
|*   double f(const double *x, int n);
|*
|*   double x[3] = {1, 2, 3}, dx[3] = {0, 0, 0};
|*   __verso_grad_void(f, verso_dup, x, dx, verso_const, 3);  // dx += df/dx
|*
|* A call of a function whose name *starts with* one of
|*
|*   __verso_grad             reverse mode
|*   __verso_value_and_grad   reverse mode; the value of f is returned first
|*   __verso_vjp              reverse mode for several outputs
|*   __verso_jvp              forward mode
|*   __verso_linearize        f once, its linear map any number of times
|*
|* is a request: the compiler replaces it. No such function exists, so declare
|* one with the return type that you need, as below; in C++ a template over the
|* return type does as well. This header is a convenience: all of it may be
|* declared by hand.
|*
|* Operands: the function, then each of its arguments, with a marker before it
|* or without:
|*
|*   verso_const, x           does not vary
|*   verso_out, x             a number, or a struct of numbers, by value: its
|*                            derivative is returned
|*   verso_dup, p, dp         a pointer and its shadow. Where f reads, the
|*                            derivative is added to the shadow; where f writes,
|*                            the shadow holds the seed, and is cleared
|*   verso_dupnoneed, p, dp   the same; what f writes is not needed afterwards
|*   verso_dup_n, p, dp, n    the same for n bytes, where f stores p in memory
|*
|* Without a marker numbers are out, pointers are dup, integers and functions are
|* const. A variadic call of C does not convert: write 3.0 for a double, cast an
|* integer to the parameter's type.
|*
|* The result holds the derivatives of the out arguments in order: a number, or
|* a struct of them; nothing if there is none. A mistaken request is a compile
|* error.
|*
\*===----------------------------------------------------------------------===*/

#ifndef VERSO_VERSO_H
#define VERSO_VERSO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <type_traits>

namespace verso_detail {
/* Whether an argument of type X can have this role for numbers of type T. */
template <typename T, typename X> constexpr bool fits(char role) {
  return role == '-' ||
         std::is_same<T, typename std::remove_cv<typename std::remove_pointer<
                             typename std::remove_reference<X>::type>::type>::
                             type>::value;
}
template <typename T> constexpr bool fitAll(const char *) { return true; }
template <typename T, typename X, typename... Rest>
constexpr bool fitAll(const char *roles) {
  return !*roles || (fits<T, X>(*roles) && fitAll<T, Rest...>(roles + 1));
}
template <typename T, typename R, typename... X>
constexpr bool fit(T *, R (*)(X...), const char *roles) {
  return fitAll<T, X...>(*roles == '!' ? roles + 1 : roles);
}
} // namespace verso_detail

extern "C" {
#endif

/*===- Markers -------------------------------------------------------------===*/

extern int verso_const;
extern int verso_out;
extern int verso_dup;
extern int verso_dupnoneed;
extern int verso_dup_n;
/* Forward mode: `verso_width, k` right after the function; each dup argument is
   then followed by k tangents. */
extern int verso_width;

/* Marks a function, a global, a local variable or a parameter as one that
   carries no derivative: what is read from such a variable by its name is
   constant. Not members, nor what is read through a pointer to it elsewhere. */
#define VERSO_INACTIVE __attribute__((annotate("verso_inactive")))

/* Beside VERSO_INACTIVE: the function overwrites no numbers of its callers, in
   whatever memory, so it is called as it is and nobody looks what it does. */
#define VERSO_WRITES_NO_NUMBERS                                                \
  __attribute__((annotate("verso_writes_no_numbers")))

/* Marks a static variable, or pointers in one, that are null whenever no request
   runs that uses it: a list of what has begun and has not ended. (An error of the
   program if they are not.) Other files may have it, too (a weak variable), if
   nobody but requests uses it. */
#define VERSO_NULL_BEFORE __attribute__((annotate("verso_null_before")))

/* How gradients of a function are computed, whatever -verso-strategy says of
   others: VERSO_STRATEGY(taped), (structured) or (auto). */
#define VERSO_STRATEGY(NAME) __attribute__((annotate("verso_strategy=" #NAME)))

/*===- Reverse mode --------------------------------------------------------===*/

double __verso_grad(void *function, ...);
float __verso_grad_float(void *function, ...);
long double __verso_grad_long_double(void *function, ...);
/* For functions all of whose varying arguments are verso_dup. */
void __verso_grad_void(void *function, ...);

typedef struct verso_value_and_derivative {
  double value;
  double derivative;
} verso_value_and_derivative;

/* The value alone: for functions without out arguments. */
double __verso_value_and_grad(void *function, ...);
/* For one out argument. */
verso_value_and_derivative __verso_value_and_grad_out(void *function, ...);

/* The seeds are the shadows of what the function writes and, if it returns
   numbers, one more argument after the others. */
void __verso_vjp_void(void *function, ...);
double __verso_vjp(void *function, ...);

/*===- Forward mode --------------------------------------------------------===*/

/* Each varying argument is verso_dup, a value and its tangent; of a pointer, the
   shadow, which holds the tangents of what f reads and gets those of what f
   writes. The result is the tangent of the returned value, in its type; after
   `enzyme_primal_return` the value comes first. With `verso_width, k`, k tangents
   follow each value, and k are returned in a struct. */
double __verso_jvp(void *function, ...);
void __verso_jvp_void(void *function, ...);

/*===- The linear map at a point -------------------------------------------===*/

/* Runs f once, as __verso_vjp does, and keeps its derivative there, a linear map
   that can be applied any number of times without running f again: the same
   result each time, bit for bit. Arguments are those of __verso_vjp without a
   cotangent. The shadows of dup arguments belong to the map: they have to live as
   long as it is applied. Any thread may apply a map; two that do at the same time
   wait for each other. Not to be used inside a differentiated function. */
typedef struct verso_tape verso_tape;
verso_tape *__verso_linearize(void *function, ...);

/* J v. The shadows hold the tangents of what f read, and afterwards those of what
   f wrote. `tangents`: of the numbers in the out arguments, in order;
   `results`: those of the numbers in the returned value. Null where there are
   none. */
void verso_pushforward(verso_tape *tape, const double *tangents,
                       double *results);
/* J' w. The shadows of what f wrote hold the seeds and are cleared; derivatives
   are added to the shadows of what f read. `cotangents`: of the numbers in the
   returned value; `derivatives`: those of the out arguments, overwritten. */
void verso_pullback(verso_tape *tape, const double *cotangents,
                    double *derivatives);
/* How many numbers the out arguments and the returned value have, and the values
   of the latter. */
size_t verso_tape_inputs(const verso_tape *tape);
size_t verso_tape_outputs(const verso_tape *tape);
const double *verso_tape_values(const verso_tape *tape);
void verso_tape_free(verso_tape *tape);

/* `count` numbers of `size` bytes, one behind the other, in a shadow. */
typedef struct verso_cells {
  void *shadow;
  size_t count;
  size_t size;
} verso_cells;

/* By rows: the columns of row i are indices[starts[i]] to
   indices[starts[i + 1] - 1], in increasing order. */
typedef struct verso_pattern {
  size_t rows;
  size_t columns;
  size_t *starts;
  uint32_t *indices;
} verso_pattern;

/* Which inputs each output depended on when f ran. The columns are the numbers
   of `inputs`, one list after the other, then those of the out arguments; the
   rows those of `outputs`, then those of the returned value. What is in no list
   counts as constant. Nothing of the size rows * columns is ever allocated. */
verso_pattern *verso_tape_sparsity(const verso_tape *tape,
                                   const verso_cells *inputs,
                                   size_t input_lists,
                                   const verso_cells *outputs,
                                   size_t output_lists);
void verso_pattern_free(verso_pattern *pattern);

/*===- For libraries --------------------------------------------------------===*/

/* Not 0 in what a request runs of a function, 0 in the function itself: known
   when the program is compiled. */
int verso_is_differentiated(void) __attribute__((__nothrow__));
/* Said by an inactive function that was called by a differentiated one: this
   memory is new, what it held before does not count. */
void verso_forget(void *memory, size_t bytes);

/*===- Memory without shadows ----------------------------------------------===*/

/* From now on the requests of this thread compute the derivatives with respect
   to these bytes, however the function comes to them. They are the user's to
   keep alive until verso_unwatch. */
void verso_watch(void *memory, size_t bytes);
/* Ends the watching of ranges that start here. */
void verso_unwatch(void *memory);
/* Where the derivative of a watched cell is: at the same offsets as in the
   memory itself, valid until the next request of this thread. Null for memory
   that is not watched. */
void *verso_adjoint_of(const void *memory);

/*===- Derivatives that the program gives -----------------------------------===*/

/* At file scope, with a semicolon:

     VERSO_DERIVATIVE(f, fx, fy);

   f is a function of numbers by value that returns a number; other arguments,
   and what pointers lead to, are constants to it. fx, fy, ... (at most six) are
   its partial derivatives by its first number, its second, and so on: functions
   with f's arguments and result, or 0 where one is zero everywhere. f is then
   called as it is; without a body here it may not write what the program reads.
   The second derivative is that of fx, which may call f, and writes no numbers
   that the program reads.

     VERSO_DIFFERENTIATE_AS(f, g);

   In what requests run of a function, g is called in the place of f, which has
   the same arguments and result: C code of a function of a library, say, or of a
   solver one step from its solution, which has the derivative of the solution
   (g may call f and detach what it gives).

     VERSO_CUSTOM_VJP(f, T, roles, counts, vjp, jvp);

   f reads and writes numbers of type T, double or float, behind its pointers
   (a solver of a library, a transform, code for another processor), and vjp and
   jvp compute its derivatives. `roles` is a string with a letter for each
   argument: r, numbers that f reads; w, that it writes, all of them; u, that it
   reads and may write; -, what has no derivative (sizes, settings, indices). Of
   numbers by value, r or -. f may return a number of type T, an integer (a
   status) or nothing.

     void counts(size_t *n, the arguments of f)

   sets n[k] to how many numbers argument k, a pointer, leads to. f is called on
   copies of these, aligned to 16 bytes. Of a pointer with - that is not null n[k]
   is how many bytes of what it leads to, as f leaves them, vjp and jvp are shown
   (options, indices, a workspace); or VERSO_STAYS: they get the pointer, and
   what it leads to is to be there, unchanged, until the gradient is computed. f
   and vjp read and write no other numbers that vary. What f is to write with w
   and leaves as it is, when it fails, say, keeps its value, but has no
   derivative.

     void vjp(the arguments of f; behind each pointer r its adjoints, T *, to
              which the contributions are added; behind each pointer w, to what
              was written, the adjoints of that; for u: to what was read, to
              what was written, and adjoints T *, of what was written, which
              become those of what was read; behind each number r a T *, to
              which its adjoint is added; for a number that f returns, its
              adjoint, as the last argument)
     T jvp(likewise, with tangents; behind each number its tangent, T. Those of
           what f writes are zero before, those of u are of what was read; void
           where f returns no number)

   A ! in front of the letters says that others wait for what f does: processes
   that it sends something to or receives something from. What f writes varies,
   whatever it reads here. Its vjp, or jvp, is called whenever f was, in each
   direction that is asked for: also if nothing that f reads varies, nobody uses
   what it writes, or all adjoints are zero. There is no linear map that is kept
   of such a function, and -verso-check does not judge it. (verso/mpi.h is made of
   this.)

   Either may be 0, where nobody asks for it. They are differentiated like any
   other function for second derivatives.

   To be seen by each file that differentiates code with calls of f. If f has no
   body there, calls by its name are meant, not those through a pointer. */
#define VERSO_STAYS ((size_t)-1)
#define VERSO_CUSTOM_VJP(FUNCTION, TYPE, ROLES, COUNTS, VJP, JVP)              \
  VERSO_FITS_ROLES_(FUNCTION, TYPE, ROLES)                                     \
  VERSO_CUSTOM_(verso_custom_vjp_, __COUNTER__, (void *)(FUNCTION),            \
                (void *)(COUNTS), (void *)(VJP), (void *)(JVP),                \
                (void *)(ROLES), (void *)sizeof(TYPE))
#ifdef __cplusplus
#define VERSO_FITS_ROLES_(FUNCTION, TYPE, ROLES)                               \
  static_assert(verso_detail::fit((TYPE *)0, FUNCTION, ROLES),                 \
                "VERSO_CUSTOM_VJP: arguments with r, w or u are pointers to "  \
                "numbers of the second operand's type, with r also numbers");
#else
#define VERSO_FITS_ROLES_(FUNCTION, TYPE, ROLES)
#endif
#define VERSO_DERIVATIVE(FUNCTION, ...)                                        \
  VERSO_CUSTOM_(verso_derivative_, __COUNTER__,                                \
                VERSO_POINTERS_(FUNCTION, __VA_ARGS__))
#define VERSO_DIFFERENTIATE_AS(FUNCTION, OTHER)                                \
  VERSO_CUSTOM_(verso_differentiate_as_, __COUNTER__,                          \
                VERSO_POINTERS_(FUNCTION, OTHER))
#define VERSO_CUSTOM_(NAME, NUMBER, ...)                                       \
  VERSO_ARRAY_(NAME, NUMBER, __VA_ARGS__)
#define VERSO_ARRAY_(NAME, NUMBER, ...)                                        \
  static void *const NAME##NUMBER[] __attribute__((used)) = {__VA_ARGS__}
#define VERSO_POINTERS_(...)                                                   \
  VERSO_CHOOSE_(__VA_ARGS__, VERSO_7_, VERSO_6_, VERSO_5_, VERSO_4_, VERSO_3_, \
                VERSO_2_, VERSO_1_, _)                                         \
  (__VA_ARGS__)
#define VERSO_CHOOSE_(A, B, C, D, E, F, G, CHOSEN, ...) CHOSEN
#define VERSO_1_(A) (void *)(A)
#define VERSO_2_(A, ...) VERSO_1_(A), VERSO_1_(__VA_ARGS__)
#define VERSO_3_(A, ...) VERSO_1_(A), VERSO_2_(__VA_ARGS__)
#define VERSO_4_(A, ...) VERSO_1_(A), VERSO_3_(__VA_ARGS__)
#define VERSO_5_(A, ...) VERSO_1_(A), VERSO_4_(__VA_ARGS__)
#define VERSO_6_(A, ...) VERSO_1_(A), VERSO_5_(__VA_ARGS__)
#define VERSO_7_(A, ...) VERSO_1_(A), VERSO_6_(__VA_ARGS__)

/*===- Constants -----------------------------------------------------------===*/

/* In a differentiated function: the numbers in this memory are constants from now
   on, whatever they were computed from. Pointers there keep their shadows.
   To be said behind the call of an inactive function that has overwritten numbers, if
   its body is not compiled with Verso together with the caller. (A pointer that it has
   overwritten in an object of unknown size is to be stored again.) */
void verso_detach(void *memory, size_t bytes)
#ifdef __cplusplus
    noexcept
#else
    __attribute__((__nothrow__))
#endif
    ;

/*===- Limits --------------------------------------------------------------===*/

/* The most bytes that the tape of one request may take, for requests that start
   later. 0, the default: what the environment variable VERSO_TAPE_LIMIT says,
   or else the machine's memory. Beyond it the program ends with a message that
   names the request. */
void verso_set_tape_limit(size_t bytes);

/* The bytes that the tape of this thread's last finished request took, its log
   of the user's cells included. A request that keeps nothing, as structured ones
   may, does not change it. */
size_t verso_tape_bytes(void);

#ifdef __cplusplus
}
#endif

#endif /* VERSO_VERSO_H */
