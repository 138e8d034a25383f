//===- bfloat.cpp - bfloat16 ----------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __bf16 arguments and results through an entry point with a fixed signature,
// and an array of them. The points are such that all results are exact.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

extern "C" __bf16 __verso_grad_bfloat(void *, __bf16);

static __bf16 quadratic(__bf16 x) { return x * x + x; }
static float sum_of_squares(const __bf16 *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (float)x[i] * (float)x[i];
  return sum;
}

int main() {
  CHECK_EQUAL((float)__verso_grad_bfloat((void *)quadratic, (__bf16)1.5f), 4);
  __bf16 x[] = {(__bf16)1.0f, (__bf16)2.0f, (__bf16)-0.5f};
  __bf16 dx[] = {(__bf16)0.0f, (__bf16)0.0f, (__bf16)0.0f};
  __verso_grad_void((void *)sum_of_squares, verso_dup, x, dx, 3);
  CHECK_EQUAL((float)dx[0], 2);
  CHECK_EQUAL((float)dx[1], 4);
  CHECK_EQUAL((float)dx[2], -1);
  return check_status();
}
