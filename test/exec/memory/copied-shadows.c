//===- copied-shadows.c - shadows that are copies of the structure --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shadow structure is made as a copy of the structure in which the numbers
// are set: integers, what lies between members and numbers that nobody reads
// are not zero there when structures are assigned, exchanged and moved. What
// is declared to be a number is added, what is declared to be none is no
// adjoint; J and its transpose agree.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>

void __verso_jvp_void(void *, ...);

enum { N = 4 };

struct Plain {
  int k;
  double v;
};
struct Last {
  double v;
  int k;
};
struct Array {
  int k;
  double t[3];
  float g;
};
struct Part {
  short a;
  float f;
};
struct Nested {
  struct Part q[2];
  long k;
  double v;
};

// The numbers of each, of which the first is read.
#define PLAIN(DO, r) DO(r.v)
#define ARRAY(DO, r) DO(r.t[0]) DO(r.t[1]) DO(r.t[2]) DO(r.g)
#define NESTED(DO, r) DO(r.v) DO(r.q[0].f) DO(r.q[1].f)

static double next(void) {
  static unsigned seed = 1;
  seed = seed * 1103515245u + 12345;
  return 0.25 + (float)(seed >> 16 & 1023) / 512;
}

#define FILL(X) X = (float)next();
#define TIMES(X, Y) Sum += X * Y;

#define TEST(T, FIRST, NUMBERS)                                                \
  static void assign_##T(struct T *p, int n, const double *a) {                \
    p[2].FIRST *= a[0];                                                        \
    p[0] = p[2];                                                               \
    p[1] = p[2];                                                               \
    for (int i = 0; i < n; i++)                                                \
      p[i].k = i + 7;                                                          \
  }                                                                            \
  static void exchange_##T(struct T *p, int n, const double *a) {              \
    for (int i = 0; i + 1 < n; i += 2) {                                       \
      struct T t = p[i];                                                       \
      p[i] = p[i + 1];                                                         \
      p[i + 1] = t;                                                            \
      p[i].FIRST *= a[0];                                                      \
    }                                                                          \
  }                                                                            \
  static void move_##T(struct T *p, int n, const double *a) {                  \
    p[2].FIRST *= a[0];                                                        \
    memmove(p, p + 1, (n - 1) * sizeof *p);                                    \
  }                                                                            \
  static void copy_##T(struct T *p, int n, const double *a) {                  \
    p[n - 1].FIRST *= a[0];                                                    \
    memcpy(&p[0], &p[3], sizeof *p);                                           \
    memcpy(&p[1], &p[3], sizeof *p);                                           \
  }                                                                            \
  static void sort_##T(struct T *p, int n, const double *a) {                  \
    for (int i = 1; i < n; i++) {                                              \
      struct T t = p[i];                                                       \
      int j = i;                                                               \
      for (; j > 0 && p[j - 1].k > t.k; j--)                                   \
        p[j] = p[j - 1];                                                       \
      p[j] = t;                                                                \
    }                                                                          \
    p[1].FIRST *= a[0];                                                        \
  }                                                                            \
  static double product_##T(const struct T *p, const struct T *q) {            \
    double Sum = 0;                                                            \
    for (int i = 0; i < N; i++) {                                              \
      NUMBERS(PAIR, [i])                                                       \
    }                                                                          \
    return Sum;                                                                \
  }                                                                            \
  static void fill_##T(struct T *p, const struct T *from) {                    \
    memcpy(p, from, N * sizeof *p);                                            \
    for (int i = 0; i < N; i++) {                                              \
      NUMBERS(FILL, p[i])                                                      \
    }                                                                          \
  }                                                                            \
  static struct T p_##T[N], u_##T[N], v_##T[N], w_##T[N];
#define PAIR(X) TIMES(p X, q X)
TEST(Plain, v, PLAIN)
TEST(Last, v, PLAIN)
TEST(Array, t[0], ARRAY)
TEST(Nested, v, NESTED)

// Small integers, negative ones, and such whose bits are those of a float.
static const int Keys[3][N] = {{3, 1, 2, 2},
                               {-1, -3, -2, -9},
                               {0x3f800000, 0x40490fdb, 7, 0x12345678}};

#define RUN(F, T, K)                                                           \
  {                                                                            \
    double a = 1.5, da = 0, ta = 0.75;                                         \
    memset(p_##T, 0x5a, sizeof p_##T);                                         \
    fill_##T(p_##T, p_##T);                                                    \
    for (int i = 0; i < N; i++)                                                \
      p_##T[i].k = Keys[K][i];                                                 \
    fill_##T(u_##T, p_##T); /* tangents before, */                             \
    fill_##T(v_##T, p_##T); /* adjoints behind */                              \
    struct T tangents[N], adjoints[N];                                         \
    memcpy(tangents, u_##T, sizeof tangents);                                  \
    memcpy(adjoints, v_##T, sizeof adjoints);                                  \
    memcpy(w_##T, p_##T, sizeof w_##T);                                        \
    __verso_jvp_void((void *)F##_##T, verso_dup, w_##T, tangents, N,           \
                     verso_dup, &a, &ta);                                      \
    memcpy(w_##T, p_##T, sizeof w_##T);                                        \
    __verso_vjp_void((void *)F##_##T, verso_dup, w_##T, adjoints, N,           \
                     verso_dup, &a, &da);                                      \
    CHECK_CLOSE(product_##T(tangents, v_##T),                                  \
                product_##T(u_##T, adjoints) + ta * da, 1e-6);                 \
  }
#define RUN_ALL(T)                                                             \
  for (int k = 0; k < 3; k++) {                                                \
    RUN(assign, T, k)                                                          \
    RUN(exchange, T, k)                                                        \
    RUN(move, T, k)                                                            \
    RUN(copy, T, k)                                                            \
    RUN(sort, T, k)                                                            \
  }

int main(void) {
  RUN_ALL(Plain)
  RUN_ALL(Last)
  RUN_ALL(Array)
  RUN_ALL(Nested)
  return check_status();
}
