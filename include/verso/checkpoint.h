/*===- checkpoint.h - gradients of long loops in little memory ----*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* The reverse of a loop needs its states from the last to the first. What an
   ordinary gradient keeps of them grows with the number of steps. Here a few
   states are kept, and the steps between are taken again:

     static void step(double *u, size_t n, const double *p, size_t m, size_t k);
     VERSO_CHECKPOINTED(simulate, double, step);

     simulate(u, n, p, m, steps, slots);    // step(u, n, p, m, k), k < steps

   simulate is called in a differentiated function like any other. u is the state,
   n numbers, which a step changes; p are m parameters, which it reads. What else
   it reads has no derivative and does not change while the loop runs; it writes
   nothing else. At most `slots` states are kept beside what the gradient of one
   step takes; with 0 each step begins at the first state.

   Where the states are kept is optimal (binomial): beside its gradient no step is
   taken more than r times if there are at most (s + 1 + r)! / ((s + 1)! r!) of
   them, with s slots (A. Griewank and A. Walther, Algorithm 799: revolve, ACM
   TOMS 26, 2000): 4,368 for 10 slots and r = 5, 65,780 for 20.

   Steps that exchange messages with other processes (verso/mpi.h) are those of
   VERSO_CHECKPOINTED_AMONG(simulate, double, step): their gradients are taken on
   all processes whenever one may need them.

   T is double or float. A macro for file scope, with a semicolon. */

#ifndef VERSO_CHECKPOINT_H
#define VERSO_CHECKPOINT_H

#include "verso.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many steps are reversed from so many states if each is taken at most
   `repeats` times before its gradient: a binomial coefficient, or SIZE_MAX. */
static inline size_t verso_steps_within(size_t states, size_t repeats) {
  size_t count = 1, k;
  for (k = 1; k <= repeats; ++k) {
    if (count > (size_t)-1 / (states + k))
      return (size_t)-1;
    count = count * (states + k) / k;
  }
  return count;
}

/* Of so many steps, how many come before the next state to be kept: neither
   part is repeated more often than need be. */
static inline size_t verso_steps_before_slot(size_t steps, size_t slots) {
  size_t repeats = 0, behind, least;
  while (verso_steps_within(slots + 1, repeats) < steps)
    ++repeats;
  behind = verso_steps_within(slots, repeats);
  least = repeats < 2 ? 1 : verso_steps_within(slots + 1, repeats - 2);
  return steps > behind && steps - behind > least ? steps - behind : least;
}

static inline void *verso_take_slots(size_t count, size_t bytes) {
  void *slots = calloc(count, bytes ? bytes : 1);
  if (!slots) {
    fprintf(stderr,
            "verso: error: no memory for %zu states of %zu bytes that "
            "VERSO_CHECKPOINTED keeps\n",
            count, bytes);
    exit(86);
  }
  return slots;
}

/* Each takes a call within another, unless all states are kept. */
#define VERSO_MOST_SLOTS ((size_t)4096)

#define VERSO_CHECKPOINTED_(NAME, T, STEP, ROLES)                              \
  static void NAME(T *u, size_t n, const T *p, size_t m, size_t steps,         \
                   size_t slots) {                                             \
    size_t k;                                                                  \
    (void)slots;                                                               \
    for (k = 0; k != steps; ++k)                                               \
      STEP(u, n, p, m, k);                                                     \
  }                                                                            \
  static void NAME##_counts(size_t *count, T *u, size_t n, const T *p,         \
                            size_t m, size_t steps, size_t slots) {            \
    (void)u, (void)p, (void)steps, (void)slots;                                \
    count[0] = n;                                                              \
    count[2] = m;                                                              \
  }                                                                            \
  /* From the state u before step `from` du becomes the adjoint of that.       \
     `free` has room for one state more than there are slots. */               \
  static void NAME##_reverse(const T *u, T *du, size_t n, const T *p, T *dp,   \
                             size_t m, size_t from, size_t to, size_t slots,   \
                             T *free) {                                        \
    /* All states, one after the other. */                                     \
    if (slots + 1 >= to - from) {                                              \
      size_t k;                                                                \
      memcpy(free, u, n * sizeof(T));                                          \
      for (k = from; k + 1 < to; ++k) {                                        \
        memcpy(free + (k - from + 1) * n, free + (k - from) * n,               \
               n * sizeof(T));                                                 \
        STEP(free + (k - from + 1) * n, n, p, m, k);                           \
      }                                                                        \
      while (to != from) {                                                     \
        --to;                                                                  \
        __verso_vjp_void((void *)STEP, verso_dup, free + (to - from) * n, du,  \
                         verso_const, n, verso_dup, p, dp, verso_const, m,     \
                         verso_const, to);                                     \
      }                                                                        \
    }                                                                          \
    while (to - from > 1 && slots) {                                           \
      size_t k, kept = from + verso_steps_before_slot(to - from, slots);       \
      memcpy(free, u, n * sizeof(T));                                          \
      for (k = from; k != kept; ++k)                                           \
        STEP(free, n, p, m, k);                                                \
      NAME##_reverse(free, du, n, p, dp, m, kept, to, slots - 1, free + n);    \
      to = kept;                                                               \
    }                                                                          \
    while (to != from) {                                                       \
      size_t k;                                                                \
      memcpy(free, u, n * sizeof(T));                                          \
      for (k = from; k + 1 != to; ++k)                                         \
        STEP(free, n, p, m, k);                                                \
      --to;                                                                    \
      __verso_vjp_void((void *)STEP, verso_dup, free, du, verso_const, n,      \
                       verso_dup, p, dp, verso_const, m, verso_const, to);     \
    }                                                                          \
  }                                                                            \
  static void NAME##_vjp(const T *before, const T *after, T *du, size_t n,     \
                         const T *p, T *dp, size_t m, size_t steps,            \
                         size_t slots) {                                       \
    T *free_states;                                                            \
    (void)after;                                                               \
    if (slots > steps)                                                         \
      slots = steps;                                                           \
    else if (slots > VERSO_MOST_SLOTS)                                         \
      slots = VERSO_MOST_SLOTS;                                                           \
    free_states = (T *)verso_take_slots(slots + 1, n * sizeof(T));             \
    NAME##_reverse(before, du, n, p, dp, m, 0, steps, slots, free_states);     \
    free(free_states);                                                         \
  }                                                                            \
  static void NAME##_jvp(const T *before, const T *after, T *du, size_t n,     \
                         const T *p, const T *dp, size_t m, size_t steps,      \
                         size_t slots) {                                       \
    T *u = (T *)verso_take_slots(1, n * sizeof(T));                            \
    size_t k;                                                                  \
    (void)after, (void)slots;                                                  \
    memcpy(u, before, n * sizeof(T));                                          \
    for (k = 0; k != steps; ++k)                                               \
      __verso_jvp_void((void *)STEP, verso_dup, u, du, verso_const, n,         \
                       verso_dup, p, dp, verso_const, m, verso_const, k);      \
    free(u);                                                                   \
  }                                                                            \
  VERSO_CUSTOM_VJP(NAME, T, ROLES, NAME##_counts, NAME##_vjp, NAME##_jvp)
#define VERSO_CHECKPOINTED(NAME, T, STEP)                                      \
  VERSO_CHECKPOINTED_(NAME, T, STEP, "u-r---")
#define VERSO_CHECKPOINTED_AMONG(NAME, T, STEP)                                \
  VERSO_CHECKPOINTED_(NAME, T, STEP, "!u-r---")

#endif /* VERSO_CHECKPOINT_H */
