//===- collectives.c - what all processes do together ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PROCESSES: 2 4
// UNCHECKED: a copy of one process has no one to talk to
//
// Each collective function, with MPI_IN_PLACE where there is such, with counts
// and places that are not the same for all. (With one process MPICH 4.0 has
// MPI_Allgatherv ignore the places.)
//
//===----------------------------------------------------------------------===//

#include "processes.h"

enum { N = 12, Most = 40 };
#define WORLD MPI_COMM_WORLD

static double total(const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i] * (1 + 0.1 * i) + sin(y[i]);
  return sum;
}

#define PROGRAM(NAME, ...)                                                     \
  static double NAME(const double *x) {                                        \
    int rank = own_rank(), size = all_processes();                             \
    double y[N], z[Most];                                                      \
    int counts[4], at[4];                                                      \
    for (int i = 0; i < N; ++i)                                                \
      y[i] = x[i] * x[i] * (1 + 0.3 * ((rank + i) % 4));                       \
    for (int i = 0; i < Most; ++i)                                             \
      z[i] = 0.05 * i * x[i % N];                                              \
    for (int p = 0; p < size; ++p) {                                           \
      counts[p] = 1 + p % 3;                                                   \
      at[p] = p ? at[p - 1] + counts[p - 1] + 1 : 1;                           \
    }                                                                          \
    (void)counts, (void)at;                                                    \
    __VA_ARGS__;                                                               \
    return total(y, N) + total(z, Most) * (1 + 0.1 * rank);                    \
  }

#define REAL MPI_DOUBLE
PROGRAM(reduce, MPI_Reduce(y, z, N, REAL, MPI_SUM, size - 1, WORLD);
        MPI_Reduce(rank ? (void *)y : MPI_IN_PLACE, y, 3, REAL, MPI_SUM, 0,
                   WORLD))
PROGRAM(allreduce, MPI_Allreduce(y, z, N, REAL, MPI_SUM, WORLD);
        MPI_Allreduce(MPI_IN_PLACE, y, N, REAL, MPI_SUM, WORLD))
PROGRAM(extremes, MPI_Allreduce(y, z, N, REAL, MPI_MAX, WORLD);
        MPI_Reduce(y, z + N, N, REAL, MPI_MIN, 0, WORLD))
PROGRAM(products, MPI_Allreduce(y, z, 5, REAL, MPI_PROD, WORLD);
        MPI_Scan(y, z + 5, 4, REAL, MPI_PROD, WORLD);
        MPI_Exscan(y, z + 9, 4, REAL, MPI_MAX, WORLD))
PROGRAM(bcast, MPI_Bcast(y, N, REAL, size - 1, WORLD);
        MPI_Bcast(z, 3, REAL, 0, WORLD))
PROGRAM(gather, MPI_Gather(y, 3, REAL, z, 3, REAL, 0, WORLD);
        MPI_Gather(rank ? (void *)y : MPI_IN_PLACE, 2, REAL, z + 20, 2, REAL, 0,
                   WORLD))
PROGRAM(gatherv, MPI_Gatherv(y, counts[rank], REAL, z, counts, at, REAL,
                             size - 1, WORLD))
PROGRAM(scatter, MPI_Scatter(z, 3, REAL, y, 3, REAL, 0, WORLD);
        MPI_Scatter(y, 2, REAL, rank ? (void *)z : MPI_IN_PLACE, 2, REAL, 0,
                    WORLD))
PROGRAM(scatterv, MPI_Scatterv(z, counts, at, REAL, y + 2, counts[rank], REAL,
                               size - 1, WORLD))
PROGRAM(allgather, MPI_Allgather(y, 3, REAL, z, 3, REAL, WORLD);
        z[rank] *= y[0];
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, z, 2, REAL, WORLD))
PROGRAM(allgatherv,
        MPI_Allgatherv(y, counts[rank], REAL, z, counts, at, REAL, WORLD))
PROGRAM(alltoall, MPI_Alltoall(y, 3, REAL, z, 3, REAL, WORLD);
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, z, 2, REAL, WORLD))
PROGRAM(
    alltoallv, int some[4]; int from[4]; int to[4];
    for (int p = 0; p < size; ++p) {
      some[p] = 1 + (p + rank) % 3;
      from[p] = 3 * p;
      to[p] = 3 * (size - 1 - p);
    } MPI_Alltoallv(y, some, from, REAL, z, some, to, REAL, WORLD))
PROGRAM(reduce_scatter, MPI_Reduce_scatter_block(y, z, 3, REAL, MPI_SUM, WORLD);
        MPI_Reduce_scatter(y, z + 3, counts, REAL, MPI_SUM, WORLD))
PROGRAM(scans, MPI_Scan(y, z, 5, REAL, MPI_SUM, WORLD);
        MPI_Exscan(y, z + 6, 5, REAL, MPI_SUM, WORLD); MPI_Barrier(WORLD))

// In halves of the processes, and by those of a grid's rows.
static double parts(const double *x) {
  int rank = own_rank(), size = all_processes();
  double y[N], z[N];
  MPI_Comm half;
  for (int i = 0; i < N; ++i)
    y[i] = x[i] * x[i] * (1 + rank);
  MPI_Comm_split(WORLD, rank % 2, size - rank, &half);
  MPI_Allreduce(y, z, N, REAL, MPI_SUM, half);
  MPI_Bcast(y, 4, REAL, 0, half);
  return total(y, N) * total(z, N) * 0.01;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK_TOGETHER(reduce, N);
  CHECK_TOGETHER(allreduce, N);
  CHECK_TOGETHER(extremes, N);
  CHECK_TOGETHER(products, N);
  CHECK_TOGETHER(bcast, N);
  CHECK_TOGETHER(gather, N);
  CHECK_TOGETHER(gatherv, N);
  CHECK_TOGETHER(scatter, N);
  CHECK_TOGETHER(scatterv, N);
  CHECK_TOGETHER(allgather, N);
  CHECK_TOGETHER(allgatherv, N);
  CHECK_TOGETHER(alltoall, N);
  CHECK_TOGETHER(alltoallv, N);
  CHECK_TOGETHER(reduce_scatter, N);
  CHECK_TOGETHER(scans, N);
  CHECK_TOGETHER(parts, N);
  MPI_Finalize();
}
