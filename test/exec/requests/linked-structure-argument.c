//===- linked-structure-argument.c - a list and its shadow list -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A duplicated list: the shadow is a list of the same length whose nodes hold
// the adjoints. The function walks both at once, updates one in place, and
// relinks.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct node {
  double value;
  struct node *next;
};

CHECK_NOINLINE static double sum_of_products(const struct node *list) {
  double sum = 0;
  for (; list && list->next; list = list->next)
    sum += list->value * list->next->value;
  return sum;
}
CHECK_NOINLINE static void square_and_reverse(struct node **list) {
  struct node *done = NULL, *next;
  for (struct node *n = *list; n; n = next) {
    n->value *= n->value;
    next = n->next;
    n->next = done;
    done = n;
  }
  *list = done;
}

int main(void) {
  struct node c = {5, NULL}, b = {3, &c}, a = {2, &b};
  struct node dc = {0, NULL}, db = {0, &dc}, da = {0, &db};
  __verso_grad_void(sum_of_products, verso_dup, &a, &da);
  CHECK_EQUAL(da.value, 3);
  CHECK_EQUAL(db.value, 7);
  CHECK_EQUAL(dc.value, 3);
  struct node *list = &a, *shadow = &da;
  da.value = 1, db.value = 10, dc.value = 100;
  __verso_vjp_void(square_and_reverse, verso_dup, &list, &shadow);
  CHECK(list == &c);
  CHECK_EQUAL(da.value, 4);
  CHECK_EQUAL(db.value, 60);
  CHECK_EQUAL(dc.value, 1000);
  return check_status();
}
