//===- large-structures.c - copies of structures that are large ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the numbers are in what is copied is known from accesses: of thousands
// of bytes of which a few are accessed, and of hundreds of fields.
//
//===----------------------------------------------------------------------===//

#include "check.h"

enum { Rest = 1000, Fields = 300 };

struct large {
  double a;
  int k;
  double rest[Rest];
};

/// Nobody accesses the rest but the caller.
CHECK_NOINLINE static double assign(struct large *out, const struct large *in) {
  *out = *in;
  out->k += 1;
  return out->a * in->a * out->k;
}

#define EACH_10(M, N)                                                          \
  M(N##0)                                                                      \
  M(N##1) M(N##2) M(N##3) M(N##4) M(N##5) M(N##6) M(N##7) M(N##8) M(N##9)
#define EACH_100(M, N)                                                         \
  EACH_10(M, N##0)                                                             \
  EACH_10(M, N##1) EACH_10(M, N##2) EACH_10(M, N##3) EACH_10(M, N##4)          \
      EACH_10(M, N##5) EACH_10(M, N##6) EACH_10(M, N##7) EACH_10(M, N##8)      \
          EACH_10(M, N##9)
#define EACH(M) EACH_100(M, 1) EACH_100(M, 2) EACH_100(M, 3)

#define DECLARE(N)                                                             \
  double f##N;                                                                 \
  int i##N;
struct many {
  EACH(DECLARE)
};

/// sum (N - 100) x_k^2, with the fields of one element copied to another
CHECK_NOINLINE static double copyMany(const double *x, struct many *a, int to) {
  double s = 0;
#define SET(N)                                                                 \
  a->f##N = x[N - 100];                                                        \
  a->i##N = N - 100;
  EACH(SET)
  a[to] = a[0];
#define ADD(N) s += a[to].f##N * a[to].f##N * a[to].i##N;
  EACH(ADD)
  return s;
}

static double copied(const double *x, int to) {
  struct many *a = calloc(3, sizeof *a);
  double s = copyMany(x, a, to);
  free(a);
  return s;
}

static struct large in, out, din, dout;

int main(void) {
  in.a = 2;
  in.k = 3;
  for (int i = 0; i < Rest; ++i)
    dout.rest[i] = 1 + i;
  __verso_grad_void((void *)assign, verso_dup, &out, &dout, verso_dup, &in,
                    &din);
  CHECK_EQUAL(din.a, 16);
  for (int i = 0; i < Rest; ++i) {
    CHECK_EQUAL(din.rest[i], 1 + i);
    CHECK_EQUAL(dout.rest[i], 0);
  }

  double x[Fields], dx[Fields] = {0};
  for (int i = 0; i < Fields; ++i)
    x[i] = 1 + i % 5;
  __verso_grad_void((void *)copied, verso_dup, x, dx, verso_const, 2);
  for (int i = 0; i < Fields; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i] * i);
  return check_status();
}
