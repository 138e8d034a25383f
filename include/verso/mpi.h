/*===- mpi.h - derivatives of programs that communicate -----------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* In the place of <mpi.h>, in files whose differentiated functions call MPI.

   A request is made by all processes together, like a collective function: for
   each message adjoints go back from its receiver to its sender. What is
   computed is the derivative of one number, the sum over all processes of the
   seeds times the outputs: each process gets the part that belongs to its own
   inputs. So where all processes return the same total (after MPI_Allreduce)
   and each asks
   __verso_grad, the gradient is that of the total times the number of
   processes. Say __verso_vjp with the seed 1 on one process and 0 on the
   others, or return what is the process's own part of the total. */

#ifndef VERSO_MPI_H
#define VERSO_MPI_H

#include <mpi.h>

#include "verso.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VERSO_MPI_UNUSED __attribute__((unused))
#define VERSO_MPI_INLINE __attribute__((always_inline)) inline
#define VERSO_MPI_SHARED __attribute__((weak))
#define VERSO_MPI_INACTIVE                                                     \
  VERSO_INACTIVE VERSO_WRITES_NO_NUMBERS static                                \
      __attribute__((unused, noinline, nothrow))

#include "mpi/failures.h"

#include "mpi/table.h"

#include "mpi/communicators.h"

#include "mpi/named.h"

#include "mpi/types.h"

#include "mpi/transfer.h"

#include "mpi/describe.h"

#include "mpi/begun.h"

#define VERSO_MPI_T double
#define VERSO_MPI_TYPE MPI_DOUBLE
#define VERSO_MPI_N(NAME) verso_mpi_##NAME##_doubles
#include "mpi/numbers.h"
#undef VERSO_MPI_T
#undef VERSO_MPI_TYPE
#undef VERSO_MPI_N

#define VERSO_MPI_T float
#define VERSO_MPI_TYPE MPI_FLOAT
#define VERSO_MPI_N(NAME) verso_mpi_##NAME##_floats
#include "mpi/numbers.h"
#undef VERSO_MPI_T
#undef VERSO_MPI_TYPE
#undef VERSO_MPI_N

#include "mpi/functions.h"

#include "mpi/collectives.h"

#ifdef __cplusplus
}
#endif

#endif /* VERSO_MPI_H */
