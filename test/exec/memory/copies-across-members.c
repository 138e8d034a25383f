//===- copies-across-members.c - a copy from a member to the end ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies that are longer than the member whose address they are given: from the
// first number to the end of the structure, of a structure by its first member,
// by an array's first or second element. The type of the address says nothing
// of what lies behind it (these were taken for several of the member: floats
// got the sum of wrong halves, or an error).
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stddef.h>

struct Mixed {
  long id;
  double x;
  int k;
  float g;
  double y;
};
struct Pair {
  double a, b;
};
struct Floats {
  float f[2];
  int n[2];
};
struct Both {
  struct Pair a;
  struct Floats b;
};
struct Arrays {
  double v[2];
  float w[4];
};

CHECK_NOINLINE static void to_end(struct Mixed *p) {
  memcpy(&p[1].x, &p[0].x, sizeof *p - offsetof(struct Mixed, x));
  p[1].x *= 2;
  p[1].g *= 3;
  p[1].y *= 4;
}
CHECK_NOINLINE static void by_member(struct Both *p) {
  memcpy(&p[1].a, &p[0].a, sizeof *p);
  p[1].a.b *= 2;
  p[1].b.f[0] *= 3;
  p[1].b.f[1] *= 5;
}
static void scale(struct Arrays *p) {
  p->v[1] *= 7;
  for (int i = 0; i < 4; i++)
    p->w[i] *= i + 2;
}
CHECK_NOINLINE static void by_array(struct Arrays *p) {
  memcpy(&p[1].v, &p[0].v, sizeof *p);
  scale(&p[1]);
}
CHECK_NOINLINE static void by_element(struct Arrays *p) {
  memcpy(p[1].v, p[0].v, sizeof *p);
  scale(&p[1]);
}
CHECK_NOINLINE static void by_second(struct Arrays *p) {
  memcpy(&p[1].v[1], &p[0].v[1], sizeof *p - sizeof(double));
  scale(&p[1]);
}
CHECK_NOINLINE static void by_count(struct Arrays *p, size_t bytes) {
  memcpy(p[1].v, p[0].v, bytes);
  scale(&p[1]);
}

static void check_mixed(int is_copy) {
  struct Mixed p[2] = {{1, 1.5, 7, 2.5f, 3.5}, {2, 0, 9, 0, 0}}, d[2] = {{0}};
  if (is_copy)
    memcpy(d, p, sizeof d);
  for (int i = 0; i < 2; i++)
    d[i].x = d[i].g = d[i].y = i;
  d[0].g = 0.3f;
  __verso_vjp_void((void *)to_end, verso_dup, p, d);
  CHECK_CLOSE(d[0].x, 2, 0);
  CHECK_CLOSE(d[0].g, 3.3, 1e-6);
  CHECK_CLOSE(d[0].y, 4, 0);
  CHECK_CLOSE(d[1].g, 0, 0);
}

static void check_both(void) {
  struct Both p[2] = {{{1, 2}, {{3, 4}, {5, 6}}}}, d[2] = {{{0}}};
  d[1].a.a = d[1].a.b = d[1].b.f[0] = d[1].b.f[1] = 1;
  d[0].b.f[1] = 0.5f;
  __verso_vjp_void((void *)by_member, verso_dup, p, d);
  CHECK_CLOSE(d[0].a.a, 1, 0);
  CHECK_CLOSE(d[0].a.b, 2, 0);
  CHECK_CLOSE(d[0].b.f[0], 3, 0);
  CHECK_CLOSE(d[0].b.f[1], 5.5, 0);
}

#define CHECK_ARRAYS(F, ...)                                                   \
  {                                                                            \
    struct Arrays p[2] = {{{1, 2}, {3, 4, 5, 6}}}, d[2] = {{{0}}};             \
    for (int i = 0; i < 4; i++)                                                \
      d[1].w[i] = 1, d[0].w[i] = 0.25f;                                        \
    d[1].v[1] = 1;                                                             \
    __verso_vjp_void((void *)F, verso_dup, p, d __VA_OPT__(, ) __VA_ARGS__);   \
    for (int i = 0; i < 4; i++)                                                \
      CHECK_CLOSE(d[0].w[i], i + 2.25, 0);                                     \
    CHECK_CLOSE(d[0].v[1], 7, 0);                                              \
  }

int main(void) {
  check_mixed(0);
  check_mixed(1);
  check_both();
  CHECK_ARRAYS(by_array)
  CHECK_ARRAYS(by_element)
  CHECK_ARRAYS(by_second)
  CHECK_ARRAYS(by_count, sizeof(struct Arrays))
  return check_status();
}
