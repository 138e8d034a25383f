//===- steps-taken-again.c - checkpointing of several processes -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PROCESSES: 1 3
// UNCHECKED: a copy of one process has no one to talk to
//
// Steps of a loop that is checkpointed exchange messages. Each process takes
// its steps again, and takes part in the reverse, also where what it has itself
// of the result has no adjoint.
//
//===----------------------------------------------------------------------===//

#include "processes.h"

#include <verso/checkpoint.h>

enum { N = 3, Steps = 7 };

static void step(double *u, size_t n, const double *p, size_t m, size_t k) {
  int rank = own_rank(), size = all_processes();
  double left;
  MPI_Sendrecv(u + n - 1, 1, MPI_DOUBLE, (rank + 1) % size, 0, &left, 1,
               MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (size_t i = n; i-- > 1;)
    u[i] += p[0] * sin(u[i - 1]) / (k + 1.0);
  u[0] += p[m - 1] * left * left;
}
VERSO_CHECKPOINTED_AMONG(simulate, double, step);

#define SIMULATED(NAME, SLOTS, RETURNED)                                       \
  static double NAME(const double *x) {                                        \
    double u[N] = {x[0], x[1], x[2]};                                          \
    simulate(u, N, x + 3, 2, Steps, SLOTS);                                    \
    return RETURNED;                                                           \
  }
SIMULATED(ofAll, 2, u[0] * u[2])
SIMULATED(ofOne, 1, own_rank() == 0 ? u[N - 1] : 0)
SIMULATED(ofLast, 0, own_rank() == all_processes() - 1 ? u[0] : 0)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK_TOGETHER(ofAll, 5);
  CHECK_TOGETHER(ofOne, 5);
  CHECK_TOGETHER(ofLast, 5);
  MPI_Finalize();
  return 0;
}
