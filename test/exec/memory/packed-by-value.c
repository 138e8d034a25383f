//===- packed-by-value.c - packed structs that are never in memory --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed struct of eight bytes is handed on as an integer. From -O1 on its
// float is shifted out of the middle of that, and nothing else says that there
// is such a number: its image is pieces. Where a member beside it is computed
// with in the register, the derivative is right or the bits are lost.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

double __verso_jvp(void *, ...);

/// What Verso ends a program with.
enum { N = 2, Refused = 86 };

typedef struct __attribute__((packed)) {
  short a;
  float f;
  short b;
} Packed;

/// n times WITH, by recursion and in a loop; the derivative is that of x0 x1.
#define PACKED(NAME, WITH)                                                     \
  CHECK_NOINLINE static Packed NAME##Step(Packed s, CHECK_UNUSED int i) {      \
    WITH;                                                                      \
    return s;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static Packed NAME##Deep(Packed s, int i) {                   \
    if (i == 0)                                                                \
      return s;                                                                \
    s = NAME##Deep(s, i - 1);                                                  \
    WITH;                                                                      \
    return s;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double NAME(const double *x, int n) {                  \
    Packed s[2] = {{1, (float)(x[0] * x[1]), 2}, {3, 1, 4}};                   \
    for (int i = 0; i < n; ++i)                                                \
      s[i % 2] = NAME##Step(s[i % 2], i);                                      \
    s[0] = NAME##Deep(s[0], n);                                                \
    return s[0].f * (s[0].a != 12345) + s[1].f;                                \
  }

PACKED(moves, s.a = s.b)
PACKED(counts, s.a = (short)i)
PACKED(scales, s.f *= 0.5f; s.f *= 2)
PACKED(swaps, short a = s.a; s.a = s.b; s.b = a)
PACKED(adds, s.b += 3)
PACKED(addsBelow, s.a += 3)
PACKED(shifts, s.b <<= 1)

/// With OR_LOST the gradient may be the error of lost bits, J v NaN.
#define CHECK_PRODUCT(F, OR_LOST)                                              \
  do {                                                                         \
    double x[N] = {1.5, 0.25}, v[N] = {0.3, 0.7};                              \
    int status;                                                                \
    fflush(stderr);                                                            \
    pid_t child = fork();                                                      \
    if (child == 0) {                                                          \
      double d[N] = {0};                                                       \
      if (OR_LOST)                                                             \
        fclose(stderr);                                                        \
      __verso_grad_void((void *)F, verso_dup, x, d, verso_const, 3);           \
      _exit(d[0] != x[1] || d[1] != x[0]);                                     \
    }                                                                          \
    CHECK(waitpid(child, &status, 0) == child);                                \
    CHECK(WIFEXITED(status));                                                  \
    CHECK(WEXITSTATUS(status) == 0 ||                                          \
          (OR_LOST && WEXITSTATUS(status) == Refused));                        \
    double tangent = __verso_jvp((void *)F, verso_dup, x, v, verso_const, 3);  \
    CHECK(fabs(tangent - 1.125) < 1e-6 || (OR_LOST && isnan(tangent)));        \
  } while (0)

int main(void) {
  CHECK_PRODUCT(moves, 0);
  CHECK_PRODUCT(counts, 0);
  CHECK_PRODUCT(scales, 1); // Structured, at -O0: KindMarks ask too much.
  CHECK_PRODUCT(swaps, 0);
  CHECK_PRODUCT(adds, 1);
  CHECK_PRODUCT(addsBelow, 1);
  CHECK_PRODUCT(shifts, 1);
  return check_status();
}
