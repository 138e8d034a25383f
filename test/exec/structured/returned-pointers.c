//===- returned-pointers.c - memory that the caller gets ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a returned pointer, or address, leads to is the caller's to read: it is
// written though no derivative needs it.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <stdint.h>

struct pair {
  double value;
  double *kept;
};
struct pairAndDerivative {
  struct pair f;
  double d;
};
struct tagged {
  double value;
  uintptr_t kept;
};
struct taggedAndDerivative {
  struct tagged f;
  double d;
};
struct pairAndDerivative __verso_value_and_grad_pair(void *, ...);
struct taggedAndDerivative __verso_value_and_grad_tagged(void *, ...);

CHECK_NOINLINE static struct pair asPointer(double x) {
  struct pair r = {3 * x, malloc(2 * sizeof(double))};
  r.kept[0] = x * x;
  r.kept[1] = 7;
  return r;
}

CHECK_NOINLINE static struct tagged asInteger(double x) {
  struct pair r = asPointer(x);
  return (struct tagged){r.value, (uintptr_t)r.kept | 1};
}

int main(void) {
  struct pairAndDerivative p =
      __verso_value_and_grad_pair((void *)asPointer, verso_out, 2.0);
  CHECK_EQUAL(p.f.value, 6);
  CHECK_EQUAL(p.f.kept[0], 4);
  CHECK_EQUAL(p.f.kept[1], 7);
  free(p.f.kept);

  struct taggedAndDerivative t =
      __verso_value_and_grad_tagged((void *)asInteger, verso_out, 2.0);
  double *kept = (double *)(t.f.kept - 1);
  CHECK_EQUAL(t.f.value, 6);
  CHECK_EQUAL(kept[0], 4);
  CHECK_EQUAL(kept[1], 7);
  free(kept);
  return check_status();
}
