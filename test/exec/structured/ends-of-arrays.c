//===- ends-of-arrays.c - pointers computed from distances ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Begin and end of an array are loaded from two places, as those of a
// std::vector are; their distance is that of one array all the same. Rows of a
// table, too, come from one place and are many.
//
//===----------------------------------------------------------------------===//

// STRATEGY: structured

#include "check.h"
#include "verso/verso.h"

struct Range {
  double *begin, *end;
};

CHECK_NOINLINE static double backwards(struct Range *r) {
  double s = 0;
  for (long k = 0; k < r->end - r->begin; ++k)
    s += (k + 1) * r->begin[r->end - r->begin - 1 - k] * r->begin[k];
  return s * r->begin[r->end - r->begin - 1];
}

CHECK_NOINLINE static double rows(struct Range *r, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += r[i].begin[(r[i].end - r[i].begin) / 2] *
         r[n - 1 - i].begin[r[n - 1 - i].end - r[n - 1 - i].begin - 1];
  return s;
}

int main(void) {
  double x[6] = {0.3, 0.9, -0.4, 1.1, 0.7, 0.2}, d[6] = {0};
  struct Range r = {x, x + 6}, dr = {d, d + 6};
  __verso_grad_void((void *)backwards, verso_dup, &r, &dr);
  double s = 0, e[6] = {0};
  for (int k = 0; k < 6; ++k)
    s += (k + 1) * x[5 - k] * x[k];
  for (int k = 0; k < 6; ++k) {
    e[5 - k] += (k + 1) * x[k] * x[5];
    e[k] += (k + 1) * x[5 - k] * x[5];
  }
  e[5] += s;
  for (int k = 0; k < 6; ++k)
    CHECK_CLOSE(d[k], e[k], 1e-14);

  double y[6] = {0};
  struct Range t[3] = {{x, x + 1}, {x + 1, x + 3}, {x + 3, x + 6}};
  struct Range dt[3] = {{y, y + 1}, {y + 1, y + 3}, {y + 3, y + 6}};
  __verso_grad_void((void *)rows, verso_dup, t, dt, verso_const, 3);
  // x0 x5 + x2 x2 + x4 x0
  CHECK_CLOSE(y[0], x[5] + x[4], 1e-14);
  CHECK_CLOSE(y[1], 0, 0);
  CHECK_CLOSE(y[2], 2 * x[2], 1e-14);
  CHECK_CLOSE(y[3], 0, 0);
  CHECK_CLOSE(y[4], x[0], 1e-14);
  CHECK_CLOSE(y[5], x[0], 1e-14);
  return check_status();
}
