//===- Transpose.c - reversed copies --------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a memmove of `bytes` bytes of numbers: the adjoint of each
// number in `to` goes to the one in `from` that it was copied from, and becomes
// zero; a null `from` takes nothing. Where the two overlap, a cell is emptied
// before it is given anything. This is bitcode in the module of whoever needs
// it, as Sweep.c is.
//
//===----------------------------------------------------------------------===//

#include "verso/Layout.h"

#include <stdint.h>

#define VERSO_TRANSPOSE_COPY(NAME, REAL)                                       \
  void __verso_transpose_copy_##NAME(REAL *to, REAL *from, uint64_t bytes);    \
  void __verso_transpose_copy_##NAME(REAL *to, REAL *from, uint64_t bytes) {   \
    int64_t n = (int64_t)(bytes / sizeof(REAL));                               \
    if (!from) {                                                               \
      for (int64_t i = 0; i < n; ++i)                                          \
        to[i] = 0;                                                             \
    } else if (to >= from) {                                                   \
      for (int64_t i = 0; i < n; ++i) {                                        \
        REAL t = to[i];                                                        \
        to[i] = 0;                                                             \
        from[i] += t;                                                          \
      }                                                                        \
    } else {                                                                   \
      for (int64_t i = n; i-- > 0;) {                                          \
        REAL t = to[i];                                                        \
        to[i] = 0;                                                             \
        from[i] += t;                                                          \
      }                                                                        \
    }                                                                          \
  }

VERSO_TRANSPOSE_COPY(double, double)
VERSO_TRANSPOSE_COPY(float, float)
VERSO_TRANSPOSE_COPY(long_double, long double)
VERSO_TRANSPOSE_COPY(half, _Float16)
VERSO_TRANSPOSE_COPY(bfloat, __bf16)

// The same of one number in each element of an array of structures, where `to`
// and `from` lead to the first.
#define VERSO_TRANSPOSE_FIELD(NAME, REAL)                                      \
  void __verso_transpose_field_##NAME(char *to, char *from, uint64_t count,    \
                                      uint64_t stride);                        \
  void __verso_transpose_field_##NAME(char *to, char *from, uint64_t count,    \
                                      uint64_t stride) {                       \
    for (uint64_t i = 0; i < count; ++i) {                                     \
      uint64_t k = to >= from ? i : count - 1 - i;                             \
      REAL t = *(REAL *)(to + k * stride);                                     \
      *(REAL *)(to + k * stride) = 0;                                          \
      if (from)                                                                \
        *(REAL *)(from + k * stride) += t;                                     \
    }                                                                          \
  }

VERSO_TRANSPOSE_FIELD(double, double)
VERSO_TRANSPOSE_FIELD(float, float)
VERSO_TRANSPOSE_FIELD(long_double, long double)
VERSO_TRANSPOSE_FIELD(half, _Float16)
VERSO_TRANSPOSE_FIELD(bfloat, __bf16)

// memmove of one pointer in each element.
void __verso_copy_pointers(char *to, char *from, uint64_t count,
                           uint64_t stride);
void __verso_copy_pointers(char *to, char *from, uint64_t count,
                           uint64_t stride) {
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t k = to <= from ? i : count - 1 - i;
    *(void **)(to + k * stride) = *(void **)(from + k * stride);
  }
}

// memmove of several pointers in each element, at offset alone or there and at
// every step bytes from there: what one overwrites may be another, so they are
// moved in the order of memory.
struct verso_pointers {
  uint64_t offset, step;
};
void __verso_move_pointers(char *to, char *from, uint64_t bytes,
                           const struct verso_pointers *all, uint64_t count);
void __verso_move_pointers(char *to, char *from, uint64_t bytes,
                           const struct verso_pointers *all, uint64_t count) {
  const uint64_t none = ~UINT64_C(0);
  const int up = to <= from;
  if (bytes < sizeof(void *))
    return;
  const uint64_t last = bytes - sizeof(void *);
  // Nothing before `low` is left, or nothing behind `high`.
  uint64_t low = 0, high = last;
  for (;;) {
    uint64_t next = none;
    for (uint64_t k = 0; k < count; ++k) {
      const uint64_t offset = all[k].offset, step = all[k].step;
      uint64_t at = offset;
      if (offset > high)
        continue;
      if (up && offset < low) {
        if (!step)
          continue;
        at += (low - offset + step - 1) / step * step;
      } else if (!up && step) {
        at += (high - offset) / step * step;
      }
      if (at <= high && (next == none || (up ? at < next : at > next)))
        next = at;
    }
    if (next == none)
      return;
    *(void **)(to + next) = *(void **)(from + next);
    if (up)
      low = next + 1;
    else if (next)
      high = next - 1;
    else
      return;
  }
}

// The verso has put back what the shadow structure held: once more, in the
// order of the recto. Shadows at mark and above do not outlast the request.
void __verso_follow_pointers(struct verso_moved *last, char *mark);
void __verso_follow_pointers(struct verso_moved *last, char *mark) {
  for (struct verso_moved *moved = last; moved; moved = moved->before) {
    uint64_t above = (uint64_t)moved->shadow - (uint64_t)mark;
    *moved->cell =
        above < (uint64_t)last - (uint64_t)mark ? moved->primal : moved->shadow;
  }
}

// The shadow of what a handler got: of one of these exceptions, or of a part of
// it; of any other, which does not vary, itself.
void *__verso_shadow_of_caught(const struct verso_exception *last,
                               char *caught);
void *__verso_shadow_of_caught(const struct verso_exception *last,
                               char *caught) {
  for (const struct verso_exception *e = last; e; e = e->before) {
    uint64_t distance = (uint64_t)caught - (uint64_t)e->primal;
    if (distance < e->bytes)
      return (char *)e->shadow + distance;
  }
  return caught;
}

// The verso has taken back what stores wrote: once more, in the order of the
// recto, what was left of it.
#define VERSO_PUT_BACK(BITS)                                                   \
  typedef uint##BITS##_t verso_cell_##BITS                                     \
      __attribute__((aligned(1), may_alias));                                  \
  void __verso_put_back_by_loop_##BITS(const struct verso_left_by_loop *log,   \
                                       uint64_t count);                        \
  void __verso_put_back_by_loop_##BITS(const struct verso_left_by_loop *log,   \
                                       uint64_t count) {                       \
    for (uint64_t k = 0; k < count; ++k) {                                     \
      const struct verso_left_by_loop *loop = &log[k];                         \
      char *cell = (char *)loop->cell;                                         \
      const char *left = (const char *)loop->left;                             \
      for (uint64_t i = 0; i < loop->count; ++i) {                             \
        *(verso_cell_##BITS *)cell = *(const verso_cell_##BITS *)left;         \
        cell += loop->step;                                                    \
        left += loop->left_step;                                               \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  void __verso_put_back_##BITS(const struct verso_left *log, uint64_t count);  \
  void __verso_put_back_##BITS(const struct verso_left *log, uint64_t count) { \
    typedef uint##BITS##_t Cell __attribute__((aligned(1), may_alias));        \
    for (uint64_t k = 0; k < count; ++k)                                       \
      *(Cell *)log[k].cell = (uint##BITS##_t)log[k].left;                      \
  }

VERSO_PUT_BACK(8)
VERSO_PUT_BACK(16)
VERSO_PUT_BACK(32)
VERSO_PUT_BACK(64)

int __verso_are_addresses(uint64_t primal, uint64_t shadow);

// Whether a pointer may lie at `primal`, with its shadow beside it. The
// tangents of two floats look like an address where the second is zero; so do
// the floats themselves, but hardly like one that is mapped.
static inline int holdsPointer(const char *primal, const char *shadow) {
  typedef uint64_t Word __attribute__((aligned(1), may_alias));
  const uint64_t first = UINT64_C(1) << 16, end = UINT64_C(1) << 47;
  uint64_t beside = *(const Word *)shadow & ~VERSO_SHADOW_IS_ITSELF;
  if (beside - first >= end - first)
    return 0;
  uint64_t pointer = *(const Word *)primal;
  return pointer - first < end - first &&
         __verso_are_addresses(pointer, beside);
}

// The numbers at `primal` are constants: of the tangents in [shadow, shadow +
// bytes) only those that are shadows of pointers stay. What is zero is not
// written, since there may be no page yet.
void __verso_keep_pointers(const char *primal, char *shadow, uint64_t bytes);
void __verso_keep_pointers(const char *primal, char *shadow, uint64_t bytes) {
  typedef uint64_t Word __attribute__((aligned(1), may_alias));
  uint64_t i = 0;
  while (i + 8 <= bytes) {
    uint64_t end = i;
    while (end != i + 8 && end + 8 <= bytes &&
           !holdsPointer(primal + end, shadow + end))
      ++end;
    if (end == i + 8 || end + 8 > bytes) {
      if (*(Word *)(shadow + i))
        *(Word *)(shadow + i) = 0;
      i += 8;
    } else {
      for (; i != end; ++i)
        shadow[i] = 0;
      i += 8;
    }
  }
  for (; i < bytes; ++i)
    if (shadow[i])
      shadow[i] = 0;
}

// The sum of two adjoints of a word, whose marks (verso_mark) say that it is a
// double, floats or neither, which has none.
static const uint32_t MarksOfFloat =
    UINT32_C(0x03020100) + UINT32_C(0x01010101) * VERSO_MARK_FLOAT;
static const uint64_t MarksOfDouble =
    UINT64_C(0x0706050403020100) +
    UINT64_C(0x0101010101010101) * VERSO_MARK_DOUBLE;

// What a word is marked as that is moved by itself: of numbers that begin
// before it, or end behind it, nothing is left.
uint32_t __verso_keep_words_4(uint32_t marks);
uint32_t __verso_keep_words_4(uint32_t marks) {
  return marks == MarksOfFloat || marks == ~UINT32_C(0)
             ? marks
             : UINT32_C(0x01010101) * VERSO_MARK_LOST;
}

uint64_t __verso_keep_words_8(uint64_t marks);
uint64_t __verso_keep_words_8(uint64_t marks) {
  if (marks == MarksOfDouble || marks == ~UINT64_C(0))
    return marks;
  uint64_t upper = __verso_keep_words_4((uint32_t)(marks >> 32));
  return upper << 32 | __verso_keep_words_4((uint32_t)marks);
}

uint32_t __verso_add_words_4(uint32_t a, uint32_t b, uint32_t marks);
uint32_t __verso_add_words_4(uint32_t a, uint32_t b, uint32_t marks) {
  if (marks != MarksOfFloat)
    return a;
  float x, y;
  __builtin_memcpy(&x, &a, sizeof x);
  __builtin_memcpy(&y, &b, sizeof y);
  x += y;
  __builtin_memcpy(&a, &x, sizeof x);
  return a;
}

uint64_t __verso_add_words_8(uint64_t a, uint64_t b, uint64_t marks);
uint64_t __verso_add_words_8(uint64_t a, uint64_t b, uint64_t marks) {
  if (marks == MarksOfDouble) {
    double x, y;
    __builtin_memcpy(&x, &a, sizeof x);
    __builtin_memcpy(&y, &b, sizeof y);
    x += y;
    __builtin_memcpy(&a, &x, sizeof x);
    return a;
  }
  if (marks == ~UINT64_C(0))
    return a;
  uint64_t upper = __verso_add_words_4((uint32_t)(a >> 32), (uint32_t)(b >> 32),
                                       (uint32_t)(marks >> 32));
  return upper << 32 |
         __verso_add_words_4((uint32_t)a, (uint32_t)b, (uint32_t)marks);
}

// The adjoint of a word that was copied from there. What is no number is left
// alone: it may be the shadow of a pointer.
typedef uint64_t unaligned_8 __attribute__((aligned(1), may_alias));
typedef uint32_t unaligned_4 __attribute__((aligned(1), may_alias));

void __verso_transpose_word_4(char *from, uint32_t given, uint32_t marks);
void __verso_transpose_word_4(char *from, uint32_t given, uint32_t marks) {
  unaligned_4 *cell = (unaligned_4 *)from;
  if (marks == MarksOfFloat)
    *cell = __verso_add_words_4(*cell, given, marks);
}

void __verso_transpose_word_8(char *from, uint64_t given, uint64_t marks);
void __verso_transpose_word_8(char *from, uint64_t given, uint64_t marks) {
  unaligned_8 *cell = (unaligned_8 *)from;
  if (marks == MarksOfDouble) {
    *cell = __verso_add_words_8(*cell, given, marks);
  } else if (marks != ~UINT64_C(0)) {
    __verso_transpose_word_4(from, (uint32_t)given, (uint32_t)marks);
    __verso_transpose_word_4(from + 4, (uint32_t)(given >> 32),
                             (uint32_t)(marks >> 32));
  }
}
