//===- swapped-records.c - records that words are swapped of --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records of numbers and a count change places word by word, as a sort of a
// library does it, so that the words of counts are moved as those of numbers;
// then a count is added to a number. A count is no number, and its slope none
// that overflows.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <string.h>

double __verso_jvp(void *, ...);

enum { N = 4 };

typedef struct {
  long long Count;
  double F, D;
} Record;

CHECK_NOINLINE static void exchange(Record *a, Record *b) {
  char *p = (char *)a, *q = (char *)b;
  for (size_t n = sizeof *a; n >= 8; n -= 8, p += 8, q += 8) {
    uint64_t s, t;
    memcpy(&s, p, 8), memcpy(&t, q, 8);
    memcpy(p, &t, 8), memcpy(q, &s, 8);
  }
}

static double weighted(const double *x) {
  Record r[N];
  for (int i = 0; i < N; ++i)
    r[i] = (Record){i, x[i], x[i]};
  for (int k = 0; k < 2; ++k) {
    exchange(&r[3], &r[2]);
    memmove(r + 1, r, 2 * sizeof *r);
    r[3].D += r[3].Count;
  }
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += r[i].D * (r[i].Count + i + 1);
  return s;
}

int main(void) {
  double x[N] = {1.5, 0.7, -0.9, 1.2}, dx[N] = {0};
  const double expected[N] = {6, 5, 0, 0};
  __verso_grad_void((void *)weighted, verso_dup, x, dx);
  for (int i = 0; i < N; ++i) {
    double t[N] = {0};
    t[i] = 1;
    CHECK_EQUAL(dx[i], expected[i]);
    CHECK_EQUAL(__verso_jvp((void *)weighted, verso_dup, x, t), expected[i]);
  }
  return check_status();
}
