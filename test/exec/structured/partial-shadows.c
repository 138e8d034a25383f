//===- partial-shadows.c - a structure whose shadow is not complete -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer in a shadow structure that is null, or still the primal's, says that
// what it points to does not vary. Its memory stays as it is.
//
// UNCHECKED: a cell is reached with a shadow and without one; the tape that is compared sees one cell
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct Node {
  double value;
  struct Node *next;
  const double *weights;
} Node;

CHECK_NOINLINE static double total(const Node *n) {
  double s = 0;
  for (; n; n = n->next)
    s += n->value * n->value * n->weights[0];
  return s;
}

int main(void) {
  double w = 3;
  Node c = {5, 0, &w}, b = {2, &c, &w}, a = {1, &b, &w};
  Node dc = {0, 0, 0}, db = {0, &dc, &w}, da = {0, &db, 0};
  __verso_grad_void(total, verso_dup, &a, &da);
  CHECK_EQUAL(da.value, 6);
  CHECK_EQUAL(db.value, 12);
  CHECK_EQUAL(dc.value, 30);
  CHECK_EQUAL(w, 3);

  // The tail does not vary.
  double dw = 0;
  Node db2 = {0, 0, &dw}, da2 = {0, &db2, &dw};
  __verso_grad_void(total, verso_dup, &a, &da2);
  CHECK_EQUAL(da2.value, 6);
  CHECK_EQUAL(db2.value, 12);
  CHECK_EQUAL(dw, 1 + 4);
  CHECK_EQUAL(c.value, 5);
  return check_status();
}
