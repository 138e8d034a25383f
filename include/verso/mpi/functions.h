/*===- functions.h - MPI's functions in differentiated code -------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* What takes the place of each: of doubles and floats what numbers.h has, of
   anything else, which has no derivative, the function itself. */

#ifndef VERSO_MPI_FUNCTIONS_H
#define VERSO_MPI_FUNCTIONS_H

/* RETURN(name of a function of numbers, its arguments), by `numbers`. */
#define VERSO_MPI_BY_NUMBERS(NUMBERS, NAME, ...)                               \
  switch (NUMBERS) {                                                           \
  case VERSO_MPI_DOUBLES:                                                      \
    return verso_mpi_##NAME##_doubles(__VA_ARGS__);                            \
  case VERSO_MPI_FLOATS:                                                       \
    return verso_mpi_##NAME##_floats(__VA_ARGS__);                             \
  }

/*===- Messages ------------------------------------------------------------===*/

VERSO_MPI_INACTIVE int verso_mpi_plain_send(const void *buffer, int count,
                                           MPI_Datatype type, int to, int tag,
                                           MPI_Comm comm, int mode) {
  switch (mode) {
  case VERSO_MPI_SYNCHRONOUS:
    return PMPI_Ssend(buffer, count, type, to, tag, comm);
  case VERSO_MPI_BUFFERED:
    return PMPI_Bsend(buffer, count, type, to, tag, comm);
  case VERSO_MPI_READY:
    return PMPI_Rsend(buffer, count, type, to, tag, comm);
  }
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

VERSO_MPI_INACTIVE int verso_mpi_plain_receive(void *buffer, int count,
                                              MPI_Datatype type, int from,
                                              int tag, MPI_Comm comm,
                                              MPI_Status *status) {
  MPI_Message message;
  MPI_Status found;
  if (from == MPI_PROC_NULL || tag != MPI_ANY_TAG)
    return PMPI_Recv(buffer, count, type, from, tag, comm, status);
  verso_mpi_next_message(from, tag, comm, &message, &found);
  return PMPI_Mrecv(buffer, count, type, &message, status);
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_send_any(const void *buffer, int count, MPI_Datatype type, int to,
                   int tag, MPI_Comm comm, int mode) {
  VERSO_MPI_BY_NUMBERS(verso_mpi_numbers_of(type), send, buffer, count, type, to,
                       tag, comm, mode)
  return verso_mpi_plain_send(buffer, count, type, to, tag, comm, mode);
}

#define VERSO_MPI_SENDS(NAME, MODE)                                            \
  static VERSO_MPI_UNUSED int verso_mpi_##NAME(                                \
      const void *buffer, int count, MPI_Datatype type, int to, int tag,       \
      MPI_Comm comm) {                                                         \
    return verso_mpi_send_any(buffer, count, type, to, tag, comm, MODE);       \
  }                                                                            \
  VERSO_DIFFERENTIATE_AS(MPI_##NAME, verso_mpi_##NAME)
VERSO_MPI_SENDS(Send, VERSO_MPI_STANDARD);
VERSO_MPI_SENDS(Ssend, VERSO_MPI_SYNCHRONOUS);
VERSO_MPI_SENDS(Bsend, VERSO_MPI_BUFFERED);
VERSO_MPI_SENDS(Rsend, VERSO_MPI_READY);

static VERSO_MPI_UNUSED int verso_mpi_Recv(void *buffer, int count,
                                           MPI_Datatype type, int from, int tag,
                                           MPI_Comm comm, MPI_Status *status) {
  VERSO_MPI_BY_NUMBERS(verso_mpi_numbers_of(type), receive, buffer, count, type,
                       from, tag, comm, status)
  return verso_mpi_plain_receive(buffer, count, type, from, tag, comm, status);
}
VERSO_DIFFERENTIATE_AS(MPI_Recv, verso_mpi_Recv);

/*===- Reductions ----------------------------------------------------------===*/

VERSO_MPI_INACTIVE int verso_mpi_plain_reduce(int whose, const void *from,
                                             void *to, int count,
                                             MPI_Datatype type, MPI_Op op,
                                             int root, MPI_Comm comm) {
  switch (whose) {
  case VERSO_MPI_OF_ROOT:
    return PMPI_Reduce(from, to, count, type, op, root, comm);
  case VERSO_MPI_OF_THOSE_BEFORE:
    return PMPI_Scan(from, to, count, type, op, comm);
  case VERSO_MPI_OF_THOSE_STRICTLY_BEFORE:
    return PMPI_Exscan(from, to, count, type, op, comm);
  }
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_reduce_any(int whose, const void *from, void *to, int count,
                     MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  VERSO_MPI_BY_NUMBERS(verso_mpi_numbers_of(type), reduce, whose, from, to, count,
                       type, op, root, comm)
  return verso_mpi_plain_reduce(whose, from, to, count, type, op, root, comm);
}

static VERSO_MPI_UNUSED int verso_mpi_Reduce(const void *from, void *to,
                                             int count, MPI_Datatype type,
                                             MPI_Op op, int root,
                                             MPI_Comm comm) {
  return verso_mpi_reduce_any(VERSO_MPI_OF_ROOT, from, to, count, type, op, root,
                              comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Reduce, verso_mpi_Reduce);

#define VERSO_MPI_REDUCES(NAME, WHOSE)                                         \
  static VERSO_MPI_UNUSED int verso_mpi_##NAME(                                \
      const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,     \
      MPI_Comm comm) {                                                         \
    return verso_mpi_reduce_any(WHOSE, from, to, count, type, op, 0, comm);    \
  }                                                                            \
  VERSO_DIFFERENTIATE_AS(MPI_##NAME, verso_mpi_##NAME)
VERSO_MPI_REDUCES(Allreduce, VERSO_MPI_OF_ALL);
VERSO_MPI_REDUCES(Scan, VERSO_MPI_OF_THOSE_BEFORE);
VERSO_MPI_REDUCES(Exscan, VERSO_MPI_OF_THOSE_STRICTLY_BEFORE);

/*===- Others --------------------------------------------------------------===*/

VERSO_MPI_INACTIVE int verso_mpi_plain_broadcast(void *buffer, int count,
                                                MPI_Datatype type, int root,
                                                MPI_Comm comm) {
  return PMPI_Bcast(buffer, count, type, root, comm);
}

static VERSO_MPI_UNUSED int verso_mpi_Bcast(void *buffer, int count,
                                            MPI_Datatype type, int root,
                                            MPI_Comm comm) {
  VERSO_MPI_BY_NUMBERS(verso_mpi_numbers_of(type), broadcast, buffer, count, type,
                       root, comm)
  return verso_mpi_plain_broadcast(buffer, count, type, root, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Bcast, verso_mpi_Bcast);

#endif /* VERSO_MPI_FUNCTIONS_H */
