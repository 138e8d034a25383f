//===- bytes-at-any-address.c - numbers that are packed byte by byte --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of a number are written into a packet by a loop and read back, and
// overwritten by those of a constant; doubles also at addresses that are no
// multiples of 4 (floats: driver/bytes-of-floats).
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>
#include <string.h>

double __verso_jvp(void *, ...);

CHECK_NOINLINE static double of_float(const double *x, int n, int offset) {
  static uint8_t packet[64];
  uint8_t *b = packet + offset;
  float v = (float)x[0];
  uint32_t u;
  memcpy(&u, &v, 4);
  for (int i = 0; i < n; i++)
    b[i] = u >> 8 * i;
  u = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
  memcpy(&v, &u, 4);
  return v * v;
}
CHECK_NOINLINE static double of_double(const double *x, int n, int offset) {
  uint8_t packet[64];
  uint8_t *b = packet + offset;
  double v = x[0];
  uint64_t u;
  memcpy(&u, &v, 8);
  for (int i = 0; i < n; i++)
    b[i] = u >> 8 * i;
  memcpy(&v, b, 8);
  return v * v;
}
struct __attribute__((packed)) message {
  char kind;
  double number;
};
static void put(uint8_t *b, double v) {
  uint64_t u;
  memcpy(&u, &v, 8);
  for (int i = 0; i < 8; i++)
    b[i] = u >> 8 * i;
}
CHECK_NOINLINE static double overwritten(const double *x, int n, int k) {
  struct message m;
  put((uint8_t *)&m + 1, x[0] * x[0]);
  double sum = m.number * (n - 7);
  put((uint8_t *)&m + 1, 2.5 + k);
  return sum + 10 * m.number;
}

#define CHECK_BYTES(F, N, K)                                                   \
  do {                                                                         \
    double x = 0.375, dx = 0, one = 1;                                         \
    __verso_grad_void((void *)F, verso_dup, &x, &dx, verso_const, N,           \
                      verso_const, K);                                         \
    CHECK_EQUAL(dx, 2 * x);                                                    \
    CHECK_EQUAL(__verso_jvp((void *)F, verso_dup, &x, &one, verso_const, N,    \
                            verso_const, K),                                   \
                2 * x);                                                        \
  } while (0)

int main(void) {
  for (int k = 0; k < 9; ++k)
    CHECK_BYTES(of_double, 8, k);
  CHECK_BYTES(of_float, 4, 0);
  CHECK_BYTES(of_float, 4, 4);
  double x = 0.375, dx = 0;
  __verso_grad_void((void *)overwritten, verso_dup, &x, &dx, verso_const, 8,
                    verso_const, 1);
  CHECK_EQUAL(dx, 2 * x);
  return check_status();
}
