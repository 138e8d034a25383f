//===- values-beside-masks.c - integers whose values and bits are used ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer of a union is no number where its value is one and its lower bits
// another: what might be linear in the bits of a number is left alone if the
// same integer becomes a number in a way that is not.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <stdint.h>

typedef struct {
  int tag;
  union {
    float f;
    uint32_t u;
  } v;
} record;

static double records(const double *x, int n) {
  record *a = malloc(2 * n * sizeof *a);
  for (int i = 0; i < 2 * n; ++i) {
    a[i].tag = i & 1;
    if (a[i].tag)
      a[i].v.f = x[i / 2];
    else
      a[i].v.u = i * 11;
  }
  double r = 0;
  for (int i = 0; i < 2 * n; ++i)
    if (a[i].tag) {
      r += a[i].v.f;
    } else {
      r += x[0] * (float)a[i].v.u;
      r += x[1] * (a[i].v.u & 1023);
    }
  free(a);
  return r;
}

int main(void) {
  double x[3] = {1, 2, 3}, d[3] = {0};
  __verso_grad(records, verso_dup, x, d, 3);
  CHECK_EQUAL(d[0], 67);
  CHECK_EQUAL(d[1], 67);
  CHECK_EQUAL(d[2], 1);
  return check_status();
}
