//===- marks-in-pointers.c - marks that are copied as bytes ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers that are -1 or a small integer, in a structure whose shadow repeats
// them, are copied as untyped bytes: nobody takes them for numbers.
//
// UNCHECKED: -verso-check does not judge untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct Node {
  double *mark, *small, value;
  struct Node *next;
} Node;

static Node *volatile last;

CHECK_NOINLINE static double copied(Node *n, double x) {
  for (int k = 0; k < 2; ++k) {
    memcpy(n->next, n, 2 * sizeof(double *));
    memcpy(n, n->next, 2 * sizeof(double *));
    last = n;
  }
  return n->mark == (double *)-1 ? x * n->value : 0;
}

int main(void) {
  double *mark = (double *)-1, *small = (double *)5;
  Node second = {small, mark, 1, NULL}, first = {mark, small, 2, &second};
  Node dsecond = {small, mark, 0, NULL}, dfirst = {mark, small, 0, &dsecond};
  double d = __verso_grad((void *)copied, &first, &dfirst, 3.0);
  CHECK_CLOSE(d, 2, 1e-14);
  CHECK_CLOSE(dfirst.value, 3, 1e-14);
  CHECK(second.mark == mark && second.small == small);
  return check_status();
}
