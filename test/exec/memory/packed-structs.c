//===- packed-structs.c - numbers at any address, moved as bytes ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packed structs are assigned, swapped, passed by value, copied to the heap and
// to places with another remainder by 4, as a whole, byte by byte and in parts,
// with flags between their numbers. The vector-Jacobian product with a seed in
// every number is compared with the Jacobian-vector product, which goes by
// addresses, for all shifts of the array.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);
void __verso_jvp_void(void *, ...);

#pragma pack(push, 1)
typedef struct {
  char c;
  double x;
  float y;
  char d;
  double z;
} mixed;
typedef struct {
  float n[3], v[9];
  short tag;
} triangle;
typedef struct {
  char c;
  long double x;
  short s;
  long double y;
} wide;
#pragma pack(pop)

enum { COUNT = 5 };

//===----------------------------------------------------------------------===//
// What is done to them
//===----------------------------------------------------------------------===//

// Structured code ends with an error at -O0: granules of neighbours have
// adjoints.
__attribute__((annotate("verso_strategy=taped"))) static void swapped(mixed *p,
                                                                      int n) {
  for (int i = 0; i < n / 2; ++i) {
    mixed held = p[i];
    p[i] = p[n - 1 - i];
    p[n - 1 - i] = held;
  }
}
static void swapped_and_read(mixed *p, int n) {
  mixed held = p[0];
  p[0] = p[n - 1];
  p[n - 1] = held;
  for (int i = 0; i < n; ++i) {
    mixed q = p[i];
    p[i].z = q.x * q.y * q.z + p[0].x;
  }
}
static void read_then_swapped(mixed *p, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += p[i].x * p[i].y;
  swapped(p, n);
  p[1].z *= sum;
  p[2].y *= p[0].y;
}
static void rotated(mixed *p, int n) {
  mixed first = p[0];
  for (int i = 0; i + 1 < n; ++i)
    p[i] = p[i + 1];
  p[n - 1] = first;
  p[0].x = p[0].x * p[1].x + p[0].y;
}
static void with_flags(mixed *p, int n) {
  for (int i = 0; i < n; ++i) {
    p[i].x *= 2;
    p[i].y *= 3;
    p[i].c += 1;
    p[i].z *= p[i].x;
    p[i].d = 7;
    p[i].x += p[i].y;
  }
}
static void by_members(mixed *p, int n) {
  mixed held[COUNT];
  for (int i = 0; i < n; ++i) {
    held[i].c = p[i].c;
    held[i].x = p[i].x;
    held[i].y = p[i].y;
    held[i].d = p[i].d;
    held[i].z = p[i].z;
  }
  for (int i = 0; i < n; ++i) {
    mixed *q = &p[n - 1 - i];
    q->z = held[i].z;
    q->d = held[i].d;
    q->y = held[i].y;
    q->x = held[i].x * held[0].x;
    q->c = held[i].c;
  }
}
CHECK_NOINLINE static mixed scaled(mixed q, double by) {
  q.x *= by;
  q.z *= q.y;
  return q;
}
static void by_value(mixed *p, int n) {
  for (int i = 0; i < n; ++i)
    p[i] = scaled(p[(i + 1) % n], p[i].x);
}
static void in_heap(mixed *p, int n) {
  mixed *copy = (mixed *)malloc(n * sizeof *copy);
  memcpy(copy, p, n * sizeof *copy);
  for (int i = 0; i < n; ++i)
    copy[i].x *= copy[i].y;
  copy = (mixed *)realloc(copy, 2 * n * sizeof *copy);
  memcpy(copy + n, copy, n * sizeof *copy);
  for (int i = 0; i < n; ++i)
    copy[n + i].z *= copy[i].x;
  memcpy(p, copy + n, n * sizeof *copy);
  free(copy);
}
static void in_buffers(mixed *p, int n) {
  char buffer[3 * COUNT * sizeof(mixed)];
  for (int k = 0; k < 4; ++k) {
    memcpy(buffer + k, p, n * sizeof *p);
    memmove(buffer + 2 * k + 1, buffer + k, n * sizeof *p);
    memcpy(p, buffer + 2 * k + 1, n * sizeof *p);
    p[k].x *= p[k].y;
  }
}
static void numbers_in_buffers(mixed *p, int n) {
  char buffer[16 * COUNT];
  double x[COUNT];
  float y[COUNT];
  for (int i = 0; i < n; ++i) {
    x[i] = p[i].x * p[i].z;
    y[i] = p[i].y * p[i].y;
  }
  memcpy(buffer + 1, x, sizeof x);
  memcpy(buffer + 1 + sizeof x, y, sizeof y);
  for (int i = 0; i < n; ++i) {
    memcpy(&p[i].x, buffer + 1 + (n - 1 - i) * sizeof(double), sizeof(double));
    memcpy(&p[i].y, buffer + 1 + sizeof x + i * sizeof(float), sizeof(float));
  }
}
static void byte_by_byte(mixed *p, int n) {
  mixed held[COUNT];
  char *to = (char *)held;
  const char *from = (const char *)p;
  for (unsigned i = 0; i < n * sizeof *p; ++i)
    to[i] = from[i];
  for (int i = 0; i < n; ++i)
    held[i].x *= held[i].y;
  to = (char *)p;
  from = (const char *)held;
  for (unsigned i = 0; i < n * sizeof *p; ++i)
    to[(i + sizeof *p) % (n * sizeof *p)] = from[i];
}
static void cleared(mixed *p, int n) {
  mixed held = p[0];
  memset(&p[0], 0, sizeof p[0]);
  p[1].x = held.x * held.z;
  memset(&p[2].y, 0, sizeof p[2].y);
  p[3] = (mixed){'a', 2, held.y, 'b', p[n - 1].z};
}
static void triangles(triangle *t, int n) {
  for (int i = 0; i < n; ++i) {
    triangle u = t[i];
    for (int k = 0; k < 9; ++k)
      u.v[k] *= u.n[k % 3];
    t[i] = u;
  }
  triangle held = t[0];
  t[0] = t[n - 1];
  t[n - 1] = held;
  for (int i = 0; i < n; ++i)
    t[i].n[0] = t[i].v[0] * t[i].v[1] * (i + 1) + t[i].tag;
}
static void triangles_copied(triangle *t, int n) {
  triangle copy[COUNT];
  memcpy(copy, t, n * sizeof *t);
  for (int i = 0; i < n; ++i) {
    copy[i].tag += 1;
    t[(i + 1) % n] = copy[i];
    t[(i + 1) % n].v[3] *= t[i].v[4];
  }
}
static void wides(wide *w, int n) {
  wide held = w[0];
  w[0] = w[n - 1];
  w[n - 1] = held;
  for (int i = 0; i < n; ++i) {
    wide q = w[i];
    w[i].y = q.x * q.y + w[0].x;
    w[i].s += 1;
  }
}
static void wides_copied(wide *w, int n) {
  wide copy[COUNT];
  memcpy(copy, w, n * sizeof *w);
  for (int i = 0; i < n; ++i) {
    copy[i].x *= copy[i].y;
    w[n - 1 - i] = copy[i];
  }
}

//===----------------------------------------------------------------------===//
// Vectors of all numbers of an array
//===----------------------------------------------------------------------===//

static unsigned state = 1;
static double number(void) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) / 16777216. + 0.5;
}

#define EACH_MIXED(DO, A, B)                                                   \
  DO((A)->x, (B)->x) DO((A)->y, (B)->y) DO((A)->z, (B)->z)
#define EACH_TRIANGLE(DO, A, B)                                                \
  for (int k = 0; k < 3; ++k)                                                  \
    DO((A)->n[k], (B)->n[k])                                                   \
  for (int k = 0; k < 9; ++k)                                                  \
  DO((A)->v[k], (B)->v[k])
#define EACH_WIDE(DO, A, B) DO((A)->x, (B)->x) DO((A)->y, (B)->y)
#define SET(A, B) A = number();
#define ADD_PRODUCT(A, B) product += (double)(A) * (double)(B);

#define CHECK_PRODUCTS(NAME, TYPE, EACH, TOLERANCE)                            \
  for (int shift = 0; shift < 4; ++shift) {                                    \
    _Alignas(16) static char memory[6][COUNT * sizeof(TYPE) + 16];             \
    TYPE *p[6];                                                                \
    memset(memory, 0, sizeof memory);                                          \
    for (int k = 0; k < 6; ++k)                                                \
      p[k] = (TYPE *)(memory[k] + shift);                                      \
    TYPE *primal = p[0], *tangent = p[1], *seed = p[2], *v = p[3], *w = p[4];  \
    for (int i = 0; i < COUNT; ++i) {                                          \
      EACH(SET, primal + i, primal + i)                                        \
      EACH(SET, v + i, v + i)                                                  \
      EACH(SET, w + i, w + i)                                                  \
    }                                                                          \
    memcpy(tangent, v, sizeof(TYPE) * COUNT);                                  \
    memcpy(seed, w, sizeof(TYPE) * COUNT);                                     \
    memcpy(p[5], primal, sizeof(TYPE) * COUNT);                                \
    __verso_jvp_void((void *)NAME, verso_dup, p[5], tangent, COUNT);           \
    __verso_vjp_void((void *)NAME, verso_dup, primal, seed, COUNT);            \
    double product = 0;                                                        \
    for (int i = 0; i < COUNT; ++i) {                                          \
      EACH(ADD_PRODUCT, w + i, tangent + i)                                    \
    }                                                                          \
    double pushed = product;                                                   \
    product = 0;                                                               \
    for (int i = 0; i < COUNT; ++i) {                                          \
      EACH(ADD_PRODUCT, v + i, seed + i)                                       \
    }                                                                          \
    if (fabs(product - pushed) > TOLERANCE * fabs(pushed))                     \
      fprintf(stderr, "%s, shifted by %d:\n", #NAME, shift);                   \
    CHECK_CLOSE(product, pushed, TOLERANCE);                                   \
  }

int main(void) {
  // Adjoints of floats are floats.
#define MIXED(NAME) CHECK_PRODUCTS(NAME, mixed, EACH_MIXED, 1e-6)
  MIXED(swapped)
  MIXED(swapped_and_read)
  MIXED(read_then_swapped)
  MIXED(rotated)
  MIXED(with_flags)
  MIXED(by_members)
  MIXED(by_value)
  MIXED(in_heap)
  MIXED(in_buffers)
  MIXED(numbers_in_buffers)
  MIXED(byte_by_byte)
  MIXED(cleared)
  CHECK_PRODUCTS(triangles, triangle, EACH_TRIANGLE, 1e-6)
  CHECK_PRODUCTS(triangles_copied, triangle, EACH_TRIANGLE, 1e-6)
  CHECK_PRODUCTS(wides, wide, EACH_WIDE, 1e-12)
  CHECK_PRODUCTS(wides_copied, wide, EACH_WIDE, 1e-12)
  return check_status();
}
