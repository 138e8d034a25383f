//===- lists-in-arrays.c - links and numbers of one local array -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list whose nodes are elements of an array that is filled in a loop: each
// link is made of the iteration before. Links and numbers are told apart.
//
//===----------------------------------------------------------------------===//
// STRATEGY: structured

#include "../check.h"

enum { Most = 64 };
struct node {
  double value;
  struct node *next;
};

CHECK_NOINLINE static double list(const double *x, int n) {
  struct node nodes[Most], *first = 0;
  for (int i = 0; i < n; ++i) {
    nodes[i].value = x[i] * x[i];
    nodes[i].next = first;
    first = &nodes[i];
  }
  double sum = 0;
  for (int round = 0; round < 3; ++round)
    for (struct node *p = first; p; p = p->next) {
      if (p->next)
        p->next->value *= 1 + 0.1 * p->value;
      sum += sin(p->value);
    }
  return sum;
}
/// Two lists are cut and joined, and one value is overwritten.
CHECK_NOINLINE static double joined(const double *x, int n) {
  struct node nodes[Most], *even = 0, *odd = 0;
  for (int i = 0; i < n; ++i) {
    struct node **to = i % 2 ? &odd : &even;
    nodes[i] = (struct node){x[i], *to};
    *to = &nodes[i];
  }
  struct node **end = &even;
  while (*end)
    end = &(*end)->next;
  *end = odd;
  if (n)
    nodes[0].value = 2;
  double product = 1;
  for (struct node *p = even; p; p = p->next)
    product = product * p->value + 1;
  return product;
}

static volatile int none;
static double list_at(double *x) { return list(x, 5); }
static double joined_at(double *x) { return joined(x, 5); }

int main(void) {
  double x[] = {0.5, -1.5, 2, 0.75, -0.25}, dx[5] = {0};
  __verso_grad_void(list, verso_dup, x, dx, 5);
  CHECK_GRADIENT(list_at, 5, x, dx, 1e-8);
  memset(dx, 0, sizeof dx);
  __verso_grad_void(joined, verso_dup, x, dx, 5);
  CHECK_GRADIENT(joined_at, 5, x, dx, 1e-8);
  memset(dx, 0, sizeof dx);
  __verso_grad_void(list, verso_dup, x, dx, none);
  __verso_grad_void(joined, verso_dup, x, dx, none);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(dx[i], 0);
  return check_status();
}
