//===- pointers-in-pieces.c - addresses moved as short integers -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short integers are no addresses, as long as nothing makes a pointer of them
// again: here halves, quarters and bytes of pointers go through memory, local
// and the caller's, to where another pointer was.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

struct box {
  double *p;
  double v;
};

CHECK_NOINLINE static double copied_halves(double *x, int n) {
  double a[2] = {x[0] * x[1], 1}, b[2] = {x[1], 2};
  struct box from = {a, 1}, to = {b, 2};
  uint32_t halves[2];
  memcpy(&halves[0], &from.p, 4);
  memcpy(&halves[1], (char *)&from.p + 4, 4);
  if (n > 3) {
    memcpy(&to.p, &halves[0], 4);
    memcpy((char *)&to.p + 4, &halves[1], 4);
  }
  return to.p[0] * x[2];
}

CHECK_NOINLINE static double ciphered_bytes(double *x, int n) {
  double a[2] = {x[0] * x[1], 1}, b[2] = {x[1], 2};
  struct box from = {a, 1}, to = {b, 2};
  unsigned char *s = (unsigned char *)&from, *d = (unsigned char *)&to, key[8];
  for (int i = 0; i < 8; i++)
    key[i] = s[i] ^ (unsigned char)(n * 7 + i);
  for (int i = 0; i < 8; i++)
    d[i] = key[i] ^ (unsigned char)(n * 7 + i);
  return to.p[0] * x[2];
}

CHECK_NOINLINE static double address_in_ints(double *x, int *room, int n) {
  double a[2] = {x[0] * x[1], 1};
  uintptr_t u = (uintptr_t)a;
  room[0] = (int)(uint32_t)u;
  room[1] = (int)(uint32_t)(u >> 32);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double *p =
        (double *)(((uintptr_t)(uint32_t)room[1] << 32) | (uint32_t)room[0]);
    sum += p[0] * x[2];
  }
  return sum / n;
}

union word {
  double *p;
  uint32_t halves[2];
};
CHECK_NOINLINE static double halves_outside(double *x, union word *room,
                                            int n) {
  double *a = (double *)malloc(16);
  a[0] = x[0] * x[1];
  union word local;
  local.p = a;
  for (int i = 0; i < n / 2; i++)
    room->halves[i] = local.halves[i];
  double result = room->p[0] * x[2];
  free(a);
  return result;
}

typedef struct node {
  uint16_t link[4];
  double v;
  struct node *next;
} node;
CHECK_NOINLINE static double quarters(double *x, int n) {
  node a = {{0}, x[0], NULL}, b = {{0}, x[0] * x[1], NULL}, *p = &b;
  memcpy(a.link, &p, sizeof p);
  node c = {{0}, 0, &a};
  for (int i = 0; i < n; i++)
    memcpy((char *)&c.next + 2 * i, &a.link[i], 2);
  return c.next->v * x[2];
}

static double x[3] = {1.5, 2.5, 0.7}, dx[3];
static void check_product(void) {
  for (int k = 0; k < 3; k++)
    CHECK_CLOSE(dx[k], x[0] * x[1] * x[2] / x[k], 1e-14);
  memset(dx, 0, sizeof dx);
}

int main(void) {
  int ints[2];
  union word word;
  __verso_grad_void((void *)copied_halves, verso_dup, x, dx, verso_const, 4);
  check_product();
  __verso_grad_void((void *)ciphered_bytes, verso_dup, x, dx, verso_const, 4);
  check_product();
  __verso_grad_void((void *)address_in_ints, verso_dup, x, dx, verso_const,
                    ints, verso_const, 4);
  check_product();
  __verso_grad_void((void *)halves_outside, verso_dup, x, dx, verso_const,
                    &word, verso_const, 4);
  check_product();
  __verso_grad_void((void *)quarters, verso_dup, x, dx, verso_const, 4);
  check_product();
  return check_status();
}
