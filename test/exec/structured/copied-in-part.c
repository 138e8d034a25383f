//===- copied-in-part.c - a member behind the end of a copy ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many structures are copied is known when the program runs, and a member
// of one of them is accessed by a constant index: of one that is copied, or of
// one behind these. Only what is copied hands its adjoint on.
//
// UNCHECKED: -verso-check does not judge untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct {
  double x;
  int tag;
} Item;
typedef struct {
  double x;
  double *more;
} Link;

enum { N = 4, At = 2 };

CHECK_NOINLINE static double items(Item *to, const Item *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  return to[At].x * to[At].x;
}
/// What is moved by one, and may lie on what it is moved to.
CHECK_NOINLINE static double moved(Item *to, const Item *from, int n) {
  memmove(to + 1, from, (size_t)n * sizeof *to);
  return to[At].x * to[At].x;
}
/// Pointers, whose shadows follow.
CHECK_NOINLINE static double links(Link *to, const Link *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  return to[At].x * *to[At].more;
}

int main(void) {
  // n is not known where the requests are.
  for (volatile int n = 0; n <= N; ++n) {
    Item to[N + 1], dto[N + 1], from[N + 1], dfrom[N + 1];
    for (int shift = 0; shift <= 1; ++shift) {
      memset(dto, 0, sizeof dto);
      memset(dfrom, 0, sizeof dfrom);
      for (int k = 0; k <= N; ++k) {
        to[k].x = 1 + k, from[k].x = 10 + k;
        to[k].tag = dto[k].tag = from[k].tag = dfrom[k].tag = 7;
      }
      if (shift)
        __verso_grad_void((void *)moved, verso_dup, to, dto, verso_dup, from,
                          dfrom, verso_const, (int)n);
      else
        __verso_grad_void((void *)items, verso_dup, to, dto, verso_dup, from,
                          dfrom, verso_const, (int)n);
      int source = At - shift, is_copied = source < n;
      for (int k = 0; k <= N; ++k) {
        CHECK_EQUAL(dto[k].x, k == At && !is_copied ? 2.0 * (1 + At) : 0);
        CHECK_EQUAL(dfrom[k].x,
                    k == source && is_copied ? 2.0 * (10 + source) : 0);
      }
    }
    double a = 3, da = 0, b = 5, db = 0;
    Link p[N], dp[N], q[N], dq[N];
    for (int k = 0; k < N; ++k) {
      p[k].x = 1 + k, p[k].more = &a, dp[k].x = 0, dp[k].more = &da;
      q[k].x = 10 + k, q[k].more = &b, dq[k].x = 0, dq[k].more = &db;
    }
    __verso_grad_void((void *)links, verso_dup, p, dp, verso_dup, q, dq,
                      verso_const, (int)n);
    int is_copied = At < n;
    CHECK_EQUAL(dp[At].x, is_copied ? 0 : 3);
    CHECK_EQUAL(dq[At].x, is_copied ? 5 : 0);
    CHECK_EQUAL(da, is_copied ? 0 : 1 + At);
    CHECK_EQUAL(db, is_copied ? 10 + At : 0);
    for (int k = 0; k < N; ++k)
      CHECK(dp[k].more == (k < n ? &db : &da));
  }
  return check_status();
}
