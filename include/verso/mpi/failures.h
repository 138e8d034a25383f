/*===- failures.h - errors of the program ----------------------------*- C
-*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef VERSO_MPI_FAILURES_H
#define VERSO_MPI_FAILURES_H

static VERSO_MPI_UNUSED __attribute__((noreturn)) void
verso_mpi_fail(const char *function, const char *reason) {
  const double now = PMPI_Wtime();
  fprintf(stderr, "verso: error: %s: %s\n", function, reason);
  fflush(stderr);
  while (PMPI_Wtime() < now + 0.2) /* mpiexec may drop the last words. */
    ;
  PMPI_Abort(MPI_COMM_WORLD, 86);
  exit(86);
}

static VERSO_MPI_UNUSED void *verso_mpi_take_memory(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    verso_mpi_fail("MPI", "no memory for numbers on their way");
  return memory;
}

/* Errors end the program, unless it has said otherwise; then the other process
   would wait for a derivative that never comes. */
static VERSO_MPI_UNUSED void verso_mpi_must(int error, const char *what) {
  if (error != MPI_SUCCESS)
    verso_mpi_fail(what, "MPI reports an error in a differentiated function");
}

#endif /* VERSO_MPI_FAILURES_H */
