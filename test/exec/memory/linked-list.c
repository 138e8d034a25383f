//===- linked-list.c - a linked list made and consumed inside -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are allocated, linked, reversed in place, walked and freed within the
// differentiated function.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct node {
  double value;
  struct node *next;
};

CHECK_NOINLINE static struct node *build(const double *x, int n) {
  struct node *head = NULL;
  for (int i = 0; i < n; ++i) {
    struct node *node = malloc(sizeof *node);
    node->value = x[i] * x[i];
    node->next = head;
    head = node;
  }
  return head;
}
CHECK_NOINLINE static struct node *reverse(struct node *list) {
  struct node *done = NULL;
  while (list) {
    struct node *next = list->next;
    list->next = done;
    done = list;
    list = next;
  }
  return done;
}
CHECK_NOINLINE static double run(const double *x, int n) {
  struct node *list = reverse(build(x, n));
  double sum = 0, weight = 1;
  for (struct node *p = list; p; p = p->next, weight *= 2)
    sum += weight * p->value;
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return sum;
}

int main(void) {
  double x[] = {1, 2, 3, 4}, dx[4] = {0};
  __verso_grad_void(run, verso_dup, x, dx, 4);
  for (int i = 0; i < 4; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i] * (1 << i));
  return check_status();
}
