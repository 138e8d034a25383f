//===- halves-put-together.c - integers made of two-byte numbers ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halves that nobody has read as numbers are taken out of integers, change
// their places in them, and are put together to others, in registers. Where the
// optimiser makes moves of that the derivative is known; else the tape ends in
// an error, never in another derivative.
//
// STRATEGY: taped
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// What Verso ends a program with.
enum { N = 4, Refused = 86 };

typedef _Float16 number;
typedef uint16_t part __attribute__((may_alias));
typedef uint32_t word __attribute__((may_alias));

static double weighted(const number *x) {
  return (double)x[0] + 2 * (double)x[1] + 4 * (double)x[2] + 8 * (double)x[3];
}

#define PUTS_TOGETHER(NAME, ...)                                               \
  CHECK_NOINLINE static double NAME(number *x) {                               \
    part *p = (part *)x;                                                       \
    word *w = (word *)x;                                                       \
    (void)p, (void)w;                                                          \
    __VA_ARGS__                                                                \
    return weighted(x);                                                        \
  }

PUTS_TOGETHER(joined, uint32_t v = p[1] | (uint32_t)p[0] << 16; w[1] = v;)
PUTS_TOGETHER(turned, uint32_t v = w[0]; w[1] = v << 16 | v >> 16;)
PUTS_TOGETHER(widened, uint32_t v = p[1]; w[1] = v;)
PUTS_TOGETHER(cut, w[1] = w[0] & 0xffff;)
PUTS_TOGETHER(mixed, w[1] = (w[0] & 0xffff) | (w[1] & 0xffff0000);)
PUTS_TOGETHER(wide, uint64_t v = p[1] | (uint64_t)p[0] << 48; memcpy(x, &v, 8);)
PUTS_TOGETHER(shifted, uint64_t v; memcpy(&v, x, 8); v <<= 16;
              memcpy(x, &v, 8);)

/// The derivatives are \p OF0 to \p OF3, or there are none.
#define CHECK_KNOWN_OR_REFUSED(F, OF0, OF1, OF2, OF3)                          \
  do {                                                                         \
    _Alignas(8) number x[N] = {1, 2, 3, 4}, d[N] = {0};                        \
    const double expected[N] = {OF0, OF1, OF2, OF3};                           \
    fflush(stderr);                                                            \
    int status;                                                                \
    pid_t child = fork();                                                      \
    if (child == 0) {                                                          \
      fclose(stderr);                                                          \
      __verso_grad((void *)F, verso_dup, x, d);                                \
      int is_wrong = 0;                                                        \
      for (int i = 0; i < N; ++i)                                              \
        is_wrong |= (double)d[i] != expected[i];                               \
      _exit(is_wrong);                                                         \
    }                                                                          \
    CHECK(waitpid(child, &status, 0) == child);                                \
    CHECK(WIFEXITED(status));                                                  \
    CHECK(WEXITSTATUS(status) == Refused || WEXITSTATUS(status) == 0);         \
  } while (0)

int main(void) {
  CHECK_KNOWN_OR_REFUSED(joined, 9, 6, 0, 0);
  CHECK_KNOWN_OR_REFUSED(turned, 9, 6, 0, 0);
  CHECK_KNOWN_OR_REFUSED(widened, 1, 6, 0, 0);
  CHECK_KNOWN_OR_REFUSED(cut, 5, 2, 0, 0);
  CHECK_KNOWN_OR_REFUSED(mixed, 5, 2, 0, 8);
  CHECK_KNOWN_OR_REFUSED(wide, 8, 1, 0, 0);
  CHECK_KNOWN_OR_REFUSED(shifted, 2, 4, 8, 0);
  return check_status();
}
