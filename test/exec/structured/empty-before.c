//===- empty-before.c - a list that is empty when a request begins --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// STRATEGY: structured
//
// Where numbers are to be stored is kept in a list of a static variable. What
// it held before might lead anywhere, if it were not said to be empty. A list
// that nothing is ever put into leads nowhere.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <stdlib.h>
#include <verso/verso.h>

struct place {
  double *to;
  int id;
  struct place *next;
};
VERSO_NULL_BEFORE static struct place *places = 0;
VERSO_NULL_BEFORE static struct place *unused = 0;

static void remember(double *to, int id) {
  struct place *own = malloc(sizeof *own);
  own->to = to;
  own->id = id;
  own->next = places;
  places = own;
}
static void store(struct place **list, int id, double x) {
  struct place *own = *list;
  while (own && own->id != id)
    own = own->next;
  if (own)
    *own->to += x;
}
static double f(const double *x, int n) {
  double y[3] = {0}, sum = 0;
  for (int i = 0; i < n; ++i)
    remember(&y[i % 3], i);
  for (int i = 0; i < n; ++i) {
    store(&places, i, x[i] * x[i] * (1 + i % 3));
    store(&unused, i, x[i]);
  }
  while (places) {
    struct place *own = places;
    places = own->next;
    free(own);
  }
  for (int i = 0; i < 3; ++i)
    sum += y[i] * y[i];
  return sum;
}

int main(void) {
  double x[5] = {1, 2, 3, 4, 5}, dx[5] = {0};
  double y[3] = {1 + 16, 2 * (4 + 25), 3 * 9};
  __verso_grad_void((void *)f, verso_dup, x, dx, verso_const, 5);
  for (int i = 0; i < 5; ++i)
    CHECK_CLOSE(dx[i], 2 * y[i % 3] * (1 + i % 3) * 2 * x[i], 1e-14);
  return check_status();
}
