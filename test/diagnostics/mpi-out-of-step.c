//===- mpi-out-of-step.c - messages that one side does not count ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a constant is sent by a function that is not differentiated, and
// received by one that is, or the other way round, the next adjoint, or tangent,
// is of another message: an error. Where neither is, all is well.
//
//===----------------------------------------------------------------------===//

// REQUIRES: mpi
// RUN: %clang_verso %mpi_flags -O1 -g %s -o %t.exe %verso_libs %mpi_libs
// RUN: not %mpiexec -n 2 %t.exe inside grad 2>&1 | FileCheck %s
// RUN: not %mpiexec -n 2 %t.exe inside jvp 2>&1 | FileCheck %s
// RUN: not %mpiexec -n 2 %t.exe before grad 2>&1 | FileCheck %s
// RUN: not %mpiexec -n 2 %t.exe received jvp 2>&1 | FileCheck %s
// RUN: %mpiexec -n 2 %t.exe neither grad
// RUN: %clang_verso %mpi_flags -O1 -g %s -o %t.taped -mllvm -verso-strategy=taped %verso_libs %mpi_libs
// RUN: not %mpiexec -n 2 %t.taped inside grad 2>&1 | FileCheck %s
// RUN: %mpiexec -n 2 %t.taped neither grad

// CHECK: verso: error: MPI_Send or MPI_Recv: a tangent or an adjoint has come that is not of this message: sender and receiver have not counted the same messages.

#include <string.h>
#include <verso/mpi.h>

#define WORLD MPI_COMM_WORLD
static int other;
static const char *how;
static double ten = 10;

VERSO_INACTIVE __attribute__((noinline)) static void tell(void) {
  PMPI_Send(&ten, 1, MPI_DOUBLE, other, 0, WORLD);
}
VERSO_INACTIVE __attribute__((noinline)) static void hear(double *x) {
  PMPI_Recv(x, 1, MPI_DOUBLE, other, 0, WORLD, MPI_STATUS_IGNORE);
}
static double f(const double *x) {
  double constant = ten, square = x[0] * x[0], theirs;
  if (*how == 'i' || *how == 'n')
    tell();
  if (*how == 'r')
    MPI_Send(&constant, 1, MPI_DOUBLE, other, 0, WORLD);
  MPI_Send(&square, 1, MPI_DOUBLE, other, 0, WORLD);
  if (*how == 'r' || *how == 'n')
    hear(&constant);
  else
    MPI_Recv(&constant, 1, MPI_DOUBLE, other, 0, WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&theirs, 1, MPI_DOUBLE, other, 0, WORLD, MPI_STATUS_IGNORE);
  return constant * theirs * x[0];
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  double x = 1 + rank, theirs = 2 - rank, dx = 0, one = 1, right;
  other = 1 - rank;
  how = argv[1];
  if (*how == 'b')
    tell();
  if (argv[2][0] == 'j')
    __verso_jvp((void *)f, verso_dup, &x, &one);
  else
    __verso_grad_void((void *)f, verso_dup, &x, &dx);
  right = 10 * theirs * theirs + 10 * theirs * 2 * x;
  if (dx < right - 1e-9 || dx > right + 1e-9)
    MPI_Abort(WORLD, 1);
  MPI_Finalize();
  return 0;
}
