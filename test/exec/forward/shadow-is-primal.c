//===- shadow-is-primal.c - the direction is the point itself -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shadow that is the primal memory: Euler's identity for homogeneous
// functions, also where the pointer went through memory. A shadow structure
// that is a shallow copy, whose inner pointers are those of the primal, says
// that what they point to does not vary; a null pointer in a shadow structure
// too.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static double plain(const double *x) {
  return x[0] * x[0] * x[1] + x[1] * x[1] * x[1];
}
struct view {
  const double *p;
};
CHECK_NOINLINE static double seen(const struct view *v) { return plain(v->p); }
CHECK_NOINLINE static double captured(const double *x) {
  struct view *v = malloc(sizeof *v);
  v->p = x;
  double result = seen(v);
  free(v);
  return result;
}
struct model {
  double weight, *data;
  int n;
};
CHECK_NOINLINE static double evaluate(struct model *m) {
  double sum = m->weight;
  for (int i = 0; i < m->n; ++i)
    sum += m->data[i] * m->weight;
  return sum;
}
CHECK_NOINLINE static double scratch(struct model *m) {
  for (int i = 0; i < m->n; ++i)
    m->data[i] = m->weight * i;
  return m->data[2] * m->data[1];
}

int main(void) {
  double data[] = {1, 2, 3};
  struct model m = {2, data, 3}, d = m;
  d.weight = 1;
  CHECK_EQUAL(__verso_jvp(evaluate, verso_dup, &m, &d), 7);
  CHECK_EQUAL(__verso_jvp(scratch, verso_dup, &m, &d), 8);
  CHECK_EQUAL(data[1], 2);
  d.data = 0;
  CHECK_EQUAL(__verso_jvp(scratch, verso_dup, &m, &d), 8);

  double x[] = {2, 3};
  CHECK_EQUAL(__verso_jvp(plain, verso_dup, x, x), 3 * plain(x));
  CHECK_EQUAL(__verso_jvp(captured, verso_dup, x, x), 3 * plain(x));
  return check_status();
}
