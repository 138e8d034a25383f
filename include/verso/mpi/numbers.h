/*===- numbers.h - communication of numbers of one type -----------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Included once for doubles and once for floats, with VERSO_MPI_T,
   VERSO_MPI_TYPE and VERSO_MPI_N, which makes names. All is differentiated code
   but VERSO_MPI_N(run), whose derivatives are transfers again. */

static VERSO_MPI_UNUSED __attribute__((nothrow)) void
VERSO_MPI_N(run)(const VERSO_MPI_T *sent, VERSO_MPI_T *received,
                 verso_mpi_transfer *t) {
  verso_mpi_do(t, sent, received, VERSO_MPI_TYPE, sizeof(VERSO_MPI_T));
}

static VERSO_MPI_UNUSED void VERSO_MPI_N(run_counts)(size_t *count,
                                                     const VERSO_MPI_T *sent,
                                                     VERSO_MPI_T *received,
                                                     verso_mpi_transfer *t) {
  (void)sent, (void)received;
  count[0] = t->sent;
  count[1] = t->received;
  count[2] = t->bytes;
}

static VERSO_MPI_UNUSED void VERSO_MPI_N(run_jvp)(const VERSO_MPI_T *sent,
                                                  const VERSO_MPI_T *dsent,
                                                  VERSO_MPI_T *received,
                                                  VERSO_MPI_T *dreceived,
                                                  verso_mpi_transfer *t) {
  verso_mpi_transfer *own = verso_mpi_tangent(t);
  (void)sent, (void)received;
  VERSO_MPI_N(run)(dsent, dreceived, own);
  verso_mpi_end(own);
}

static VERSO_MPI_UNUSED void VERSO_MPI_N(run_vjp)(const VERSO_MPI_T *sent,
                                                  VERSO_MPI_T *dsent,
                                                  VERSO_MPI_T *received,
                                                  VERSO_MPI_T *dreceived,
                                                  verso_mpi_transfer *t) {
  verso_mpi_transfer *own = verso_mpi_transposed(t);
  const size_t n = own->received;
  size_t k;
  VERSO_MPI_T *more = (VERSO_MPI_T *)calloc(n + 1, sizeof *more);
  (void)sent, (void)received;
  VERSO_MPI_N(run)(dreceived, more, own);
  for (k = 0; k != n; ++k)
    dsent[k] += more[k];
  free(more);
  verso_mpi_end(own);
}

VERSO_CUSTOM_VJP(VERSO_MPI_N(run), VERSO_MPI_T, "!rw-", VERSO_MPI_N(run_counts),
                 VERSO_MPI_N(run_vjp), VERSO_MPI_N(run_jvp));

/*===- Numbers by type ----------------------------------------------------===*/

/* Null: numbers, one after the other. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE const verso_mpi_layout *
VERSO_MPI_N(layout)(MPI_Datatype type) {
  return type == VERSO_MPI_TYPE ? 0 : verso_mpi_layout_of(type);
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE size_t
VERSO_MPI_N(count)(const verso_mpi_layout *layout, int items) {
  return (layout ? layout->count : 1) * (size_t)items;
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
VERSO_MPI_N(is_dense)(const verso_mpi_layout *layout) {
  return !layout || layout->is_dense;
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE VERSO_MPI_T *
VERSO_MPI_N(take)(size_t n) {
  VERSO_MPI_T *numbers = (VERSO_MPI_T *)malloc((n + 1) * sizeof *numbers);
  if (!numbers)
    verso_mpi_no_memory();
  return numbers;
}

/* Numbers of a buffer, from the item at `begin`, one after the other. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE void
VERSO_MPI_N(pack)(VERSO_MPI_T *to, const void *from, ptrdiff_t begin, size_t n,
                  const verso_mpi_layout *layout) {
  const VERSO_MPI_T *numbers = (const VERSO_MPI_T *)from;
  size_t k;
  if (VERSO_MPI_N(is_dense)(layout)) {
    numbers += begin * (ptrdiff_t)(layout ? layout->count : 1);
    for (k = 0; k < n; ++k)
      to[k] = numbers[k];
    return;
  }
  numbers += begin * layout->extent;
  for (k = 0; k < n; ++k)
    to[k] = numbers[(ptrdiff_t)(k / layout->count) * layout->extent +
                    layout->offsets[k % layout->count]];
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE void
VERSO_MPI_N(unpack)(void *to, const VERSO_MPI_T *from, ptrdiff_t begin,
                    size_t n, const verso_mpi_layout *layout) {
  VERSO_MPI_T *numbers = (VERSO_MPI_T *)to;
  size_t k;
  if (VERSO_MPI_N(is_dense)(layout)) {
    numbers += begin * (ptrdiff_t)(layout ? layout->count : 1);
    for (k = 0; k < n; ++k)
      numbers[k] = from[k];
    return;
  }
  numbers += begin * layout->extent;
  for (k = 0; k < n; ++k)
    numbers[(ptrdiff_t)(k / layout->count) * layout->extent +
            layout->offsets[k % layout->count]] = from[k];
}

/*===- Messages -----------------------------------------------------------===*/

/* Sends n numbers of a buffer by the transfer t. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE void
VERSO_MPI_N(run_sent)(const void *buffer, const verso_mpi_layout *layout,
                      size_t n, verso_mpi_transfer *t) {
  if (VERSO_MPI_N(is_dense)(layout)) {
    VERSO_MPI_N(run)((const VERSO_MPI_T *)buffer, 0, t);
  } else {
    VERSO_MPI_T *packed = VERSO_MPI_N(take)(n);
    VERSO_MPI_N(pack)(packed, buffer, 0, n, layout);
    VERSO_MPI_N(run)(packed, 0, t);
    free(packed);
  }
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE void
VERSO_MPI_N(run_received)(void *buffer, const verso_mpi_layout *layout,
                          size_t n, verso_mpi_transfer *t) {
  if (VERSO_MPI_N(is_dense)(layout)) {
    VERSO_MPI_N(run)(0, (VERSO_MPI_T *)buffer, t);
  } else {
    VERSO_MPI_T *packed = VERSO_MPI_N(take)(n);
    VERSO_MPI_N(run)(0, packed, t);
    VERSO_MPI_N(unpack)(buffer, packed, 0, n, layout);
    free(packed);
  }
}

static VERSO_MPI_UNUSED int VERSO_MPI_N(send)(const void *buffer, int count,
                                              MPI_Datatype type, int to,
                                              int tag, MPI_Comm comm,
                                              int mode) {
  const verso_mpi_layout *layout = VERSO_MPI_N(layout)(type);
  const size_t n = VERSO_MPI_N(count)(layout, count);
  verso_mpi_transfer *t;
  if (to == MPI_PROC_NULL)
    return MPI_SUCCESS;
  t = verso_mpi_new_send(VERSO_MPI_SEND, n, to, tag, comm, mode);
  VERSO_MPI_N(run_sent)(buffer, layout, n, t);
  verso_mpi_end(t);
  return MPI_SUCCESS;
}

static VERSO_MPI_UNUSED int VERSO_MPI_N(receive)(void *buffer, int count,
                                                 MPI_Datatype type, int from,
                                                 int tag, MPI_Comm comm,
                                                 MPI_Status *status) {
  const verso_mpi_layout *layout = VERSO_MPI_N(layout)(type);
  verso_mpi_transfer *t;
  t = verso_mpi_new_receive(from, tag, comm, VERSO_MPI_N(count)(layout, count),
                            VERSO_MPI_TYPE);
  if (t->peer != MPI_PROC_NULL)
    VERSO_MPI_N(run_received)(buffer, layout, t->received, t);
  verso_mpi_give_status(t, status);
  verso_mpi_end(t);
  return MPI_SUCCESS;
}

/* A message that leaves while the program goes on: what has begun is `id`. */
static VERSO_MPI_UNUSED void
VERSO_MPI_N(begin_send)(const void *buffer, int count,
                        const verso_mpi_layout *layout, int to, int tag,
                        MPI_Comm comm, int mode, long long id) {
  const size_t n = VERSO_MPI_N(count)(layout, count);
  verso_mpi_transfer *t =
      verso_mpi_new_send(VERSO_MPI_ISEND, n, to, tag, comm, mode);
  verso_mpi_set_id(t, id);
  VERSO_MPI_N(run_sent)(buffer, layout, n, t);
  verso_mpi_end(t);
}

/* What has begun, maybe in another file. Only requests use it, and it is null
   when none runs: so it is known where its pointers lead. */
VERSO_NULL_BEFORE VERSO_MPI_SHARED verso_mpi_pendings VERSO_MPI_N(pending) = {
    0, 0, 0};

static VERSO_MPI_UNUSED VERSO_MPI_INLINE void
VERSO_MPI_N(make_room)(long long id) {
  const long long old = VERSO_MPI_N(pending).at ? VERSO_MPI_N(pending).room : 0,
                  room = 2 * id + 8;
  verso_mpi_pending *all = VERSO_MPI_N(pending).at,
                    *more = (verso_mpi_pending *)malloc((size_t)room *
                                                        sizeof *more);
  long long k;
  if (!more)
    verso_mpi_no_memory();
  for (k = 0; k < old; ++k) {
    more[k].id = all[k].id;
    more[k].buffer = all[k].buffer;
    more[k].count = all[k].count;
    more[k].to = all[k].to;
    more[k].tag = all[k].tag;
    more[k].mode = all[k].mode;
    more[k].comm = all[k].comm;
  }
  for (; k < room; ++k) {
    more[k].id = 0;
    more[k].buffer = 0;
  }
  free(all);
  VERSO_MPI_N(pending).at = more;
  VERSO_MPI_N(pending).room = room;
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE verso_mpi_pending *
VERSO_MPI_N(add_pending)(long long id, const void *buffer) {
  verso_mpi_pending *own;
  if (!VERSO_MPI_N(pending).at)
    VERSO_MPI_N(pending).used = 0;
  if (!VERSO_MPI_N(pending).at || id >= VERSO_MPI_N(pending).room)
    VERSO_MPI_N(make_room)(id);
  own = &VERSO_MPI_N(pending).at[id];
  own->id = id;
  own->buffer = (void *)buffer;
  ++VERSO_MPI_N(pending).used;
  return own;
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE verso_mpi_pending *
VERSO_MPI_N(find_pending)(long long id) {
  if (!VERSO_MPI_N(pending).at || id >= VERSO_MPI_N(pending).room ||
      VERSO_MPI_N(pending).at[id].id != id)
    verso_mpi_unknown_request();
  return &VERSO_MPI_N(pending).at[id];
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE void
VERSO_MPI_N(drop_pending)(verso_mpi_pending *own) {
  own->id = 0;
  if (--VERSO_MPI_N(pending).used)
    return;
  free(VERSO_MPI_N(pending).at);
  VERSO_MPI_N(pending).at = 0;
}

/* All that has arrived comes to where the program wants it. (Where nothing of
   this type is begun, it is seen that nothing arrives.) */
static VERSO_MPI_UNUSED void VERSO_MPI_N(take_all_ended)(void) {
  verso_mpi_transfer *t;
  while (VERSO_MPI_N(pending).at &&
         (t = verso_mpi_next_ended(VERSO_MPI_TYPE))) {
    verso_mpi_pending *own = VERSO_MPI_N(find_pending)(t->id);
    if (t->peer != MPI_PROC_NULL)
      VERSO_MPI_N(run_received)(own->buffer, verso_mpi_layout_of_begun(t->id),
                                t->received, t);
    if (!verso_mpi_forget_ended(t))
      VERSO_MPI_N(drop_pending)(own);
  }
  verso_mpi_none_ended(VERSO_MPI_TYPE);
}

static VERSO_MPI_UNUSED void VERSO_MPI_N(start_send)(long long id) {
  const verso_mpi_pending *own = VERSO_MPI_N(find_pending)(id);
  VERSO_MPI_N(begin_send)(own->buffer, own->count,
                          verso_mpi_layout_of_begun(id), own->to, own->tag,
                          own->comm, own->mode, id);
}

/*===- Collective ones ----------------------------------------------------===*/

/* What all reduce: sums by MPI, the others of what all have. Where several are
   the greatest, the derivative is that of the first. `to`, null: nothing. */
static VERSO_MPI_UNUSED void VERSO_MPI_N(reduce_all)(const VERSO_MPI_T *all,
                                                     int processes, size_t n,
                                                     VERSO_MPI_T *to, int op) {
  size_t k;
  int p;
  for (k = 0; k < n; ++k) {
    VERSO_MPI_T r = all[k];
    for (p = 1; p < processes; ++p) {
      const VERSO_MPI_T x = all[(size_t)p * n + k];
      if (op == VERSO_MPI_PRODUCT)
        r *= x;
      else if (op == VERSO_MPI_GREATEST ? x > r : x < r)
        r = x;
    }
    to[k] = r;
  }
}

static VERSO_MPI_UNUSED int VERSO_MPI_N(reduce)(int whose, const void *from,
                                                void *to, int count,
                                                MPI_Datatype type, MPI_Op op,
                                                int root, MPI_Comm comm) {
  const verso_mpi_layout *layout = VERSO_MPI_N(layout)(type);
  const size_t n = VERSO_MPI_N(count)(layout, count);
  const int kind = verso_mpi_reduction(op, layout);
  const int rank = verso_mpi_rank(comm);
  const int has_result = whose == VERSO_MPI_OF_ROOT ? rank == root
                         : whose == VERSO_MPI_OF_THOSE_STRICTLY_BEFORE
                             ? rank > 0
                             : 1;
  const int is_dense = VERSO_MPI_N(is_dense)(layout);
  verso_mpi_transfer *t;
  VERSO_MPI_T *sent = 0, *received = 0, *all = 0;
  if (!is_dense || from == MPI_IN_PLACE) {
    sent = VERSO_MPI_N(take)(n);
    VERSO_MPI_N(pack)(sent, from == MPI_IN_PLACE ? to : from, 0, n, layout);
  }
  if (has_result ? !is_dense : whose == VERSO_MPI_OF_THOSE_STRICTLY_BEFORE)
    received = VERSO_MPI_N(take)(n);
  if (kind == VERSO_MPI_SUM) {
    t = verso_mpi_new_reduction(whose, n, has_result ? n : 0, root, comm);
    VERSO_MPI_N(run)(sent ? sent : (const VERSO_MPI_T *)from,
                     received     ? received
                     : has_result ? (VERSO_MPI_T *)to
                                  : 0,
                     t);
  } else {
    int processes = verso_mpi_size(comm);
    t = verso_mpi_new_gather(whose == VERSO_MPI_OF_ROOT ? VERSO_MPI_GATHER
                                                        : VERSO_MPI_ALLGATHER,
                             n, root, comm);
    all = VERSO_MPI_N(take)(t->received);
    VERSO_MPI_N(run)(sent ? sent : (const VERSO_MPI_T *)from, all, t);
    if (whose == VERSO_MPI_OF_THOSE_BEFORE)
      processes = rank + 1;
    if (whose == VERSO_MPI_OF_THOSE_STRICTLY_BEFORE)
      processes = rank;
    if (has_result)
      VERSO_MPI_N(reduce_all)(all, processes, n,
                              received ? received : (VERSO_MPI_T *)to, kind);
    free(all);
  }
  if (has_result && received)
    VERSO_MPI_N(unpack)(to, received, 0, n, layout);
  free(sent);
  free(received);
  verso_mpi_end(t);
  return MPI_SUCCESS;
}

static VERSO_MPI_UNUSED int VERSO_MPI_N(broadcast)(void *buffer, int count,
                                                   MPI_Datatype type, int root,
                                                   MPI_Comm comm) {
  const verso_mpi_layout *layout = VERSO_MPI_N(layout)(type);
  const size_t n = VERSO_MPI_N(count)(layout, count);
  const int is_root = verso_mpi_rank(comm) == root;
  verso_mpi_transfer *t = verso_mpi_new(VERSO_MPI_BCAST, is_root ? n : 0,
                                        is_root ? 0 : n, root, comm, 0);
  if (is_root)
    VERSO_MPI_N(run_sent)(buffer, layout, n, t);
  else
    VERSO_MPI_N(run_received)(buffer, layout, n, t);
  verso_mpi_end(t);
  return MPI_SUCCESS;
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE void
VERSO_MPI_N(pack_parts)(VERSO_MPI_T *to, const void *from, int processes,
                        int count, const int *counts, const int *at,
                        const verso_mpi_layout *layout) {
  int p;
  ptrdiff_t next = 0;
  for (p = 0; p < processes; ++p) {
    const int items = counts ? counts[p] : count;
    const size_t n = VERSO_MPI_N(count)(layout, items);
    VERSO_MPI_N(pack)(to, from, at ? at[p] : next, n, layout);
    to += n;
    next += items;
  }
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE void
VERSO_MPI_N(unpack_parts)(void *to, const VERSO_MPI_T *from, int processes,
                          int count, const int *counts, const int *at,
                          const verso_mpi_layout *layout) {
  int p;
  ptrdiff_t next = 0;
  for (p = 0; p < processes; ++p) {
    const int items = counts ? counts[p] : count;
    const size_t n = VERSO_MPI_N(count)(layout, items);
    VERSO_MPI_N(unpack)(to, from, at ? at[p] : next, n, layout);
    from += n;
    next += items;
  }
}

/* Gather, Allgather, Scatter, Alltoall and Reduce_scatter: each process sends
   its parts and receives its parts. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
VERSO_MPI_N(exchange)(int kind, const verso_mpi_side *from,
                      const verso_mpi_side *to, int root, MPI_Comm comm) {
  const verso_mpi_layout *layout_from =
      from->parts ? VERSO_MPI_N(layout)(from->type) : 0;
  const verso_mpi_layout *layout_to =
      to->parts ? VERSO_MPI_N(layout)(to->type) : 0;
  const int is_packed = from->parts && (from->is_scattered ||
                                        !VERSO_MPI_N(is_dense)(layout_from));
  const int is_unpacked =
      to->parts && (to->is_scattered || !VERSO_MPI_N(is_dense)(layout_to));
  verso_mpi_transfer *t = verso_mpi_new_exchange(
      kind, root, comm, from->count, from->counts,
      VERSO_MPI_N(count)(layout_from, 1), from->parts, to->count, to->counts,
      VERSO_MPI_N(count)(layout_to, 1), to->parts);
  VERSO_MPI_T *sent = 0, *received = 0;
  if (is_packed) {
    sent = VERSO_MPI_N(take)(t->sent);
    VERSO_MPI_N(pack_parts)(sent, from->buffer, from->parts, from->count,
                            from->counts, from->at, layout_from);
  }
  if (is_unpacked)
    received = VERSO_MPI_N(take)(t->received);
  VERSO_MPI_N(run)(is_packed     ? sent
                   : from->parts ? (const VERSO_MPI_T *)from->buffer
                                 : 0,
                   is_unpacked ? received
                   : to->parts ? (VERSO_MPI_T *)to->buffer
                               : 0,
                   t);
  if (is_unpacked)
    VERSO_MPI_N(unpack_parts)(to->buffer, received, to->parts, to->count,
                              to->counts, to->at, layout_to);
  free(sent);
  free(received);
  verso_mpi_end(t);
  return MPI_SUCCESS;
}
