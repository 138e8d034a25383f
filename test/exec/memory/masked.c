//===- masked.c - code that was vectorised with masks ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masked loads and stores, expanding and compressing ones, on memory that has a
// shadow and on memory that has none. What the mask hides keeps its derivative.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef double Four __attribute__((ext_vector_type(4)));
typedef _Bool Mask __attribute__((ext_vector_type(4)));

static double masked(double *x) {
#if __has_builtin(__builtin_masked_load)
  Mask big = {x[0] > 1, x[1] > 1, x[2] > 1, x[3] > 1};
  double local[4] = {1, 2, 3, 4};
  Four some = __builtin_masked_load(big, x);
  __builtin_masked_store(big, some * some, local);
  __builtin_masked_compress_store(big, some * 3.0, local + 1);
  Four all = __builtin_masked_expand_load(big, local);
  __builtin_masked_store(big, all * some, x);
#else
  double local[4] = {1, 2, 3, 4}, all[4];
  int used = 0, read = 0;
  for (int i = 0; i < 4; ++i)
    if (x[i] > 1)
      local[i] = x[i] * x[i];
  for (int i = 0; i < 4; ++i)
    if (x[i] > 1)
      local[1 + used++] = x[i] * 3;
  for (int i = 0; i < 4; ++i)
    all[i] = x[i] > 1 ? local[read++] : 0;
  for (int i = 0; i < 4; ++i)
    if (x[i] > 1)
      x[i] *= all[i];
#endif
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += (i + 1) * x[i] * local[i];
  return sum;
}

int main(void) {
  double x[4] = {2, 0.5, 3, 4}, dx[4] = {0}, start[4] = {2, 0.5, 3, 4};
  __verso_grad_void((void *)masked, verso_dup, x, dx);
  CHECK_GRADIENT(masked, 4, start, dx, 1e-7);
  return check_status();
}
