//===- typed-copies-of-halves.c - structs of two-byte numbers ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct of three halves is overwritten by another one, of memory that was
// cleared, or where sums were stored: its adjoint ends, and goes to the sums.
// The types of the copy say that it is of _Float16, which LLVM moves as
// integers of 16 bits; of bfloat likewise.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>

volatile int none;

#define TEST_COPIES(NUMBER)                                                    \
  typedef struct {                                                             \
    NUMBER a, b, c;                                                            \
  } NUMBER##_three;                                                            \
  CHECK_NOINLINE static double NUMBER##_cleared(NUMBER *x) {                   \
    NUMBER t[8] = {0};                                                         \
    memset(t + 2, 0, 8 + none);                                                \
    *(NUMBER##_three *)(x + 1) = *(NUMBER##_three *)(t + 3);                   \
    return x[1] + x[5];                                                        \
  }                                                                            \
  CHECK_NOINLINE static double NUMBER##_stored(NUMBER *x) {                    \
    NUMBER t[8] = {0};                                                         \
    memset(t + 2, 0, 8 + none);                                                \
    t[4] = x[6] + x[7];                                                        \
    *(NUMBER##_three *)(x + 1) = *(NUMBER##_three *)(t + 3);                   \
    return x[3] + x[5];                                                        \
  }                                                                            \
  CHECK_NOINLINE static double NUMBER##_unread(NUMBER *x) {                    \
    NUMBER t[8] = {0};                                                         \
    memset(t, 0, 8 + none);                                                    \
    *(NUMBER##_three *)(x + 1) = *(NUMBER##_three *)(t + 3);                   \
    return 0;                                                                  \
  }                                                                            \
  static void NUMBER##_check(double (*f)(NUMBER *), double of_five,            \
                             double of_sum) {                                  \
    NUMBER x[8], d[8];                                                         \
    for (int i = 0; i < 8; ++i)                                                \
      x[i] = d[i] = (NUMBER)(i + 1);                                           \
    if (f == NUMBER##_cleared)                                                 \
      __verso_grad((void *)NUMBER##_cleared, verso_dup, x, d);                 \
    else if (f == NUMBER##_stored)                                             \
      __verso_grad((void *)NUMBER##_stored, verso_dup, x, d);                  \
    else                                                                       \
      __verso_grad((void *)NUMBER##_unread, verso_dup, x, d);                  \
    for (int i = 0; i < 8; ++i)                                                \
      CHECK_EQUAL((double)d[i], (i >= 1 && i < 4 ? 0 : i + 1) +                \
                                    (i == 5 ? of_five : 0) +                   \
                                    (i >= 6 ? of_sum : 0));                    \
  }

TEST_COPIES(_Float16)
TEST_COPIES(__bf16)

int main(void) {
  // The sum is stored to the second half of the three.
  _Float16_check(_Float16_cleared, 1, 0);
  _Float16_check(_Float16_stored, 1, 3);
  _Float16_check(_Float16_unread, 0, 0);
  __bf16_check(__bf16_cleared, 1, 0);
  __bf16_check(__bf16_stored, 1, 3);
  __bf16_check(__bf16_unread, 0, 0);
  return check_status();
}
