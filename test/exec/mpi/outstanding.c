//===- outstanding.c - many messages under way ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PROCESSES: 1 2 3
// STRATEGY: structured
// LEVELS: O1 O2g O3
// UNCHECKED: a copy of one process has no one to talk to
//
// Where what arrives belongs is known to the structured strategy, also where
// the row of it grows. Messages are waited for in another order than that in
// which they were begun, and each has a tag of its own; then the same with few
// that begin again and again.
//
//===----------------------------------------------------------------------===//

#include "processes.h"

enum { N = 5, Many = 200 };
#define WORLD MPI_COMM_WORLD

static double many(const double *x) {
  int rank = own_rank(), size = all_processes();
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double out[Many], in[Many], sum = 0;
  MPI_Request sent[Many], received[Many];
  for (int i = 0; i < Many; ++i)
    out[i] = x[i % N] * x[(i + 1) % N] * (1 + 0.01 * i);
  for (int i = 0; i < Many; ++i)
    MPI_Irecv(&in[i], 1, MPI_DOUBLE, before, i, WORLD, &received[i]);
  for (int i = Many - 1; i >= 0; --i)
    MPI_Isend(&out[i], 1, MPI_DOUBLE, next, i, WORLD, &sent[i]);
  for (int i = 0; i < Many / 2; ++i)
    MPI_Wait(&received[(i * 3) % (Many / 2)], MPI_STATUS_IGNORE);
  MPI_Waitall(Many / 2, received + Many / 2, MPI_STATUSES_IGNORE);
  MPI_Waitall(Many, sent, MPI_STATUSES_IGNORE);
  for (int i = 0; i < Many; ++i)
    sum += in[i] * in[i] * x[i % 3];
  return sum;
}

static double again(const double *x) {
  int rank = own_rank(), size = all_processes();
  double in = 0, out = x[0] * x[1];
  MPI_Request r[2];
  MPI_Recv_init(&in, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, WORLD, &r[0]);
  MPI_Send_init(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, WORLD, &r[1]);
  for (int k = 0; k < 5; ++k) {
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    out = sin(out) + in * x[2];
  }
  for (int k = 0; k < 2; ++k)
    MPI_Request_free(&r[k]);
  return out;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK_TOGETHER(many, N);
  CHECK_TOGETHER(again, N);
  MPI_Finalize();
}
