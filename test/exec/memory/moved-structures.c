//===- moved-structures.c - structures move over one another --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of structures with pointers is moved by some elements over itself,
// up and down, by memmove and by a loop that becomes one. Nobody has read the
// pointers before: the shadow of each is the one beside where it came from.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 5 };

typedef struct {
  double *value;
  double scale;
} Item;

static double sum(const Item *items) {
  double s = 0;
  for (int k = 0; k < N; ++k)
    s += (k + 1) * items[k].scale * *items[k].value * *items[k].value;
  return s;
}
CHECK_NOINLINE static double by_loop(Item *items, int by) {
  Item first = items[0];
  for (int k = 0; k + 1 < N; ++k)
    items[k] = items[k + 1];
  items[N - 1] = first;
  return by * sum(items);
}
CHECK_NOINLINE static double down(Item *items, int by) {
  memmove(items, items + by, (size_t)(N - by) * sizeof *items);
  return sum(items);
}
CHECK_NOINLINE static double up(Item *items, int by) {
  memmove(items + by, items, (size_t)(N - by) * sizeof *items);
  return sum(items);
}

typedef double (*Function)(Item *, int);

/// The gradient is that of the sum over what each element came from.
static void check(Function f, int by, const int *from) {
  double values[N], dvalues[N] = {0}, slopes[N] = {0}, scales[N] = {0};
  Item items[N], shadows[N];
  for (int k = 0; k < N; ++k) {
    values[k] = 1 + 0.5 * k;
    items[k] = (Item){values + k, 2 + k};
    shadows[k] = (Item){dvalues + k, 0};
  }
  double factor = f == by_loop ? by : 1;
  for (int k = 0; k < N; ++k) {
    slopes[from[k]] +=
        factor * (k + 1) * 2 * items[from[k]].scale * values[from[k]];
    scales[from[k]] += factor * (k + 1) * values[from[k]] * values[from[k]];
  }
  if (f == by_loop)
    __verso_grad_void((void *)by_loop, verso_dup, items, shadows, by);
  else if (f == down)
    __verso_grad_void((void *)down, verso_dup, items, shadows, by);
  else
    __verso_grad_void((void *)up, verso_dup, items, shadows, by);
  for (int k = 0; k < N; ++k) {
    CHECK_CLOSE(dvalues[k], slopes[k], 1e-15);
    CHECK_CLOSE(shadows[k].scale, scales[k], 1e-15);
    CHECK(items[k].value == values + from[k]);
    CHECK(shadows[k].value == dvalues + from[k]);
  }
}

int main(void) {
  check(by_loop, 3, (const int[]){1, 2, 3, 4, 0});
  check(down, 0, (const int[]){0, 1, 2, 3, 4});
  check(down, 1, (const int[]){1, 2, 3, 4, 4});
  check(down, 2, (const int[]){2, 3, 4, 3, 4});
  check(up, 1, (const int[]){0, 0, 1, 2, 3});
  check(up, 3, (const int[]){0, 1, 2, 0, 1});
  return check_status();
}
