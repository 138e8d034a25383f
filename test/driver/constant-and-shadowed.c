//===- constant-and-shadowed.c - one array given in two ways --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that vary are stored in memory that is given as verso_const, and read
// by an argument that has a shadow, or the other way round: structured code ends
// the program, the tape follows them. Apart, all is well.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -gline-tables-only %s -o %t %verso_libs
// RUN: not %t read 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not %t written 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: not %t half 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not %t over 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: %t
// RUN: %clang_verso -O2 -mllvm -verso-strategy=taped %s -o %t.taped %verso_libs
// RUN: %t.taped read
// RUN: %t.taped

#include <string.h>

enum { N = 4 };

extern int verso_dup, verso_const;
void __verso_grad(void *, ...);

__attribute__((noinline)) static double f(double *x, double *room) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    room[i] = 3 * x[i];
  for (int i = 0; i < N; ++i)
    // READ: verso: error: {{.*}}constant-and-shadowed.c:[[@LINE+1]]{{.*}}both as an argument with a shadow
    sum += x[i] * (i + 1);
  for (int i = 0; i < N; ++i)
    sum += room[i];
  return sum;
}
__attribute__((noinline)) static double g(double *x, double *room) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    x[i] = 3 * x[i];
  for (int i = 0; i < N; ++i)
    // WRITTEN: verso: error: {{.*}}constant-and-shadowed.c:[[@LINE+1]]{{.*}}both as an argument with a shadow
    sum += room[i];
  for (int i = 0; i < N; ++i)
    room[N + i] = sum * x[i];
  for (int i = 0; i < N; ++i)
    sum += room[N + i];
  return sum;
}

typedef union {
  double d;
  float f[2];
} number;
__attribute__((noinline)) static double half(number *x, number *room) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    room[i].f[1] = (float)(x[i].d * x[i].d);
  for (int i = 0; i < N; ++i)
    // HALF: verso: error: {{.*}}constant-and-shadowed.c:[[@LINE+1]]{{.*}}of another type
    sum += x[i].d;
  return sum;
}
__attribute__((noinline)) static double over(number *x, number *a, number *b) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    a[i].d = x[i].d * x[i].d;
  for (int i = 0; i < N; ++i)
    b[i].f[1] = (float)x[i].d;
  for (int i = 0; i < N; ++i)
    // OVER: verso: error: {{.*}}constant-and-shadowed.c:[[@LINE+1]]{{.*}}of another type
    sum += a[i].d * (i + 1);
  return sum;
}

int main(int argc, char **argv) {
  double x[2 * N] = {1, 2, 3, 4}, dx[2 * N] = {0}, room[2 * N] = {0};
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "written")) {
    __verso_grad((void *)g, verso_dup, x, dx, verso_const, x);
    return 0;
  }
  if (!strcmp(how, "half")) {
    __verso_grad((void *)half, verso_dup, x, dx, verso_const, x);
    return 0;
  }
  if (!strcmp(how, "over")) {
    __verso_grad((void *)over, verso_dup, x, dx, verso_const, room, verso_const,
                 room);
    return 0;
  }
  int same = !strcmp(how, "read");
  __verso_grad((void *)f, verso_dup, x, dx, verso_const, same ? x : room);
  for (int i = 0; i < N; ++i)
    if (dx[i] != (same ? 3 * (i + 1) + 3 : i + 1 + 3))
      return 1;
  return 0;
}
