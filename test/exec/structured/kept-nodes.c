//===- kept-nodes.c - what the function leaves in the caller's memory -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node is linked into the caller's list: what is stored in it is the
// caller's to read, also where the derivative does not need it.
//
//===----------------------------------------------------------------------===//

#include "check.h"

typedef struct node {
  double v;
  struct node *next;
} node;

static double push(double x, node **head) {
  node *n = malloc(sizeof *n);
  n->v = x * x;
  n->next = *head;
  *head = n;
  return x * 3;
}

int main(void) {
  node first = {1, 0}, shadowFirst = {0, 0};
  node *head = &first, *shadowHead = &shadowFirst;
  double d =
      __verso_grad((void *)push, verso_out, 2.0, verso_dup, &head, &shadowHead);
  CHECK_CLOSE(d, 3, 1e-15);
  CHECK_CLOSE(head->v, 4, 1e-15);
  CHECK(head->next == &first);
  return check_status();
}
