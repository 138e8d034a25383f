/*===- describe.h - transfers, by what the program says -----------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef VERSO_MPI_DESCRIBE_H
#define VERSO_MPI_DESCRIBE_H

VERSO_MPI_INACTIVE __attribute__((noreturn)) void verso_mpi_no_memory(void) {
  verso_mpi_fail("MPI", "no memory for numbers on their way");
}

VERSO_MPI_INACTIVE int verso_mpi_rank(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

VERSO_MPI_INACTIVE int verso_mpi_size(MPI_Comm comm) {
  int size;
  PMPI_Comm_size(comm, &size);
  return size;
}

VERSO_MPI_INACTIVE MPI_Request verso_mpi_no_request(void) {
  return MPI_REQUEST_NULL;
}

/* With room for so many counts. */
VERSO_MPI_INACTIVE verso_mpi_transfer *verso_mpi_new(int kind, size_t sent,
                                                     size_t received, int peer,
                                                     MPI_Comm comm,
                                                     int counts) {
  size_t bytes = sizeof(verso_mpi_transfer) + (size_t)counts * sizeof(int);
  verso_mpi_transfer *t = (verso_mpi_transfer *)verso_mpi_take_memory(bytes);
  int is_inter;
  memset(t, 0, bytes);
  if (kind >= VERSO_MPI_BCAST) {
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
      verso_mpi_fail("MPI",
                     "collective functions between two groups "
                     "(intercommunicators) have no derivative here; merge "
                     "the groups (MPI_Intercomm_merge)");
  }
  t->bytes = bytes;
  t->kind = kind;
  t->sent = sent;
  t->received = received;
  t->peer = peer;
  t->comm = comm;
  t->comm_id = verso_mpi_state_of(comm)->id;
  t->message = MPI_MESSAGE_NULL;
  return t;
}

/*===- Communicators ------------------------------------------------------===*/

/* Of the communicator that was made, or is to be freed; in the latter case the
   program has it no longer. What could not be made again is never freed. */
VERSO_MPI_INACTIVE verso_mpi_transfer *verso_mpi_new_life(int kind,
                                                          MPI_Comm *comm) {
  verso_mpi_transfer *t;
  int n = 0;
  if (*comm == MPI_COMM_NULL)
    return verso_mpi_new(VERSO_MPI_NOTHING, 0, 0, 0, MPI_COMM_SELF, 0);
  PMPI_Comm_size(*comm, &n);
  t = verso_mpi_new(kind, 0, 0, 0, *comm, n);
  if (!verso_mpi_find_processes(*comm, verso_mpi_counts(t)))
    t->kind = VERSO_MPI_NOTHING;
  if (kind == VERSO_MPI_FREE)
    *comm = MPI_COMM_NULL;
  return t;
}

/*===- Messages -----------------------------------------------------------===*/

VERSO_MPI_INACTIVE verso_mpi_transfer *verso_mpi_new_send(int kind, size_t n,
                                                          int to, int tag,
                                                          MPI_Comm comm,
                                                          int mode) {
  verso_mpi_transfer *t = verso_mpi_new(kind, n, 0, to, comm, 0);
  verso_mpi_check_tag("MPI_Send", tag);
  t->tag = tag;
  t->mode = mode;
  t->number = ++verso_mpi_stream_of(verso_mpi_state_of(comm), to, tag)->sent;
  return t;
}

/* How many numbers a message has that may have `most`. */
static VERSO_MPI_UNUSED size_t verso_mpi_length(MPI_Status *status,
                                                MPI_Datatype number,
                                                size_t most) {
  int n;
  PMPI_Get_count(status, number, &n);
  if (n == MPI_UNDEFINED)
    verso_mpi_fail("MPI_Recv",
                   "a message is received as another type than it was "
                   "sent");
  if ((size_t)n > most)
    verso_mpi_fail("MPI_Recv", "a message is longer than the buffer");
  return (size_t)n;
}

/* Waits for the message: from then on it is known how long it is. */
VERSO_MPI_INACTIVE verso_mpi_transfer *
verso_mpi_new_receive(int from, int tag, MPI_Comm comm, size_t most,
                      MPI_Datatype number) {
  verso_mpi_transfer *t = verso_mpi_new(VERSO_MPI_RECEIVE, 0, 0, from, comm, 0);
  verso_mpi_state *state = verso_mpi_state_of(comm);
  if (tag != MPI_ANY_TAG)
    verso_mpi_check_tag("MPI_Recv", tag);
  if (from != MPI_PROC_NULL) {
    t->late = (long long *)verso_mpi_take_memory(sizeof *t->late);
    verso_mpi_post(state, from, tag, t->late);
  }
  verso_mpi_next_message(from, tag, comm, &t->message, &t->status);
  t->peer = t->status.MPI_SOURCE;
  t->tag = t->status.MPI_TAG;
  if (from != MPI_PROC_NULL) {
    verso_mpi_arrived(state, t->late, t->peer, t->tag);
    if (*t->late) {
      t->number = *t->late;
      free(t->late);
      t->late = 0;
    }
    t->received = verso_mpi_length(&t->status, number, most);
  }
  return t;
}

VERSO_MPI_INACTIVE void verso_mpi_give_status(const verso_mpi_transfer *t,
                                              MPI_Status *status) {
  if (status != MPI_STATUS_IGNORE)
    *status = t->status;
}

VERSO_MPI_INACTIVE void verso_mpi_set_id(verso_mpi_transfer *t, long long id) {
  t->id = id;
}

/*===- Collective ones ----------------------------------------------------===*/

enum verso_mpi_reduction {
  VERSO_MPI_SUM,
  VERSO_MPI_PRODUCT,
  VERSO_MPI_GREATEST,
  VERSO_MPI_LEAST
};

enum verso_mpi_whose {
  VERSO_MPI_OF_ALL,
  VERSO_MPI_OF_ROOT,
  VERSO_MPI_OF_THOSE_BEFORE,
  VERSO_MPI_OF_THOSE_STRICTLY_BEFORE
};

VERSO_MPI_INACTIVE int verso_mpi_reduction_by(MPI_Op op, int is_complex) {
  if (op == MPI_SUM)
    return VERSO_MPI_SUM;
  if (op == MPI_PROD && !is_complex)
    return VERSO_MPI_PRODUCT;
  if (op == MPI_MAX)
    return VERSO_MPI_GREATEST;
  if (op == MPI_MIN)
    return VERSO_MPI_LEAST;
  verso_mpi_fail(
      "MPI_Reduce",
      "of numbers that vary MPI_SUM, MPI_PROD, MPI_MAX and MPI_MIN have "
      "a derivative, not other operations, nor products of complex "
      "numbers; gather the numbers (MPI_Allgather) and reduce them in "
      "the program");
  return 0;
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_reduction(MPI_Op op, const verso_mpi_layout *layout) {
  return op == MPI_SUM
             ? VERSO_MPI_SUM
             : verso_mpi_reduction_by(op, layout && layout->is_complex);
}

VERSO_MPI_INACTIVE void verso_mpi_no_reduction(void) {
  verso_mpi_fail("MPI_Reduce_scatter",
                 "of numbers that vary it has a derivative "
                 "with MPI_SUM only; use MPI_Allreduce");
}

VERSO_MPI_INACTIVE verso_mpi_transfer *
verso_mpi_new_reduction(int whose, size_t sent, size_t received, int root,
                        MPI_Comm comm) {
  return verso_mpi_new(
      whose == VERSO_MPI_OF_ALL            ? VERSO_MPI_ALLREDUCE
      : whose == VERSO_MPI_OF_ROOT         ? VERSO_MPI_REDUCE
      : whose == VERSO_MPI_OF_THOSE_BEFORE ? VERSO_MPI_SCAN
                                           : VERSO_MPI_EXSCAN,
      sent, whose == VERSO_MPI_OF_THOSE_STRICTLY_BEFORE ? sent : received, root,
      comm, 0);
}

/* Side by side: `count` items for each of `parts` processes, or `counts`, of so
   many numbers each. Returns the sum. */
static VERSO_MPI_UNUSED size_t verso_mpi_fill_counts(int *to, int count,
                                                     const int *counts,
                                                     size_t each, int parts) {
  size_t sum = 0;
  int k;
  for (k = 0; k != parts; ++k) {
    size_t n = (size_t)(counts ? counts[k] : count) * each;
    if (to)
      to[k] = (int)n;
    sum += n;
  }
  return sum;
}

VERSO_MPI_INACTIVE verso_mpi_transfer *
verso_mpi_new_exchange(int kind, int root, MPI_Comm comm, int from_count,
                       const int *from_counts, size_t from_each, int from_parts,
                       int to_count, const int *to_counts, size_t to_each,
                       int to_parts) {
  const int size = verso_mpi_size(comm);
  verso_mpi_transfer *t = verso_mpi_new(kind, 0, 0, root, comm, 2 * size);
  int *counts = verso_mpi_counts(t);
  int of_from = kind == VERSO_MPI_SCATTER || kind == VERSO_MPI_REDUCE_SCATTER ||
                kind == VERSO_MPI_ALLTOALL;
  t->sent =
      verso_mpi_fill_counts(of_from && from_parts == size ? counts : 0,
                            from_count, from_counts, from_each, from_parts);
  t->received = verso_mpi_fill_counts(kind == VERSO_MPI_ALLTOALL ? counts + size
                                      : !of_from && to_parts == size ? counts
                                                                     : 0,
                                      to_count, to_counts, to_each, to_parts);
  return t;
}

/* As many numbers from each, to the root or to all. */
VERSO_MPI_INACTIVE verso_mpi_transfer *
verso_mpi_new_gather(int kind, size_t n, int root, MPI_Comm comm) {
  const int size = verso_mpi_size(comm);
  const int has_all =
      kind == VERSO_MPI_ALLGATHER || verso_mpi_rank(comm) == root;
  return verso_mpi_new_exchange(kind, root, comm, (int)n, 0, 1, 1, (int)n, 0, 1,
                                has_all ? size : 0);
}

/* Whether parts do not lie one behind the other. */
VERSO_MPI_INACTIVE int verso_mpi_is_scattered(const int *counts, const int *at,
                                              int parts) {
  int k, next = 0;
  for (k = 0; k != parts; ++k) {
    if (at[k] != next && counts[k])
      return 1;
    next += counts[k];
  }
  return 0;
}

/* What a process sends, or receives, in a collective function. */
typedef struct verso_mpi_side {
  void *buffer;
  MPI_Datatype type;
  int parts;         /* Of so many processes. */
  int count;         /* Items of each; */
  const int *counts; /* or these. */
  const int *at;     /* The first item of each; null: one behind the other. */
  int is_scattered;  /* Not so; or it is to be copied. */
} verso_mpi_side;

static VERSO_MPI_UNUSED VERSO_MPI_INLINE verso_mpi_side
verso_mpi_side_of(const void *buffer, MPI_Datatype type, int parts, int count,
                  const int *counts, const int *at) {
  verso_mpi_side side;
  side.buffer = (void *)buffer;
  side.type = type;
  side.parts = parts;
  side.count = count;
  side.counts = counts;
  side.at = at;
  side.is_scattered =
      at && (!counts || verso_mpi_is_scattered(counts, at, parts));
  return side;
}

#endif /* VERSO_MPI_DESCRIBE_H */
