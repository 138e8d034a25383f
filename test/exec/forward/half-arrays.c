//===- half-arrays.c - arrays of half precision -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of _Float16 and their shadows. See memory/halves.c for reverse mode.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static void halves(const _Float16 *x, _Float16 *y) {
  for (int i = 0; i < 4; ++i)
    y[i] = x[i] * x[3 - i];
}

int main(void) {
  _Float16 x[] = {1, 2, 3, 4}, dx[] = {1, 0, 0, 0}, y[4], dy[4] = {9, 9, 9, 9};
  __verso_jvp_void(halves, verso_dup, x, dx, verso_dup, y, dy);
  CHECK_EQUAL((double)dy[0], 4);
  CHECK_EQUAL((double)dy[1], 0);
  CHECK_EQUAL((double)dy[2], 0);
  CHECK_EQUAL((double)dy[3], 4);
  return check_status();
}
