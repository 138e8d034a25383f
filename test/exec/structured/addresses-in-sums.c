//===- addresses-in-sums.c - pointers made of several addresses -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer that is the exclusive or of two addresses, a distance of two arrays
// that goes through choices and loops, addresses that are moved as integers of
// the program: what such a pointer leads to is not what the pointer it was
// computed from does, nor is its shadow as far away.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  double v;
  uintptr_t link;
} Node;
CHECK_NOINLINE static double walk(Node *at, int n) {
  Node *before = 0;
  double s = 1;
  for (int i = 0; i < n; ++i) {
    s *= at->v;
    Node *next = (Node *)(at->link ^ (uintptr_t)before);
    before = at;
    at = next;
  }
  return s;
}
static double list(const double *x, int n) {
  Node a[3] = {{x[0], 0}, {x[1], 0}, {x[2], 0}};
  a[0].link = (uintptr_t)&a[1];
  a[1].link = (uintptr_t)&a[0] ^ (uintptr_t)&a[2];
  a[2].link = (uintptr_t)&a[1];
  return walk(a, n);
}

/// Links in enciphered form, as allocators keep theirs.
static double enciphered(const double *x, int n) {
  double a[3] = {x[0], x[1], x[2]}, b[3] = {x[2] * 2, x[1] * 3, x[0] * 4};
  uintptr_t t[3];
  t[0] = (uintptr_t)&a[1] ^ ((uintptr_t)&t[0] >> 12);
  t[1] = (uintptr_t)&b[2] ^ ((uintptr_t)&t[1] >> 12);
  t[2] = (uintptr_t)&a[0] ^ ((uintptr_t)&t[2] >> 12);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double *p = (double *)(t[i] ^ ((uintptr_t)&t[i] >> 12));
    s = s * 0.5 + *p * *p;
    *p = s;
  }
  return s;
}

static double turns(const double *x, int n) {
  double *a = malloc(16), *b = malloc(16), *p = a, s = 0;
  a[0] = x[0];
  a[1] = x[1];
  b[0] = x[0] * x[1];
  b[1] = x[2];
  uintptr_t mix = (uintptr_t)a ^ (uintptr_t)b;
  for (int i = 0; i < n; ++i) {
    s += p[i % 2] * (i + 1);
    p[i % 2] *= p[(i + 1) % 2];
    p = (double *)((uintptr_t)p ^ mix);
  }
  s += a[0] + 2 * b[1];
  free(a);
  free(b);
  return s;
}

static double comesRound(const double *x, int n) {
  double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0] * x[0], x[1] * x[1], 1}, s = 0;
  uintptr_t d = (uintptr_t)b - (uintptr_t)a, e = 0;
  for (int i = 0; i < n; ++i) {
    double *p = (double *)((uintptr_t)(a + i) + e);
    s += *p * (i + 1);
    *p = 0;
    e = d - e;
  }
  return s + a[0] + a[1] * 2 + b[0] * 3 + b[1] * 4;
}

static double chosen(const double *x, int n) {
  double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0] * x[0], x[1] * x[1], 1}, s = 0;
  uintptr_t d = (uintptr_t)b - (uintptr_t)a;
  for (int i = 0; i < n; ++i) {
    double *p = (double *)((uintptr_t)(a + i) + (x[i] < 9 ? d : 0));
    s += *p * (i + 1);
    *p = 0;
  }
  return s + a[0] + a[1] * 2 + b[0] * 3 + b[1] * 4;
}

/// LLVM stores what is the address of something as a pointer, and moves it as
/// the integer that it is to the program.
static double rotated(const double *x, int n) {
  double a[3] = {x[0], x[1], x[2]}, b[3] = {x[2] * 2, x[1] * 3, x[0] * 4},
         s = 0;
  uintptr_t t[3] = {(uintptr_t)&a[1], (uintptr_t)&b[2], (uintptr_t)&a[0]};
  uintptr_t first = t[0];
  for (int i = 0; i + 1 < n; ++i) {
    uintptr_t next = t[i + 1];
    t[i + 1] = first;
    t[i] = next;
  }
  for (int i = 0; i < n; ++i) {
    double *p = (double *)t[i];
    s = s * 0.5 + *p * *p;
    *p = s;
  }
  return s;
}

/// Steps within an object, by its own address: nothing odd.
static double aligned(const double *x, int n) {
  char *block = malloc(n * sizeof(double) + 63);
  double *a = (double *)(((uintptr_t)block + 63) & ~(uintptr_t)63), s = 0;
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    s += a[i] * a[n - 1 - i];
  free(block);
  return s;
}

#define CHECK_ALL(F)                                                           \
  for (int k = 0; k < 3; ++k) {                                                \
    double x[3] = {2, 3, 5}, g[3] = {0, 0, 0}, v[3];                           \
    __verso_grad_void(F, verso_dup, x, g, verso_const, 3);                     \
    fill_direction(v, 3, 7 + k);                                               \
    CHECK_CLOSE(dot_product(g, v, 3),                                          \
                __verso_jvp(F, verso_dup, x, v, verso_const, 3), 1e-14);       \
    CHECK(g[0] != 0 && g[1] != 0);                                             \
  }

int main(void) {
  CHECK_ALL(list)
  CHECK_ALL(enciphered)
  CHECK_ALL(turns)
  CHECK_ALL(comesRound)
  CHECK_ALL(chosen)
  CHECK_ALL(rotated)
  CHECK_ALL(aligned)
  return check_status();
}
