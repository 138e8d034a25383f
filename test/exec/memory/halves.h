//===- halves.h - numbers of two bytes in memory ----------------*- C -*--===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that define `number` as a type of two bytes: arrays, structs,
// local variables and the heap; read, overwritten in place, copied as a whole,
// in part and by an odd number of elements. All results are exact in the types.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static float sum_of_squares(const number *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (float)x[i] * (float)x[i];
  return sum;
}

static void scan(number *x, int n) {
  for (int i = 1; i < n; ++i)
    x[i] = x[i] + x[i - 1];
}

static void products(const number *x, number *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[n - 1 - i];
}

struct mixed {
  number a;
  short count;
  float f;
  number b, c, d;
};

static double mixes(struct mixed *m, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    struct mixed copy = m[i];
    copy.count += 1;
    copy.c = copy.a * copy.b;
    sum += copy.count * (float)copy.c + copy.f * (float)copy.d;
    copy.a = 1;
    m[i] = copy;
  }
  return sum;
}

struct three {
  number v[3];
};

static double threes(const struct three *t, int n) {
  struct three local[4];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    local[n - 1 - i] = t[i];
  struct three kept = local[0];
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      sum += (i + 1) * (float)local[i].v[k] * (float)kept.v[k];
  return sum;
}

static double shifted(number *x, int n) {
  number *heap = (number *)malloc((n + 1) * sizeof(number));
  heap[0] = 1;
  memcpy(heap + 1, x, n * sizeof(number));
  memmove(heap, heap + 1, n * sizeof(number));
  memmove(x, x + 1, (n - 1) * sizeof(number));
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (float)heap[i] * (float)x[i];
  free(heap);
  return sum;
}

static void copied(const number *x, number *y, int n) {
  memcpy(y, x + 1, (n - 1) * sizeof(number));
}

static double overwritten(number *x) {
  number y = x[0] * x[1];
  x[0] = 2;
  number t[2] = {y, x[0]};
  t[1] = t[0];
  return (float)t[1] * (float)x[1];
}

static void test_halves(void) {
  {
    number x[3] = {1, 2, 3}, dx[3] = {0, 0, 1};
    __verso_grad_float((void *)sum_of_squares, verso_dup, x, dx, 3);
    CHECK_EQUAL((float)dx[0], 2);
    CHECK_EQUAL((float)dx[1], 4);
    CHECK_EQUAL((float)dx[2], 7);
  }
  {
    number x[5] = {1, 2, 3, 4, 5}, dx[5] = {1, 1, 1, 1, 1};
    __verso_vjp_void((void *)scan, verso_dup, x, dx, 5);
    for (int i = 0; i < 5; ++i)
      CHECK_EQUAL((float)dx[i], 5 - i);
    number y[3], dy[3] = {1, 2, 4}, dz[3] = {0};
    number z[3] = {1, 2, 3};
    __verso_vjp_void((void *)products, verso_dup, z, dz, verso_dup, y, dy, 3);
    CHECK_EQUAL((float)dz[0], 15);
    CHECK_EQUAL((float)dz[1], 8);
    CHECK_EQUAL((float)dz[2], 5);
    CHECK_EQUAL((float)dy[0] + (float)dy[1] + (float)dy[2], 0);
  }
  {
    struct mixed m[2] = {{2, 3, 1.5f, 3, 0, 5}, {1, 0, 2, 2, 0, 4}};
    struct mixed d[2] = {{0}};
    __verso_grad((void *)mixes, verso_dup, m, d, 2);
    CHECK_EQUAL((float)d[0].a, 12);
    CHECK_EQUAL((float)d[0].b, 8);
    CHECK_EQUAL((float)d[0].c, 0);
    CHECK_EQUAL((float)d[0].d, 1.5);
    CHECK_EQUAL(d[0].f, 5);
    CHECK_EQUAL((float)d[1].a, 2);
    CHECK_EQUAL((float)d[1].b, 1);
    CHECK_EQUAL((float)d[1].d, 2);
    CHECK_EQUAL(d[1].f, 4);
  }
  {
    struct three t[3] = {{{1, 2, 3}}, {{4, 5, 6}}, {{1, 0, 2}}};
    struct three d[3] = {{{0}}};
    __verso_grad((void *)threes, verso_dup, t, d, 3);
    CHECK_EQUAL((float)d[0].v[0], 3);
    CHECK_EQUAL((float)d[0].v[1], 0);
    CHECK_EQUAL((float)d[0].v[2], 6);
    CHECK_EQUAL((float)d[1].v[0], 2);
    CHECK_EQUAL((float)d[1].v[2], 4);
    CHECK_EQUAL((float)d[2].v[0], 2 + 8 + 3);
    CHECK_EQUAL((float)d[2].v[1], 10 + 6);
    CHECK_EQUAL((float)d[2].v[2], 4 + 12 + 9);
  }
  {
    number x[5] = {1, 2, 3, 4, 5}, dx[5] = {0};
    __verso_grad((void *)shifted, verso_dup, x, dx, 5);
    CHECK_EQUAL((float)dx[0], 2);
    CHECK_EQUAL((float)dx[1], 4);
    CHECK_EQUAL((float)dx[2], 6);
    CHECK_EQUAL((float)dx[3], 8);
    CHECK_EQUAL((float)dx[4], 4 + 2 * 5);
  }
  {
    number x[4] = {1, 2, 3, 4}, dx[4] = {0, 0, 0, 1};
    number y[3], dy[3] = {1, 2, 4};
    __verso_vjp_void((void *)copied, verso_dup, x, dx, verso_dup, y, dy, 4);
    CHECK_EQUAL((float)dx[0], 0);
    CHECK_EQUAL((float)dx[1], 1);
    CHECK_EQUAL((float)dx[2], 2);
    CHECK_EQUAL((float)dx[3], 5);
    CHECK_EQUAL((float)dy[0] + (float)dy[1] + (float)dy[2], 0);
  }
  {
    number x[2] = {3, 4}, dx[2] = {16, 0};
    __verso_grad((void *)overwritten, verso_dup, x, dx);
    CHECK_EQUAL((float)dx[0], 16);
    CHECK_EQUAL((float)dx[1], 24);
  }
}
