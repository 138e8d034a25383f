//===- mpi.c - what is not known of MPI -----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without the header, and with it what it does not know, is a compile error; what
// shows when the program runs is an error of the program.
//
//===----------------------------------------------------------------------===//

// REQUIRES: mpi
// RUN: not %clang_verso %mpi_flags -O1 -g -c %s -o %t.o 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: not %clang_verso %mpi_flags -DHEADER -DPUT -O1 -g -c %s -o %t.o 2>&1 | FileCheck --check-prefix=PUT %s
// RUN: not %clang_verso %mpi_flags -DHEADER -DALONE -O1 -g -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ALONE %s
// RUN: %clang_verso %mpi_flags -DHEADER -O1 -g %s -o %t.exe %verso_libs %mpi_libs
// RUN: not %mpiexec -n 1 %t.exe bytes 2>&1 | FileCheck --check-prefix=BYTES %s
// RUN: not %mpiexec -n 1 %t.exe own 2>&1 | FileCheck --check-prefix=OWN %s
// RUN: not %mpiexec -n 1 %t.exe mixed 2>&1 | FileCheck --check-prefix=MIXED %s
// RUN: not %mpiexec -n 1 %t.exe request 2>&1 | FileCheck --check-prefix=REQUEST %s
// RUN: not %mpiexec -n 1 %t.exe long 2>&1 | FileCheck --check-prefix=LONG %s
// RUN: not %mpiexec -n 1 %t.exe pair 2>&1 | FileCheck --check-prefix=PAIR %s
// RUN: not %mpiexec -n 1 %t.exe free 2>&1 | FileCheck --check-prefix=FREE %s
// RUN: not %mpiexec -n 1 %t.exe under-way 2>&1 | FileCheck --check-prefix=UNDER %s
// RUN: %clang_verso %mpi_flags -DHEADER -DVERSO_MPI_BYTES_ARE_CONSTANT -O1 -g %s -o %t.exe %verso_libs %mpi_libs
// RUN: %mpiexec -n 1 %t.exe bytes

#ifdef HEADER
#include <verso/mpi.h>
#else
#include <mpi.h>
#include <verso/verso.h>
#endif
#include <string.h>

static const char *which;
static MPI_Op own;
static MPI_Datatype mixed;
static MPI_Request request;
static void add(void *from, void *to, int *n, MPI_Datatype *type) {
  for (int i = 0; i < *n; ++i)
    ((double *)to)[i] += ((double *)from)[i];
}

#ifdef ALONE
static double total(const double *x) {
  double sum;
  MPI_Allreduce(x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
static void mean(double *y, const double *x) { *y = total(x) / 2; }
static void mean_counts(size_t *n, double *y, const double *x) {
  n[0] = n[1] = 1;
}
static void mean_vjp(double *y, double *dy, const double *x, double *dx) {
  *dx += total(dy) / 2;
}
// ALONE: mpi.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: 'mean' calls 'MPI_Allreduce', for which other processes wait; begin the roles with !
VERSO_CUSTOM_VJP(mean, double, "wr", mean_counts, mean_vjp, 0);
#endif

static MPI_Comm comm;
#ifdef HEADER
// Where nobody sees it; the next one has its handle.
VERSO_INACTIVE __attribute__((noinline)) static void free_elsewhere(void) {
  PMPI_Comm_free(&comm);
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
}
#endif

static double f(const double *x) {
  double y[2] = {x[0] * x[0], x[0]}, sum = 0;
  // PLAIN: mpi.c:[[@LINE+1]]:{{.*}}error: cannot differentiate the call of 'MPI_Allreduce': it may communicate numbers{{.*}}; include <verso/mpi.h> in the place of <mpi.h> here
  MPI_Allreduce(y, &sum, 1, MPI_DOUBLE, *which == 'o' ? own : MPI_SUM,
                MPI_COMM_WORLD);
#ifdef PUT
  MPI_Win win = MPI_WIN_NULL;
  // PUT: mpi.c:[[@LINE+1]]:{{.*}}error: cannot differentiate the call of 'MPI_Put': it may communicate numbers
  MPI_Put(y, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win);
#endif
  if (*which == 'b')
    MPI_Bcast(y, sizeof y, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (*which == 'm')
    MPI_Bcast(y, 1, mixed, 0, MPI_COMM_WORLD);
  if (*which == 'l')
    MPI_Bcast(y, 1, MPI_REAL16, 0, MPI_COMM_WORLD);
  if (*which == 'p')
    MPI_Bcast(y, 1, MPI_DOUBLE_INT, 0, MPI_COMM_WORLD);
  if (*which == 'r')
    MPI_Start(&request);
#ifdef HEADER
  if (*which == 'f') {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Bcast(y, 1, MPI_DOUBLE, 0, comm);
    free_elsewhere();
  }
  if (*which == 'u') {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(y, 1, MPI_DOUBLE, 0, 0, comm, &request);
    MPI_Comm_free(&comm);
  }
#endif
  return sum + y[1];
}
// BYTES: verso: error: {{.*}}MPI_BYTE or MPI_PACKED in a differentiated function may be numbers
// OWN: verso: error: MPI_Reduce: of numbers that vary MPI_SUM, MPI_PROD, MPI_MAX and MPI_MIN have a derivative
// MIXED: verso: error: {{.*}}a type has numbers and something else
// LONG: verso: error: MPI: MPI_REAL16 cannot be communicated in differentiated functions; send doubles or floats
// PAIR: verso: error: MPI: MPI_DOUBLE_INT cannot be communicated in differentiated functions; send doubles or floats
// FREE: verso: error: MPI_Comm_free: a communicator was freed in a function that is not differentiated
// UNDER: verso: error: MPI_Comm_free: a communicator is freed while MPI_Irecv waits
// REQUEST: verso: error: MPI_Wait or MPI_Start: a request was made outside of the differentiated function

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  int one[2] = {1, 1};
  MPI_Aint at[2] = {0, 8};
  double x[1] = {2}, dx[1] = {0}, y[1];
  which = argc > 1 ? argv[1] : "-";
  MPI_Op_create(add, 1, &own);
  MPI_Type_create_struct(2, one, at, types, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Send_init(y, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &request);
  __verso_grad_void((void *)f, verso_dup, x, dx);
  MPI_Request_free(&request);
  MPI_Type_free(&mixed);
  MPI_Op_free(&own);
  MPI_Finalize();
  return 0;
}
