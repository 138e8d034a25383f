//===- addresses-as-parameters.c - recursion that hands on addresses ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive functions of integers that are addresses: what reads there stands
// in the function, in another one, or behind a union or a copy of the bytes.
// The caller of such a function does not see that memory is read.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

enum { N = 4 };
typedef uintptr_t ref;

CHECK_NOINLINE static double there(ref at) { return *(double *)at; }
CHECK_NOINLINE static double directly(ref at, int n) {
  return n ? *(double *)at * directly(at + sizeof(double), n - 1) : 1;
}
CHECK_NOINLINE static double by_another(ref at, int n) {
  return n ? there(at) * by_another(at + sizeof(double), n - 1) : 1;
}
CHECK_NOINLINE static double by_union(ref at, int n) {
  union {
    ref bits;
    double *pointer;
  } u = {at};
  return n ? *u.pointer * by_union(at + sizeof(double), n - 1) : 1;
}
CHECK_NOINLINE static double by_bytes(ref at, int n) {
  double *pointer;
  memcpy(&pointer, &at, sizeof at);
  return n ? *pointer * by_bytes(at + sizeof(double), n - 1) : 1;
}
struct holder {
  ref at;
};
CHECK_NOINLINE static double in_memory(struct holder *h, int n) {
  return n ? *(double *)(h[n].at & ~(ref)7) * in_memory(h, n - 1) : 1;
}

#define OF(F)                                                                  \
  CHECK_NOINLINE static double of_##F(double *x) { return F((ref)x, N); }
OF(directly)
OF(by_another)
OF(by_union)
OF(by_bytes)
CHECK_NOINLINE static double of_memory(double *x) {
  struct holder h[N + 1];
  for (int i = 0; i < N; i++)
    h[i + 1].at = (ref)(x + i) | 3;
  return in_memory(h, N);
}

#define CHECK_ADDRESSES(F)                                                     \
  do {                                                                         \
    double d[N] = {0};                                                         \
    __verso_grad_void((void *)F, verso_dup, x, d);                             \
    CHECK_GRADIENT(F, N, x, d, 1e-8);                                          \
  } while (0)

int main(void) {
  double x[N] = {0.7, 1.3, 0.9, 1.6};
  CHECK_ADDRESSES(of_directly);
  CHECK_ADDRESSES(of_by_another);
  CHECK_ADDRESSES(of_by_union);
  CHECK_ADDRESSES(of_by_bytes);
  CHECK_ADDRESSES(of_memory);
  return check_status();
}
