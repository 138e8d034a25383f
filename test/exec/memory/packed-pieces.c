//===- packed-pieces.c - numbers at any address, in pieces ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packed structs with pointers, with a shadow structure and in local variables;
// numbers that are read out of a byte buffer as numbers, as integers and byte
// by byte, in either order; and requests within requests over packed structs.
//
// HEAVY: functions that are copied many times
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

double __verso_jvp(void *, ...);

#pragma pack(push, 1)
typedef struct {
  char c;
  double *p;
  double x;
  float y;
} pointing;
typedef struct {
  char c;
  double x;
  float y;
  char d;
  double z;
} mixed;
typedef struct {
  float f;
  double d;
} pair;
#pragma pack(pop)

static double through_pointers(double *a, double *b) {
  pointing q[3];
  for (int i = 0; i < 3; ++i)
    q[i] = (pointing){(char)i, i & 1 ? a : b, a[i] * b[i], (float)a[i]};
  pointing held = q[1];
  q[1] = q[0];
  q[0] = held;
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    pointing u = q[i];
    *u.p *= 2;
    sum += *u.p * u.x * u.y;
  }
  return sum;
}
static double with_shadow(pointing *q, int n) {
  double sum = 0;
  pointing first = q[0];
  for (int i = 0; i < n; ++i) {
    pointing u = q[i];
    sum += u.p[0] * u.x + u.p[1] * q[i].y * first.p[1];
  }
  return sum;
}

enum { STRIDE = 13, COUNT = 4 };
static double in_buffer(const char *buffer, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    float f, g;
    double d, e;
    uint32_t u;
    uint64_t w;
    memcpy(&f, buffer + STRIDE * i + 1, 4);
    memcpy(&d, buffer + STRIDE * i + 5, 8);
    memcpy(&u, buffer + STRIDE * i + 1, 4);
    memcpy(&w, buffer + STRIDE * i + 5, 8);
    memcpy(&g, &u, 4);
    memcpy(&e, &w, 8);
    sum += f * d + (i + 1) * g * e * e;
  }
  return sum;
}
static double in_copied_buffer(const char *buffer, int n) {
  double sum = 0;
  char copy[STRIDE * COUNT + 3];
  memcpy(copy + 3, buffer, STRIDE * n);
  for (int i = 0; i < n; ++i) {
    pair r;
    double d;
    memcpy(&r, copy + 3 + STRIDE * i + 1, sizeof r);
    memcpy(&d, copy + 3 + STRIDE * i + 5, 8);
    sum += r.f * r.d * d;
  }
  return sum;
}

static double by_bytes(mixed *p, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    union {
      double d;
      uint64_t u;
      unsigned char b[8];
    } u, v;
    for (int k = 0; k < 8; ++k)
      u.b[k] = ((unsigned char *)&p[i])[1 + k];
    memcpy(&v, (char *)&p[i] + 14, 8);
    v.u ^= (uint64_t)1 << 63;
    sum += u.d * (i + 1) * v.d;
  }
  return sum;
}
static double reversed_twice(mixed *p, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    unsigned char t[8], w[8];
    double d;
    for (int k = 0; k < 8; ++k)
      t[k] = ((unsigned char *)&p[i])[1 + 7 - k];
    for (int k = 0; k < 8; ++k)
      w[k] = t[7 - k];
    memcpy(&d, w, 8);
    sum += d * d * p[i].y;
  }
  return sum;
}
static double inner(mixed *p, int n) {
  mixed held = p[0];
  p[0] = p[n - 1];
  p[n - 1] = held;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    mixed q = p[i];
    sum += q.x * q.x * q.y * q.z;
  }
  return sum;
}
// The sum of (i + 1) df/dx df/dy: of 2 (i + 1) x^3 y z^2.
static double of_gradient(mixed *p, int n) {
  mixed dp[COUNT];
  memset(dp, 0, sizeof dp);
  __verso_grad((void *)inner, verso_dup, p, dp, n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += dp[i].x * dp[i].y * (i + 1);
  return sum;
}

static void fill(mixed *p) {
  memset(p, 0, COUNT * sizeof *p);
  for (int i = 0; i < COUNT; ++i)
    p[i] = (mixed){(char)i, i + 1, i + 1.25f, (char)i, i + 2.5};
}
#define CHECK_BY_JVP(NAME)                                                     \
  {                                                                            \
    mixed p[COUNT], dp[COUNT], tangent[COUNT];                                 \
    fill(p);                                                                   \
    memset(dp, 0, sizeof dp);                                                  \
    __verso_grad((void *)NAME, verso_dup, p, dp, COUNT);                       \
    for (int i = 0; i < COUNT; ++i)                                            \
      for (int k = 0; k < 3; ++k) {                                            \
        fill(p);                                                               \
        memset(tangent, 0, sizeof tangent);                                    \
        tangent[i].x = k == 0;                                                 \
        tangent[i].y = k == 1;                                                 \
        tangent[i].z = k == 2;                                                 \
        double pushed =                                                        \
            __verso_jvp((void *)NAME, verso_dup, p, tangent, COUNT);           \
        CHECK_CLOSE(k == 0   ? dp[i].x                                         \
                    : k == 1 ? dp[i].y                                         \
                             : dp[i].z,                                        \
                    pushed, 1e-6);                                             \
      }                                                                        \
  }

static void check_pointers(void) {
  double a[] = {1, 2, 3}, b[] = {4, 5, 6}, da[3] = {0}, db[3] = {0};
  __verso_grad((void *)through_pointers, verso_dup, a, da, verso_dup, b, db);
  for (int k = 0; k < 6; ++k) {
    double x[] = {1, 2, 3}, y[] = {4, 5, 6}, t[6] = {0};
    t[k] = 1;
    double pushed = __verso_jvp((void *)through_pointers, verso_dup, x, t,
                                verso_dup, y, t + 3);
    CHECK_CLOSE(k < 3 ? da[k] : db[k - 3], pushed, 1e-6);
  }
}
static void check_shadow_structure(void) {
  double a[] = {1, 2, 3, 4, 5, 6}, da[6] = {0};
  pointing q[3], dq[3];
  memset(q, 0, sizeof q);
  memset(dq, 0, sizeof dq);
  for (int i = 0; i < 3; ++i) {
    q[i] = (pointing){'a', a + 2 * i, i + 1.5, i + 2.5f};
    dq[i].p = da + 2 * i;
  }
  __verso_grad((void *)with_shadow, verso_dup, q, dq, 3);
  double rows = 0;
  for (int i = 0; i < 3; ++i) {
    CHECK_CLOSE(dq[i].x, a[2 * i], 1e-12);
    CHECK_CLOSE(dq[i].y, a[2 * i + 1] * a[1], 1e-6);
    CHECK_CLOSE(da[2 * i], q[i].x, 1e-12);
    if (i)
      CHECK_CLOSE(da[2 * i + 1], q[i].y * a[1], 1e-12);
    rows += a[2 * i + 1] * q[i].y;
  }
  CHECK_CLOSE(da[1], rows + q[0].y * a[1], 1e-12);
}
static void check_buffers(void) {
  char buffer[STRIDE * COUNT] = {0}, shadow[2][STRIDE * COUNT];
  memset(shadow, 0, sizeof shadow);
  for (int i = 0; i < COUNT; ++i) {
    pair r = {i + 1.5f, i + 2.25};
    memcpy(buffer + STRIDE * i + 1, &r, sizeof r);
  }
  __verso_grad((void *)in_buffer, verso_dup, buffer, shadow[0], COUNT);
  __verso_grad((void *)in_copied_buffer, verso_dup, buffer, shadow[1], COUNT);
  for (int i = 0; i < COUNT; ++i) {
    double f = i + 1.5, d = i + 2.25;
    pair r[2];
    for (int k = 0; k < 2; ++k)
      memcpy(r + k, shadow[k] + STRIDE * i + 1, sizeof *r);
    CHECK_CLOSE(r[0].f, d + (i + 1) * d * d, 1e-6);
    CHECK_CLOSE(r[0].d, f + 2 * (i + 1) * f * d, 1e-12);
    CHECK_CLOSE(r[1].f, d * d, 1e-6);
    CHECK_CLOSE(r[1].d, 2 * f * d, 1e-12);
  }
}

int main(void) {
  check_pointers();
  check_shadow_structure();
  check_buffers();
  CHECK_BY_JVP(by_bytes)
  CHECK_BY_JVP(reversed_twice)
  CHECK_BY_JVP(inner)
  CHECK_BY_JVP(of_gradient)
  mixed p[COUNT], dp[COUNT];
  fill(p);
  memset(dp, 0, sizeof dp);
  __verso_grad((void *)of_gradient, verso_dup, p, dp, COUNT);
  fill(p);
  // Second derivatives of the rows that stay where they are.
  for (int i = 1; i + 1 < COUNT; ++i)
    CHECK_CLOSE(dp[i].z, 4 * (i + 1) * pow(p[i].x, 3) * p[i].y * p[i].z, 1e-5);
  return check_status();
}
