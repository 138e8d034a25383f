//===- shadow-integers.c - integers in a structure and in its shadow ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shadow structure is made as a copy of the primal one: its counters, sizes
// and flags are the primal's, or what the primal's were. The function counts,
// negates, shifts and stores back. An integer is nobody's derivative; a number
// whose bits are treated so is an error as before (test/exec/memory/sign-bits.c,
// test/driver).
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

typedef struct {
  double value;
  int calls, left;
  int64_t total;
  float gain;
  short level;
  unsigned char flag, mode;
  int balance;
} Meter;

CHECK_NOINLINE static void count(Meter *m, int by) {
  m->calls = m->calls + by;
  m->left -= 2 * by;
  m->total = m->total * 3 - m->calls;
  m->level += 1;
  m->flag = !m->flag;
  m->mode ^= 5;
  m->balance = -m->balance - 7;
}

CHECK_NOINLINE static double run(Meter *m, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    count(m, k + 1);
    sum += m->value * m->gain * m->calls + m->left;
    m->value *= 0.5;
  }
  return sum;
}

int main(void) {
  Meter m = {3, 4, 5, -6, 2, 7, 1, 9, 1000}, d = m;
  d.value = 10;
  d.gain = 0;
  d.left = -3; // As it was once.
  double calls[3] = {5, 7, 10}, expected = 0, weight = 1;
  for (int k = 0; k < 3; ++k, weight /= 2)
    expected += weight * calls[k];
  __verso_grad_void((void *)run, verso_dup, &m, &d, 3);
  CHECK_EQUAL(m.calls, 10);
  CHECK_EQUAL(m.value, 0.375);
  CHECK_CLOSE(d.value, 2 * expected + 10 * 0.125, 1e-12);
  CHECK_CLOSE(d.gain, 3 * expected, 1e-6);
  return check_status();
}
