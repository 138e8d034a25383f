//===- overwritten-in-parts.c - numbers overwritten by bytes --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caller's numbers are overwritten byte by byte, or in unequal parts, with
// constants and with other numbers: up and down, two at once, through volatile
// pointers, and from memory whose images an earlier request has left.
//
// UNCHECKED: -verso-check cannot add up untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 3 };

typedef volatile char byte;

static void up(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((byte *)to)[i] = ((const byte *)from)[i];
}
static void down(void *to, const void *from, int n) {
  while (n--)
    ((byte *)to)[n] = ((const byte *)from)[n];
}
static void plain(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}
static void unequal(void *to, const void *from, int n) {
  for (int i = 0; i < n; i += 8) {
    volatile struct __attribute__((packed)) two {
      short s;
    } *a = (volatile struct two *)((char *)to + i);
    const volatile struct two *b =
        (const volatile struct two *)((const char *)from + i);
    a[0].s = b[0].s;
    struct __attribute__((packed)) six {
      char c[6];
    };
    *(struct six *)(a + 1) = *(const struct six *)(b + 1);
  }
}
static void alternately(void *to, const void *from, int n) {
  for (int i = 0; i < n / 2; ++i) {
    ((byte *)to)[i] = ((const byte *)from)[i];
    ((byte *)to)[i + n / 2] = ((const byte *)from)[i + n / 2];
  }
}

#define COPIES(OF) OF(up) OF(down) OF(plain) OF(unequal) OF(alternately)

/// The middle element is overwritten with c's, after it was read.
#define FROM(NAME)                                                             \
  CHECK_NOINLINE static double NAME##_doubles(double *x, const double *c) {    \
    double sum = 3 * x[1];                                                     \
    NAME(&x[1], c, sizeof *c);                                                 \
    return sum + x[0] * x[1] + x[2];                                           \
  }                                                                            \
  CHECK_NOINLINE static double NAME##_floats(float *x, const float *c) {       \
    double sum = 3 * x[1];                                                     \
    NAME(&x[1], c, 2 * sizeof *c);                                             \
    return sum + x[0] * x[1] + x[2];                                           \
  }
COPIES(FROM)

int main() {
#define CHECK_COPY(NAME)                                                       \
  {                                                                            \
    /* A constant; what is asked of the final value goes nowhere. */           \
    double x[N] = {2, 3, 4}, dx[N] = {0, 7, 0}, c = 5;                         \
    __verso_grad((void *)NAME##_doubles, &verso_dup, x, dx, &verso_const, &c); \
    CHECK_CLOSE(dx[0], 5, 0);                                                  \
    CHECK_CLOSE(dx[1], 3, 0);                                                  \
    CHECK_CLOSE(dx[2], 1, 0);                                                  \
    /* A number. */                                                            \
    double y[N] = {2, 3, 4}, dy[N] = {0}, dc = 0;                              \
    __verso_grad((void *)NAME##_doubles, &verso_dup, y, dy, &verso_dup, &c,    \
                 &dc);                                                         \
    CHECK_CLOSE(dy[0], 5, 0);                                                  \
    CHECK_CLOSE(dy[1], 3, 0);                                                  \
    CHECK_CLOSE(dc, 2, 0);                                                     \
    /* As a constant again. */                                                 \
    double z[N] = {2, 3, 4}, dz[N] = {0};                                      \
    __verso_grad((void *)NAME##_doubles, &verso_dup, z, dz, &verso_const, &c); \
    CHECK_CLOSE(dz[0], 5, 0);                                                  \
    CHECK_CLOSE(dz[1], 3, 0);                                                  \
    float u[N] = {2, 3, 4}, du[N] = {0, 7, 9}, k[2] = {5, 6}, dk[2] = {0};     \
    __verso_grad((void *)NAME##_floats, &verso_dup, u, du, &verso_const, k);   \
    CHECK_CLOSE(du[0], 5, 0);                                                  \
    CHECK_CLOSE(du[1], 3, 0);                                                  \
    CHECK_CLOSE(du[2], 0, 0);                                                  \
    float v[N] = {2, 3, 4}, dv[N] = {0};                                       \
    __verso_grad((void *)NAME##_floats, &verso_dup, v, dv, &verso_dup, k, dk); \
    CHECK_CLOSE(dv[0], 5, 0);                                                  \
    CHECK_CLOSE(dv[1], 3, 0);                                                  \
    CHECK_CLOSE(dv[2], 0, 0);                                                  \
    CHECK_CLOSE(dk[0], 2, 0);                                                  \
    CHECK_CLOSE(dk[1], 1, 0);                                                  \
  }
  COPIES(CHECK_COPY)
  return check_status();
}
