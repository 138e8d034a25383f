/*===- collectives.h - what all processes take part in ------------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Reductions, broadcasts and exchanges, as functions.h has messages. */

#ifndef VERSO_MPI_COLLECTIVES_H
#define VERSO_MPI_COLLECTIVES_H

/*===- Reductions ---------------------------------------------------------===*/

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
  VERSO_MPI_BY_NUMBERS(verso_mpi_numbers_of(type), reduce, whose, from, to,
                       count, type, op, root, comm)
  return verso_mpi_plain_reduce(whose, from, to, count, type, op, root, comm);
}

static VERSO_MPI_UNUSED int verso_mpi_Reduce(const void *from, void *to,
                                             int count, MPI_Datatype type,
                                             MPI_Op op, int root,
                                             MPI_Comm comm) {
  return verso_mpi_reduce_any(VERSO_MPI_OF_ROOT, from, to, count, type, op,
                              root, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Reduce, verso_mpi_Reduce);

#define VERSO_MPI_REDUCES(NAME, WHOSE)                                         \
  static VERSO_MPI_UNUSED int verso_mpi_##NAME(const void *from, void *to,     \
                                               int count, MPI_Datatype type,   \
                                               MPI_Op op, MPI_Comm comm) {     \
    return verso_mpi_reduce_any(WHOSE, from, to, count, type, op, 0, comm);    \
  }                                                                            \
  VERSO_DIFFERENTIATE_AS(MPI_##NAME, verso_mpi_##NAME)
VERSO_MPI_REDUCES(Allreduce, VERSO_MPI_OF_ALL);
VERSO_MPI_REDUCES(Scan, VERSO_MPI_OF_THOSE_BEFORE);
VERSO_MPI_REDUCES(Exscan, VERSO_MPI_OF_THOSE_STRICTLY_BEFORE);

/*===- Others -------------------------------------------------------------===*/

VERSO_MPI_INACTIVE int verso_mpi_plain_broadcast(void *buffer, int count,
                                                 MPI_Datatype type, int root,
                                                 MPI_Comm comm) {
  return PMPI_Bcast(buffer, count, type, root, comm);
}

static VERSO_MPI_UNUSED int verso_mpi_Bcast(void *buffer, int count,
                                            MPI_Datatype type, int root,
                                            MPI_Comm comm) {
  VERSO_MPI_BY_NUMBERS(verso_mpi_numbers_of(type), broadcast, buffer, count,
                       type, root, comm)
  return verso_mpi_plain_broadcast(buffer, count, type, root, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Bcast, verso_mpi_Bcast);

static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_exchange_any(int kind, MPI_Datatype type, const verso_mpi_side *from,
                       const verso_mpi_side *to, int root, MPI_Comm comm) {
  VERSO_MPI_BY_NUMBERS(verso_mpi_numbers_of(type), exchange, kind, from, to,
                       root, comm)
  return MPI_SUCCESS;
}

#define VERSO_MPI_HAS_NUMBERS(TYPE)                                            \
  (verso_mpi_numbers_of(TYPE) != VERSO_MPI_NO_NUMBERS)

/* Nothing. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE verso_mpi_side
verso_mpi_nothing(void) {
  return verso_mpi_side_of(0, MPI_DATATYPE_NULL, 0, 0, 0, 0);
}

/* Gather and Gatherv; `counts` null: `count` of each. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_gather_any(const void *sent, int sends, MPI_Datatype of_sent,
                     void *received, int count, const int *counts,
                     const int *at, MPI_Datatype of_received, int root,
                     MPI_Comm comm) {
  const int is_root = verso_mpi_rank(comm) == root;
  const int own_at = at ? at[root] : root * count;
  verso_mpi_side from, to = verso_mpi_nothing();
  if (sent == MPI_IN_PLACE) {
    const int own = counts ? counts[root] : count;
    from = verso_mpi_side_of(received, of_received, 1, own, 0, &own_at);
    from.is_scattered = 1; /* Copied: it is received as well. */
  } else {
    from = verso_mpi_side_of(sent, of_sent, 1, sends, 0, 0);
  }
  if (is_root)
    to = verso_mpi_side_of(received, of_received, verso_mpi_size(comm), count,
                           counts, at);
  return verso_mpi_exchange_any(VERSO_MPI_GATHER, from.type, &from, &to, root,
                                comm);
}

VERSO_MPI_PLAIN(Gather,
                (const void *s, int n, MPI_Datatype of_s, void *r, int m,
                 MPI_Datatype of_r, int root, MPI_Comm comm),
                (s, n, of_s, r, m, of_r, root, comm))
static VERSO_MPI_UNUSED int verso_mpi_Gather(const void *s, int n,
                                             MPI_Datatype of_s, void *r, int m,
                                             MPI_Datatype of_r, int root,
                                             MPI_Comm comm) {
  if (!VERSO_MPI_HAS_NUMBERS(s == MPI_IN_PLACE ? of_r : of_s))
    return verso_mpi_plain_Gather(s, n, of_s, r, m, of_r, root, comm);
  return verso_mpi_gather_any(s, n, of_s, r, m, 0, 0, of_r, root, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Gather, verso_mpi_Gather);

VERSO_MPI_PLAIN(Gatherv,
                (const void *s, int n, MPI_Datatype of_s, void *r, const int *m,
                 const int *at, MPI_Datatype of_r, int root, MPI_Comm comm),
                (s, n, of_s, r, m, at, of_r, root, comm))
static VERSO_MPI_UNUSED int verso_mpi_Gatherv(const void *s, int n,
                                              MPI_Datatype of_s, void *r,
                                              const int *m, const int *at,
                                              MPI_Datatype of_r, int root,
                                              MPI_Comm comm) {
  if (!VERSO_MPI_HAS_NUMBERS(s == MPI_IN_PLACE ? of_r : of_s))
    return verso_mpi_plain_Gatherv(s, n, of_s, r, m, at, of_r, root, comm);
  if (verso_mpi_rank(comm) != root)
    return verso_mpi_gather_any(s, n, of_s, 0, 0, 0, 0, of_s, root, comm);
  return verso_mpi_gather_any(s, n, of_s, r, 0, m, at, of_r, root, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Gatherv, verso_mpi_Gatherv);

/* Scatter and Scatterv. Of what the root has already it receives nothing. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_scatter_any(const void *sent, int count, const int *counts,
                      const int *at, MPI_Datatype of_sent, void *received,
                      int receives, MPI_Datatype of_received, int root,
                      MPI_Comm comm) {
  verso_mpi_side from = verso_mpi_nothing(), to;
  if (verso_mpi_rank(comm) == root)
    from = verso_mpi_side_of(sent, of_sent, verso_mpi_size(comm), count, counts,
                             at);
  if (received == MPI_IN_PLACE) { /* To where it comes from. */
    const int own_at = at ? at[root] : root * count;
    const int own = counts ? counts[root] : count;
    from.is_scattered = 1;
    to = verso_mpi_side_of(sent, of_sent, 1, own, 0, &own_at);
    to.is_scattered = 1;
    return verso_mpi_exchange_any(VERSO_MPI_SCATTER, of_sent, &from, &to, root,
                                  comm);
  }
  to = verso_mpi_side_of(received, of_received, 1, receives, 0, 0);
  return verso_mpi_exchange_any(VERSO_MPI_SCATTER, of_received, &from, &to,
                                root, comm);
}

VERSO_MPI_PLAIN(Scatter,
                (const void *s, int n, MPI_Datatype of_s, void *r, int m,
                 MPI_Datatype of_r, int root, MPI_Comm comm),
                (s, n, of_s, r, m, of_r, root, comm))
static VERSO_MPI_UNUSED int verso_mpi_Scatter(const void *s, int n,
                                              MPI_Datatype of_s, void *r, int m,
                                              MPI_Datatype of_r, int root,
                                              MPI_Comm comm) {
  if (!VERSO_MPI_HAS_NUMBERS(r == MPI_IN_PLACE ? of_s : of_r))
    return verso_mpi_plain_Scatter(s, n, of_s, r, m, of_r, root, comm);
  return verso_mpi_scatter_any(s, n, 0, 0, of_s, r, m, of_r, root, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Scatter, verso_mpi_Scatter);

VERSO_MPI_PLAIN(Scatterv,
                (const void *s, const int *n, const int *at, MPI_Datatype of_s,
                 void *r, int m, MPI_Datatype of_r, int root, MPI_Comm comm),
                (s, n, at, of_s, r, m, of_r, root, comm))
static VERSO_MPI_UNUSED int verso_mpi_Scatterv(const void *s, const int *n,
                                               const int *at, MPI_Datatype of_s,
                                               void *r, int m,
                                               MPI_Datatype of_r, int root,
                                               MPI_Comm comm) {
  if (!VERSO_MPI_HAS_NUMBERS(r == MPI_IN_PLACE ? of_s : of_r))
    return verso_mpi_plain_Scatterv(s, n, at, of_s, r, m, of_r, root, comm);
  if (verso_mpi_rank(comm) != root)
    return verso_mpi_scatter_any(0, 0, 0, 0, of_r, r, m, of_r, root, comm);
  return verso_mpi_scatter_any(s, 0, n, at, of_s, r, m, of_r, root, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Scatterv, verso_mpi_Scatterv);

/* Allgather and Allgatherv. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_allgather_any(const void *sent, int sends, MPI_Datatype of_sent,
                        void *received, int count, const int *counts,
                        const int *at, MPI_Datatype of_received,
                        MPI_Comm comm) {
  const int rank = verso_mpi_rank(comm);
  const int own_at = at ? at[rank] : rank * count;
  verso_mpi_side from,
      to = verso_mpi_side_of(received, of_received, verso_mpi_size(comm), count,
                             counts, at);
  if (sent == MPI_IN_PLACE) {
    const int own = counts ? counts[rank] : count;
    from = verso_mpi_side_of(received, of_received, 1, own, 0, &own_at);
    from.is_scattered = 1;
  } else {
    from = verso_mpi_side_of(sent, of_sent, 1, sends, 0, 0);
  }
  return verso_mpi_exchange_any(VERSO_MPI_ALLGATHER, of_received, &from, &to, 0,
                                comm);
}

VERSO_MPI_PLAIN(Allgather,
                (const void *s, int n, MPI_Datatype of_s, void *r, int m,
                 MPI_Datatype of_r, MPI_Comm comm),
                (s, n, of_s, r, m, of_r, comm))
static VERSO_MPI_UNUSED int verso_mpi_Allgather(const void *s, int n,
                                                MPI_Datatype of_s, void *r,
                                                int m, MPI_Datatype of_r,
                                                MPI_Comm comm) {
  if (!VERSO_MPI_HAS_NUMBERS(of_r))
    return verso_mpi_plain_Allgather(s, n, of_s, r, m, of_r, comm);
  return verso_mpi_allgather_any(s, n, of_s, r, m, 0, 0, of_r, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Allgather, verso_mpi_Allgather);

VERSO_MPI_PLAIN(Allgatherv,
                (const void *s, int n, MPI_Datatype of_s, void *r, const int *m,
                 const int *at, MPI_Datatype of_r, MPI_Comm comm),
                (s, n, of_s, r, m, at, of_r, comm))
static VERSO_MPI_UNUSED int verso_mpi_Allgatherv(const void *s, int n,
                                                 MPI_Datatype of_s, void *r,
                                                 const int *m, const int *at,
                                                 MPI_Datatype of_r,
                                                 MPI_Comm comm) {
  if (!VERSO_MPI_HAS_NUMBERS(of_r))
    return verso_mpi_plain_Allgatherv(s, n, of_s, r, m, at, of_r, comm);
  return verso_mpi_allgather_any(s, n, of_s, r, 0, m, at, of_r, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Allgatherv, verso_mpi_Allgatherv);

VERSO_MPI_PLAIN(Alltoall,
                (const void *s, int n, MPI_Datatype of_s, void *r, int m,
                 MPI_Datatype of_r, MPI_Comm comm),
                (s, n, of_s, r, m, of_r, comm))
static VERSO_MPI_UNUSED int verso_mpi_Alltoall(const void *s, int n,
                                               MPI_Datatype of_s, void *r,
                                               int m, MPI_Datatype of_r,
                                               MPI_Comm comm) {
  const int size = verso_mpi_size(comm);
  verso_mpi_side from, to = verso_mpi_side_of(r, of_r, size, m, 0, 0);
  if (!VERSO_MPI_HAS_NUMBERS(of_r))
    return verso_mpi_plain_Alltoall(s, n, of_s, r, m, of_r, comm);
  if (s == MPI_IN_PLACE) {
    from = to;
    from.is_scattered = 1;
  } else {
    from = verso_mpi_side_of(s, of_s, size, n, 0, 0);
  }
  return verso_mpi_exchange_any(VERSO_MPI_ALLTOALL, of_r, &from, &to, 0, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Alltoall, verso_mpi_Alltoall);

VERSO_MPI_PLAIN(Alltoallv,
                (const void *s, const int *n, const int *at_s,
                 MPI_Datatype of_s, void *r, const int *m, const int *at_r,
                 MPI_Datatype of_r, MPI_Comm comm),
                (s, n, at_s, of_s, r, m, at_r, of_r, comm))
static VERSO_MPI_UNUSED int
verso_mpi_Alltoallv(const void *s, const int *n, const int *at_s,
                    MPI_Datatype of_s, void *r, const int *m, const int *at_r,
                    MPI_Datatype of_r, MPI_Comm comm) {
  const int size = verso_mpi_size(comm);
  verso_mpi_side from, to = verso_mpi_side_of(r, of_r, size, 0, m, at_r);
  if (!VERSO_MPI_HAS_NUMBERS(of_r))
    return verso_mpi_plain_Alltoallv(s, n, at_s, of_s, r, m, at_r, of_r, comm);
  if (s == MPI_IN_PLACE) {
    from = to;
    from.is_scattered = 1;
  } else {
    from = verso_mpi_side_of(s, of_s, size, 0, n, at_s);
  }
  return verso_mpi_exchange_any(VERSO_MPI_ALLTOALL, of_r, &from, &to, 0, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Alltoallv, verso_mpi_Alltoallv);

/* Reduce_scatter and Reduce_scatter_block, of sums. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_reduce_scatter_any(const void *sent, void *received, int count,
                             const int *counts, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  const int own = counts ? counts[verso_mpi_rank(comm)] : count;
  verso_mpi_side from = verso_mpi_side_of(
                     sent == MPI_IN_PLACE ? received : sent, type,
                     verso_mpi_size(comm), count, counts, 0),
                 to = verso_mpi_side_of(received, type, 1, own, 0, 0);
  from.is_scattered = sent == MPI_IN_PLACE;
  if (op != MPI_SUM)
    verso_mpi_no_reduction();
  return verso_mpi_exchange_any(VERSO_MPI_REDUCE_SCATTER, type, &from, &to, 0,
                                comm);
}

VERSO_MPI_PLAIN(Reduce_scatter,
                (const void *s, void *r, const int *n, MPI_Datatype type,
                 MPI_Op op, MPI_Comm comm),
                (s, r, n, type, op, comm))
static VERSO_MPI_UNUSED int verso_mpi_Reduce_scatter(const void *s, void *r,
                                                     const int *n,
                                                     MPI_Datatype type,
                                                     MPI_Op op, MPI_Comm comm) {
  if (!VERSO_MPI_HAS_NUMBERS(type))
    return verso_mpi_plain_Reduce_scatter(s, r, n, type, op, comm);
  return verso_mpi_reduce_scatter_any(s, r, 0, n, type, op, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Reduce_scatter, verso_mpi_Reduce_scatter);

VERSO_MPI_PLAIN(Reduce_scatter_block,
                (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm),
                (s, r, n, type, op, comm))
static VERSO_MPI_UNUSED int
verso_mpi_Reduce_scatter_block(const void *s, void *r, int n, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm) {
  if (!VERSO_MPI_HAS_NUMBERS(type))
    return verso_mpi_plain_Reduce_scatter_block(s, r, n, type, op, comm);
  return verso_mpi_reduce_scatter_any(s, r, n, 0, type, op, comm);
}
VERSO_DIFFERENTIATE_AS(MPI_Reduce_scatter_block,
                       verso_mpi_Reduce_scatter_block);

#endif /* VERSO_MPI_COLLECTIVES_H */
