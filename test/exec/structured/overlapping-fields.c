//===- overlapping-fields.c - structures move over one another -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of structures is moved by one element over itself. Its numbers are
// accessed one by one, so each is a field of the copy, and the source of one is
// the target of the next: in whatever order they are accessed, an adjoint moves
// by one element, not on and on.
//
// STRATEGY: structured
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 20 };

typedef struct {
  double a;
  long k;
} Item;

#define EACH(M)                                                                \
  M(0)                                                                         \
  M(1)                                                                         \
  M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)  \
      M(16) M(17) M(18) M(19)
#define TERM(I) +(I + 1) * m[I].a *m[I].a *m[I].k

CHECK_NOINLINE static double up(Item *m, int rounds) {
  for (int r = 0; r < rounds; ++r)
    memmove(m + 1, m, (N - 1) * sizeof *m);
  return 0 EACH(TERM);
}
CHECK_NOINLINE static double down(Item *m, int rounds) {
  for (int r = 0; r < rounds; ++r)
    memmove(m, m + 1, (N - 1) * sizeof *m);
  return 0 EACH(TERM);
}

int main(void) {
  for (int rounds = 0; rounds < 3; ++rounds)
    for (int way = -1; way < 2; way += 2) {
      Item m[N], d[N];
      double slope[N] = {0};
      for (int k = 0; k < N; ++k)
        m[k] = (Item){1 + k, 2}, d[k] = (Item){0, 2};
      for (int k = 0; k < N; ++k) {
        int from = k - way * rounds;
        if (way > 0 && k < rounds)
          from = 0;
        if (way < 0 && k >= N - rounds)
          from = N - 1;
        slope[from] += 4 * (k + 1) * m[from].a;
      }
      if (way > 0)
        __verso_grad_void((void *)up, verso_dup, m, d, rounds);
      else
        __verso_grad_void((void *)down, verso_dup, m, d, rounds);
      for (int k = 0; k < N; ++k)
        CHECK_EQUAL(d[k].a, slope[k]);
    }
  return check_status();
}
