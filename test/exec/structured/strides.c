//===- strides.c - numbers beside other things, told apart by steps -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an index is a multiple of is known although loops hand it on to each
// other, choose it, and come to it by distances of addresses. And it is not
// believed where one way of many breaks the step, or an index wraps around.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "verso/verso.h"
#include <stdint.h>

enum { N = 12 };

/// 24 bytes: a number, a pointer, integers.
struct item {
  double value;
  const double *from;
  int id, count;
};

/// An index in bytes that loops and choices hand on.
VERSO_STRATEGY(structured)
CHECK_NOINLINE static double handed_on(const double *x, int n) {
  char *pool = malloc((N + 4) * sizeof(struct item));
  for (int i = 0; i < n; ++i) {
    struct item *p = (struct item *)pool + i;
    p->value = x[i] * x[i];
    p->from = x + n - 1 - i;
    p->id = i * 5 % 7;
    p->count = i;
  }
  double sum = 0;
  long at = 0, end = n * 24L;
  while (at < end) {
    while (at < end && ((struct item *)(pool + at))->id != 3) {
      while (at < end && ((struct item *)(pool + at))->id < 3) {
        struct item *a = (struct item *)(pool + at);
        a->value *= *a->from;
        a->count++;
        at += 24;
      }
      if (at < end && ((struct item *)(pool + at))->id == 5)
        at += 24;
      if (at < end) {
        struct item *a = (struct item *)(pool + at);
        a->from = at ? ((struct item *)(pool + at - 24))->from : x;
        sum += a->value * a->count * *a->from;
        at += a->id > 5 ? 48 : 24;
      }
    }
    at += 24;
  }
  for (int i = 0; i < n; ++i)
    sum += ((struct item *)pool)[i].value * i;
  free(pool);
  return sum;
}

/// Structures sorted in place by pointers, whose distances choose the middle.
VERSO_STRATEGY(structured)
CHECK_NOINLINE static double by_distances(const double *x, int n) {
  struct item items[N];
  for (int i = 0; i < n; ++i)
    items[i] = (struct item){x[i] * (i + 1), x + i, i, 0};
  struct item *first = items, *last = items + n;
  double sum = 0;
  while (last - first > 1) {
    struct item *middle = first + (last - first) / 2;
    middle->count += middle->id;
    middle->value *= 1 + *middle->from;
    sum += middle->value * middle->count;
    if (middle->id % 2)
      first = middle;
    else
      last = middle;
  }
  return sum + items[0].value * items[0].value;
}

/// One way of many breaks the step: what it reads and writes is the other
/// number of a pair.
CHECK_NOINLINE static double broken_step(const double *x, int n) {
  double pairs[2 * N + 1] = {0}, sum = 0;
  for (int i = 0; i < n; ++i) {
    pairs[2 * i] = x[i];
    pairs[2 * i + 1] = x[i] * x[n - 1 - i];
  }
  int at = 0;
  for (int round = 0; round < 3; ++round) {
    for (; at < 2 * n - 4; at += 2) {
      pairs[at] *= pairs[at + 2];
      sum += pairs[at];
    }
    at = round == 1 ? 1 : 0;
  }
  return sum;
}

/// Products that wrap around are no multiples of three any more.
CHECK_NOINLINE static double wrapping(const double *x, int n) {
  double w[N] = {0}, sum = 0;
  uint32_t k = 0;
  for (int i = 0; i < n; ++i)
    w[i] = x[i];
  for (int i = 0; i < n; ++i) {
    w[k % N] += x[i] * w[(k + 5) % N];
    k += 3u * 0x40000001u;
    sum += w[k % N] * w[i];
  }
  return sum;
}

static double handed_on_at(double *x) { return handed_on(x, N); }
static double by_distances_at(double *x) { return by_distances(x, N); }
static double broken_step_at(double *x) { return broken_step(x, N); }
static double wrapping_at(double *x) { return wrapping(x, N); }

#define COMPARE(f, tolerance)                                                  \
  do {                                                                         \
    double x[N], d[N] = {0};                                                   \
    for (int i = 0; i < N; ++i)                                                \
      x[i] = (i % 5 + 3) / 4.0;                                                \
    __verso_grad_void((void *)f, verso_dup, x, d, verso_const, N);             \
    CHECK_GRADIENT(f##_at, N, x, d, tolerance);                                \
    double none[N] = {0};                                                      \
    __verso_grad_void((void *)f, verso_dup, x, none, verso_const, 0);          \
    for (int i = 0; i < N; ++i)                                                \
      CHECK_EQUAL(none[i], 0);                                                 \
  } while (0)

int main(void) {
  COMPARE(broken_step, 1e-7);
  COMPARE(wrapping, 1e-7);
  COMPARE(handed_on, 1e-7);
  COMPARE(by_distances, 1e-7);
  return check_status();
}
