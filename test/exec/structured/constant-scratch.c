//===- constant-scratch.c - numbers kept behind verso_const ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Room to work in that is given as verso_const: written and read again, written
// in part, by two arguments that are one, behind pointers of a structure, in a
// local array in turn, many pages of it, in a loop of requests. What it held
// before is constant. (With the memory of another argument: test/driver.)
//
//===----------------------------------------------------------------------===//

#include "check.h"

enum { N = 6, Large = 3000 };

/// Only every second one is written.
CHECK_NOINLINE static double partly(const double *x, double *room, int n) {
  double sum = 0;
  for (int i = 0; i < n; i += 2)
    room[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    sum += room[i] * x[i];
  for (int i = 1; i < n; ++i)
    room[i] = room[i - 1] * x[i] + room[i];
  return sum * room[n - 1];
}
CHECK_NOINLINE static double twice(const double *x, double *one,
                                   const double *other, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    one[i] = x[i] * other[(i + n - 1) % n];
  for (int i = 0; i < n; ++i)
    sum += other[i] * x[i];
  return sum;
}
typedef struct {
  double *numbers;
  float *narrow;
  int n;
  double factor;
} Room;
CHECK_NOINLINE static double behind(const double *x, Room *room) {
  double sum = 0;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < room->n; ++i) {
      room->numbers[i] = room->numbers[i] * x[i] * room->factor;
      room->narrow[i] += (float)(x[i] * k);
    }
  for (int i = 0; i < room->n; ++i)
    sum += room->numbers[i] * room->narrow[i];
  return sum;
}
CHECK_NOINLINE static double either(const double *x, double *room, int n,
                                    int here) {
  double local[N] = {1, 2, 3};
  double *p = here ? local : room, sum = 0;
  for (int i = 0; i < n; ++i)
    p[i] += x[i] * x[i];
  for (int i = 0; i < n; ++i)
    sum += p[i] * p[i] + room[i];
  return sum;
}

/// Chosen at run time: the tape's. x is read again by its own name.
CHECK_NOINLINE static double chosen(double *x, double *room, int n, int own) {
  double *p = own ? x : room, sum = 0;
  for (int i = 0; i < n; ++i)
    p[i] = 2 * x[i];
  for (int i = 0; i < n; ++i)
    sum += x[i] * (i + 1) + p[i];
  return sum;
}

static double room[N];
static float narrow[N];
static Room rooms = {room, narrow, N, 1.5};
static Room *volatile hidden = &rooms;
static void prepare(void) {
  for (int i = 0; i < N; ++i)
    room[i] = 1 + 0.125 * i, narrow[i] = (float)i;
}
static double partly_at(double *x) { return prepare(), partly(x, room, N); }
static double twice_at(double *x) { return prepare(), twice(x, room, room, N); }
static double behind_at(double *x) { return prepare(), behind(x, &rooms); }
static double here_at(double *x) { return prepare(), either(x, room, N, 1); }
static double there_at(double *x) { return prepare(), either(x, room, N, 0); }

int main(void) {
  double x[N], dx[N];
  for (int i = 0; i < N; ++i)
    x[i] = 0.75 + 0.25 * i;
  for (int round = 0; round < 2; ++round) {
    memset(dx, 0, sizeof dx), prepare();
    __verso_grad_void((void *)partly, verso_dup, x, dx, verso_const, room, N);
    CHECK_GRADIENT(partly_at, N, x, dx, 1e-6);
    memset(dx, 0, sizeof dx), prepare();
    __verso_grad_void((void *)twice, verso_dup, x, dx, verso_const, room,
                      verso_const, room, N);
    CHECK_GRADIENT(twice_at, N, x, dx, 1e-6);
    memset(dx, 0, sizeof dx), prepare();
    __verso_grad_void((void *)behind, verso_dup, x, dx, verso_const, hidden);
    CHECK_GRADIENT(behind_at, N, x, dx, 1e-3);
    for (int here = 0; here < 2; ++here) {
      memset(dx, 0, sizeof dx), prepare();
      __verso_grad_void((void *)either, verso_dup, x, dx, verso_const, room, N,
                        here);
      if (here)
        CHECK_GRADIENT(here_at, N, x, dx, 1e-6);
      else
        CHECK_GRADIENT(there_at, N, x, dx, 1e-6);
    }
  }
  for (int own = 0; own < 2; ++own) {
    double z[N] = {1, 2, 3, 4, 5, 6};
    memset(dx, 0, sizeof dx), prepare();
    __verso_grad_void((void *)chosen, verso_dup, z, dx, verso_const, room, N,
                      own);
    for (int i = 0; i < N; ++i)
      CHECK_EQUAL(dx[i], own ? 2 * (i + 1) + 2 : i + 1 + 2);
  }
  double *y = malloc(3 * Large * sizeof *y), *dy = y + Large,
         *large = y + 2 * Large;
  for (int i = 0; i < Large; ++i)
    y[i] = 1 + i % 3, dy[i] = 0, large[i] = 2;
  for (int round = 0; round < 3; ++round)
    __verso_grad_void((void *)partly, verso_dup, y, dy, verso_const, large, 40);
  __verso_grad_void((void *)twice, verso_dup, y, dy, verso_const, large,
                    verso_const, y + 3 * Large - Large, Large);
  free(y);
  return check_status();
}
