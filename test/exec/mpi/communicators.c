//===- communicators.c - communicators that are freed ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PROCESSES: 1 2 4
// UNCHECKED: a copy of one process has no one to talk to
//
// A function that makes communicators, uses and frees them: where the reverse
// sweep needs one, another one may have its handle.
//
//===----------------------------------------------------------------------===//

#include "processes.h"

enum { N = 6 };
#define WORLD MPI_COMM_WORLD

// What is made later has the handle of what is freed, and other processes.
static double handles(const double *x) {
  double s, t, u = x[0] * x[1], y[2] = {x[2] * x[0], x[3]};
  MPI_Comm alone, all;
  MPI_Comm_split(WORLD, own_rank(), 0, &alone);
  MPI_Allreduce(&u, &s, 1, MPI_DOUBLE, MPI_SUM, alone);
  MPI_Comm_free(&alone);
  if (alone != MPI_COMM_NULL)
    MPI_Abort(WORLD, 1);
  MPI_Comm_dup(WORLD, &all);
  MPI_Scan(&s, &t, 1, MPI_DOUBLE, MPI_SUM, all);
  MPI_Bcast(y, 2, MPI_DOUBLE, 0, all);
  MPI_Comm_free(&all);
  return s * t + y[0] * y[1] * x[4] * t;
}

// Messages within halves, in other orders than in all processes; again and
// again.
static double halves(const double *x) {
  int rank = own_rank(), size = all_processes();
  double y[N], z[N], sum = 0;
  for (int i = 0; i < N; ++i)
    y[i] = x[i] * x[(i + 1) % N];
  for (int k = 0; k < 3; ++k) {
    MPI_Comm half, none;
    int n, own;
    MPI_Comm_split(WORLD, (rank + k) % 2, size - rank, &half);
    MPI_Comm_split(WORLD, k || rank ? MPI_UNDEFINED : 0, 0, &none);
    MPI_Comm_size(half, &n);
    MPI_Comm_rank(half, &own);
    MPI_Request r;
    MPI_Irecv(z, N, MPI_DOUBLE, (own + 1) % n, 0, half, &r);
    MPI_Send(y, N, MPI_DOUBLE, (own + n - 1) % n, 0, half);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (none != MPI_COMM_NULL)
      MPI_Comm_free(&none);
    MPI_Comm_free(&half);
    for (int i = 0; i < N; ++i)
      sum += y[i] * z[i] * z[i], y[i] = sin(z[i]) + x[i];
  }
  return sum;
}

// Rows of a grid; some of the processes.
static double grid(const double *x) {
  int size = all_processes(),
      sizes[2] = {size > 3 ? 2 : 1, size > 3 ? 2 : size};
  int wraps[2] = {1, 1}, remain[2] = {0, 1}, above, below, first = 0;
  double y[N], z[N], sum = 0, part;
  MPI_Comm all, row, some;
  MPI_Group group, whole;
  for (int i = 0; i < N; ++i)
    y[i] = z[i] = x[i] * x[i] * (1 + own_rank());
  MPI_Cart_create(WORLD, 2, sizes, wraps, 0, &all);
  if (all == MPI_COMM_NULL)
    return x[0];
  MPI_Cart_sub(all, remain, &row);
  MPI_Cart_shift(all, 0, 1, &above, &below);
  MPI_Sendrecv(y, N, MPI_DOUBLE, below, 3, z, N, MPI_DOUBLE, above, 3, all,
               MPI_STATUS_IGNORE);
  MPI_Comm_free(&all);
  for (int i = 0; i < N; ++i)
    sum += z[i] * y[i];
  MPI_Allreduce(&sum, &part, 1, MPI_DOUBLE, MPI_MAX, row);
  MPI_Comm_free(&row);
  MPI_Comm_group(WORLD, &whole);
  MPI_Group_incl(whole, 1, &first, &group);
  MPI_Comm_create(WORLD, group, &some);
  if (some != MPI_COMM_NULL) {
    MPI_Bcast(&part, 1, MPI_DOUBLE, 0, some);
    MPI_Comm_free(&some);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&whole);
  return part * x[1];
}

// Made where nobody sees it.
static MPI_Comm in_turn;
VERSO_INACTIVE __attribute__((noinline)) static void make(void) {
  PMPI_Comm_split(WORLD, 0, -own_rank(), &in_turn);
}
static double made_elsewhere(const double *x) {
  double u = x[0] * x[1], s = 0;
  make();
  MPI_Exscan(&u, &s, 1, MPI_DOUBLE, MPI_SUM, in_turn);
  if (own_rank() == all_processes() - 1)
    s = 0;
  MPI_Comm_free(&in_turn);
  return s * x[2] + x[0];
}

// More than MPI has communicators, so none may be left.
static void many(void) {
  double x[N], dx[N] = {0}, one[N] = {1};
  for (int i = 0; i < N; ++i)
    x[i] = start_at(i);
  for (int k = 0; k < 1500; ++k) {
    __verso_grad_void((void *)handles, verso_dup, x, dx);
    __verso_jvp((void *)handles, verso_dup, x, one);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK_TOGETHER(handles, N);
  CHECK_TOGETHER(halves, N);
  CHECK_TOGETHER(grid, N);
  CHECK_TOGETHER(made_elsewhere, N);
  if (all_processes() == 1)
    many();
  MPI_Finalize();
}
