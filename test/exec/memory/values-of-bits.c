//===- values-of-bits.c - numbers loaded as integers, by their value ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logarithms by hand of numbers in memory that only integers are loaded from,
// by memcpy, through a pointer to integers and out of a union: their value as
// an integer has the derivative of the line that the bits are between powers of
// two. What the same loads find to be an integer is constant, as are its cells
// of the shadow, whatever they hold; so are a random generator's states.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

double __verso_jvp(void *, ...);

CHECK_NOINLINE static double by_copy(const float *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    int32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    sum += (i + 1) * ((float)bits * 0x1p-23f - 127);
  }
  return sum;
}

CHECK_NOINLINE static double by_pointer(const float *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * (*(const int32_t *)&x[i] * 0x1p-23 - 127);
  return sum;
}

/// Where no index is left, addresses are of bytes from -O1 on; at -O0 that of
/// the first element is the array's.
struct readings {
  float first, second;
  double third;
};
#define BITS_OF(x) ((double)*(const int32_t *)&(x) * 0x1p-23 - 127)
CHECK_NOINLINE static double of_members(const struct readings *r) {
  return BITS_OF(r->first) + 3 * BITS_OF(r->second) +
         *(const int64_t *)&r->third * 0x1p-52;
}
CHECK_NOINLINE static double of_few(const float *x) {
  double sum = 5 * BITS_OF(x[0]) + BITS_OF(x[1]);
  for (int i = 0; i < 3; ++i)
    sum += BITS_OF(x[i]);
  return sum;
}

/// Stored before: not the caller's.
CHECK_NOINLINE static double of_local(const float *x, int n) {
  float y[8];
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  return by_copy(y, n) / 2;
}

/// The bits are changed before they are a number again.
CHECK_NOINLINE static double inverse_root(const float *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    uint32_t bits = 0x5f3759df - (*(const uint32_t *)&x[i] >> 1);
    float y;
    memcpy(&y, &bits, sizeof y);
    sum += y * (1.5f - 0.5f * x[i] * y * y);
  }
  return sum;
}

union value {
  double d;
  int64_t l;
};
CHECK_NOINLINE static double of_union(const union value *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * ((double)x[i].l * 0x1p-52 - 1023);
  return sum;
}

/// Numbers and integers side by side, and which is which.
struct tagged {
  int is_integer;
  union value of;
};
CHECK_NOINLINE static double sum_tagged(const struct tagged *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i].is_integer ? (double)x[i].of.l * 3 : x[i].of.d * 2;
  return sum;
}
CHECK_NOINLINE static double store_tagged(struct tagged *x, int n, double w) {
  for (int i = 0; i < n; ++i)
    if (x[i].is_integer)
      x[i].of.l += 5;
    else
      x[i].of.d *= w;
  return sum_tagged(x, n);
}

struct model {
  double weight[2];
  int32_t count;
  uint32_t state;
  union {
    uint64_t bits;
    double number;
  } seed;
};
CHECK_NOINLINE static double draw(struct model *m) {
  double sum = 0;
  for (int i = 0; i < m->count; ++i) {
    m->state = m->state * 1664525 + 1013904223;
    m->seed.bits ^= m->seed.bits << 13;
    m->seed.bits ^= m->seed.bits >> 7;
    m->seed.bits ^= m->seed.bits << 17;
    sum +=
        m->weight[i & 1] *
        ((m->state >> 8) * 0x1p-24 + (double)(m->seed.bits >> 11) * 0x1p-53) *
        (double)m->count;
  }
  return sum;
}

/// A union's integer that is counted, and whose value is used.
struct counted {
  uint32_t hash;
  float weight;
  union {
    int32_t i;
    float f;
  } count;
};
CHECK_NOINLINE static double count_all(struct counted *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    x[i].count.i += i;
    x[i].hash *= 2654435761u;
    sum += x[i].count.i * (x[i].hash * 0x1p-32) * x[i].weight;
  }
  return sum;
}

enum { N = 3 };

int main() {
  const float x[N] = {1.5f, 3, 5};
  const double slope[N] = {1, 0.5, 0.25};
  const float unit[N] = {1, -1, 2};
#define CHECK_LOGARITHM(NAME)                                                  \
  {                                                                            \
    float dx[N] = {0};                                                         \
    __verso_grad((void *)NAME, &verso_dup, x, dx, &verso_const, N);            \
    for (int i = 0; i < N; ++i)                                                \
      CHECK_CLOSE(dx[i], (i + 1) * slope[i], 1e-6);                            \
    CHECK_CLOSE(                                                               \
        __verso_jvp((void *)NAME, &verso_dup, x, unit, &verso_const, N),       \
        slope[0] - 2 * slope[1] + 6 * slope[2], 1e-6);                         \
  }
  CHECK_LOGARITHM(by_copy)
  CHECK_LOGARITHM(by_pointer) {
    // 2.25, 9, 25: one over the binade, times half the derivative of a square.
    float dx[N] = {0};
    const double squares[N] = {1.5 / 2, 2 * 3. / 8, 3 * 5. / 16};
    __verso_grad((void *)of_local, &verso_dup, x, dx, &verso_const, N);
    for (int i = 0; i < N; ++i)
      CHECK_CLOSE(dx[i], squares[i], 1e-6);
    CHECK_CLOSE(
        __verso_jvp((void *)of_local, &verso_dup, x, unit, &verso_const, N),
        squares[0] - squares[1] + 2 * squares[2], 1e-6);
  }
  {
    float few[3] = {0.25f, 1.5f, 5}, dfew[3] = {0};
    __verso_grad((void *)of_few, &verso_dup, few, dfew);
    CHECK_CLOSE(dfew[0], 6 * 4, 1e-6);
    CHECK_CLOSE(dfew[1], 2 * 1, 1e-6);
    CHECK_CLOSE(dfew[2], 0.25, 1e-6);
    struct readings r = {0.25f, 0.5f, 0.125}, dr = {0}, t = {1, -1, 2};
    __verso_grad((void *)of_members, &verso_dup, &r, &dr);
    CHECK_CLOSE(dr.first, 4, 1e-6);
    CHECK_CLOSE(dr.second, 6, 1e-6);
    CHECK_CLOSE(dr.third, 8, 1e-12);
    CHECK_CLOSE(__verso_jvp((void *)of_members, &verso_dup, &r, &t),
                4 - 6 + 2 * 8, 1e-6);
  }
  {
    float dx[N] = {0};
    __verso_grad((void *)inverse_root, &verso_dup, x, dx, &verso_const, N);
    for (int i = 0; i < N; ++i)
      CHECK_CLOSE(dx[i], -0.5 / (x[i] * sqrt(x[i])), 5e-3);
  }
  {
    union value u[N] = {{.d = 1.5}, {.d = 3}, {.l = 4}}, du[N] = {{.d = 0}};
    union value tangent[N] = {{.d = 1}, {.d = -1}, {.l = -7}};
    du[2].l = -7;
    __verso_grad((void *)of_union, &verso_dup, u, du, &verso_const, N);
    CHECK_CLOSE(du[0].d, 1, 1e-12);
    CHECK_CLOSE(du[1].d, 1, 1e-12);
    CHECK_CLOSE(du[2].l, -7, 0);
    CHECK_CLOSE(
        __verso_jvp((void *)of_union, &verso_dup, u, tangent, &verso_const, N),
        0, 1e-12);
    u[2].l = du[2].l = -4;
    du[0].d = du[1].d = 0;
    __verso_grad((void *)of_union, &verso_dup, u, du, &verso_const, N);
    CHECK_CLOSE(du[0].d, 1, 1e-12);
    CHECK_CLOSE(du[2].l, -4, 0);
  }
  {
    struct tagged t[2] = {{0, {.d = 1.5}}, {1, {.l = 6}}};
    struct tagged dt[2] = {{0, {.d = 0}}, {1, {.l = 6}}};
    __verso_grad((void *)sum_tagged, &verso_dup, t, dt, &verso_const, 2);
    CHECK_CLOSE(dt[0].of.d, 2, 1e-12);
    CHECK_CLOSE(dt[1].of.l, 6, 0);
    struct tagged zero[2] = {{0, {.d = 0}}, {0, {.l = 0}}};
    double dw = __verso_grad((void *)store_tagged, &verso_dup, t, zero,
                             &verso_const, 2, 4.0);
    CHECK_CLOSE(dw, 3, 1e-12);
    CHECK_CLOSE(zero[0].of.d, 8, 1e-12);
    CHECK_CLOSE(zero[1].of.l, 0, 0);
  }
  {
    struct model m = {{1, 2}, 4, 12345, {.bits = UINT64_C(0x3ff123456789abcd)}};
    struct model copy = m, dm = {{0, 0}, 0, 0, {0}};
    copy.weight[0] = 2;
    copy.weight[1] = 3;
    struct model again = m;
    double expected = draw(&copy) - draw(&again);
    __verso_grad((void *)draw, &verso_dup, &m, &dm);
    CHECK_CLOSE(dm.weight[0] + dm.weight[1], expected, 1e-12);
  }
  {
    struct counted c[2] = {{123, 2, {5}}, {77, 3, {-6}}};
    struct counted dc[2] = {{123, 0, {5}}, {77, 0, {-6}}};
    __verso_grad((void *)count_all, &verso_dup, c, dc, &verso_const, 2);
    for (int i = 0; i < 2; ++i)
      CHECK_CLOSE(dc[i].weight, c[i].count.i * (c[i].hash * 0x1p-32), 1e-6);
  }
  return check_status();
}
