//===- heat.c - a grid that is spread over processes ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PROCESSES: 1 2 4
// UNCHECKED: a copy of one process has no one to talk to
//
// The heat equation with halos, in four ways: by MPI_Sendrecv, by messages that
// leave and arrive while the inner cells are computed, by requests that begin
// again and again, by MPI_Waitany. Gradients are those of one process that
// computes all.
//
//===----------------------------------------------------------------------===//

#include "processes.h"

enum { Cells = 24, Steps = 5 };
#define WORLD MPI_COMM_WORLD

static double step_of(double a, double b, double c) {
  return b + 0.2 * (a - 2 * b + c) - 0.05 * b * b;
}
static double loss(const double *u, int first, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += u[i] * u[i] * (first + i);
  return sum;
}

static double alone(const double *x) {
  double u[Cells + 2] = {0}, v[Cells + 2] = {0};
  for (int i = 0; i < Cells; ++i)
    u[i + 1] = x[i] * x[i];
  for (int s = 0; s < Steps; ++s) {
    for (int i = 1; i <= Cells; ++i)
      v[i] = step_of(u[i - 1], u[i], u[i + 1]);
    for (int i = 1; i <= Cells; ++i)
      u[i] = v[i];
  }
  return loss(u + 1, 0, Cells);
}

struct grid {
  int n, first, left, right;
};
static struct grid own_grid(void) {
  int rank = own_rank(), size = all_processes();
  struct grid g = {Cells / size, rank * (Cells / size),
                   rank ? rank - 1 : MPI_PROC_NULL,
                   rank + 1 < size ? rank + 1 : MPI_PROC_NULL};
  return g;
}
static void advance(const double *u, double *v, int from, int to) {
  for (int i = from; i <= to; ++i)
    v[i] = step_of(u[i - 1], u[i], u[i + 1]);
}

static double by_turns(const double *x) {
  struct grid g = own_grid();
  int n = g.n;
  double u[Cells + 2] = {0}, v[Cells + 2] = {0};
  for (int i = 0; i < n; ++i)
    u[i + 1] = x[i] * x[i];
  for (int s = 0; s < Steps; ++s) {
    MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, g.left, 0, &u[n + 1], 1, MPI_DOUBLE,
                 g.right, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, g.right, 1, &u[0], 1, MPI_DOUBLE, g.left,
                 1, WORLD, MPI_STATUS_IGNORE);
    advance(u, v, 1, n);
    for (int i = 1; i <= n; ++i)
      u[i] = v[i];
  }
  return loss(u + 1, g.first, n);
}

static double meanwhile(const double *x) {
  struct grid g = own_grid();
  int n = g.n;
  double u[Cells + 2] = {0}, v[Cells + 2] = {0};
  for (int i = 0; i < n; ++i)
    u[i + 1] = x[i] * x[i];
  for (int s = 0; s < Steps; ++s) {
    MPI_Request r[4];
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, g.left, 1, WORLD, &r[0]);
    MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, g.right, 0, WORLD, &r[1]);
    MPI_Isend(&u[1], 1, MPI_DOUBLE, g.left, 0, WORLD, &r[2]);
    MPI_Isend(&u[n], 1, MPI_DOUBLE, g.right, 1, WORLD, &r[3]);
    advance(u, v, 2, n - 1);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    advance(u, v, 1, 1);
    advance(u, v, n, n);
    for (int i = 1; i <= n; ++i)
      u[i] = v[i];
  }
  return loss(u + 1, g.first, n);
}

static double again(const double *x) {
  struct grid g = own_grid();
  int n = g.n;
  double u[Cells + 2] = {0}, v[Cells + 2] = {0};
  MPI_Request r[4];
  for (int i = 0; i < n; ++i)
    u[i + 1] = x[i] * x[i];
  MPI_Recv_init(&u[0], 1, MPI_DOUBLE, g.left, 1, WORLD, &r[0]);
  MPI_Recv_init(&u[n + 1], 1, MPI_DOUBLE, g.right, 0, WORLD, &r[1]);
  MPI_Send_init(&u[1], 1, MPI_DOUBLE, g.left, 0, WORLD, &r[2]);
  MPI_Send_init(&u[n], 1, MPI_DOUBLE, g.right, 1, WORLD, &r[3]);
  for (int s = 0; s < Steps; ++s) {
    MPI_Startall(4, r);
    advance(u, v, 2, n - 1);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    advance(u, v, 1, 1);
    advance(u, v, n, n);
    for (int i = 1; i <= n; ++i)
      u[i] = v[i];
  }
  for (int k = 0; k < 4; ++k)
    MPI_Request_free(&r[k]);
  return loss(u + 1, g.first, n);
}

static double whichever(const double *x) {
  struct grid g = own_grid();
  int n = g.n;
  double u[Cells + 2] = {0}, v[Cells + 2] = {0};
  for (int i = 0; i < n; ++i)
    u[i + 1] = x[i] * x[i];
  for (int s = 0; s < Steps; ++s) {
    MPI_Request r[2], sent[2];
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, g.left, 1, WORLD, &r[0]);
    MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, g.right, 0, WORLD, &r[1]);
    MPI_Isend(&u[1], 1, MPI_DOUBLE, g.left, 0, WORLD, &sent[0]);
    MPI_Isend(&u[n], 1, MPI_DOUBLE, g.right, 1, WORLD, &sent[1]);
    advance(u, v, 2, n - 1);
    for (int k = 0; k < 2; ++k) {
      int which;
      MPI_Waitany(2, r, &which, MPI_STATUS_IGNORE);
      if (which == MPI_UNDEFINED)
        MPI_Abort(WORLD, 1);
    }
    int done = 0;
    while (!done)
      MPI_Testall(2, sent, &done, MPI_STATUSES_IGNORE);
    advance(u, v, 1, 1);
    advance(u, v, n, n);
    for (int i = 1; i <= n; ++i)
      u[i] = v[i];
  }
  return loss(u + 1, g.first, n);
}

static void compare(const char *name, const double *whole, const double *own) {
  struct grid g = own_grid();
  for (int i = 0; i < g.n; ++i)
    must_agree(name, own[i], whole[g.first + i], 1e-13);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK_TOGETHER(by_turns, Cells);
  CHECK_TOGETHER(meanwhile, Cells);
  CHECK_TOGETHER(again, Cells);
  CHECK_TOGETHER(whichever, Cells);
  double x[Cells], whole[Cells] = {0};
  for (int i = 0; i < Cells; ++i)
    x[i] = 0.4 + 0.02 * i * i / Cells;
  __verso_grad_void((void *)alone, verso_dup, x, whole);
#define COMPARE(F)                                                             \
  do {                                                                         \
    double own[Cells] = {0};                                                   \
    __verso_grad_void((void *)F, verso_dup, x + own_grid().first, own);        \
    compare(#F ": alone", whole, own);                                         \
  } while (0)
  COMPARE(by_turns);
  COMPARE(meanwhile);
  COMPARE(again);
  COMPARE(whichever);
  MPI_Finalize();
}
