/*===- transfer.h - what moves numbers between processes ----------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* A transfer is a linear map between the numbers of several processes: what
   each sends, one number after the other, and what each receives. Its tangent
   is a transfer, and so is its transpose; what this file does with numbers is
   done to values, tangents and adjoints alike.

   Tangents and adjoints that go from one process to another (*companions* of a
   message) have tags of their own, in the upper half of those that MPI has, so
   that no receive of the program may take one. They say of which message they
   are: its number among those with its sender, receiver, tag and communicator.
   Both sides count, so what is sent or received where nobody counts brings them
   out of step: therefore they say what the message's numbers were, as well.
   So they may come in any order: adjoints of messages that were waited for in
   another order than that in which they were sent do. They are never waited for
   by who sends them: what can go forwards without a deadlock can go backwards.
 */

#ifndef VERSO_MPI_TRANSFER_H
#define VERSO_MPI_TRANSFER_H

enum verso_mpi_kind {
  VERSO_MPI_SEND,    /* A message of the program, of `mode`. */
  VERSO_MPI_ISEND,   /* The same, begun: what has this `id`. */
  VERSO_MPI_RECEIVE, /* `message` of the program. */
  VERSO_MPI_TAKE,    /* What a receive that was begun has brought. */
  VERSO_MPI_GIVE_COMPANION,
  VERSO_MPI_TAKE_COMPANION,
  VERSO_MPI_NOTHING,
  VERSO_MPI_MAKE, /* A communicator, of processes `counts`. */
  VERSO_MPI_FREE,
  VERSO_MPI_BCAST,  /* From `peer` to those who receive something. */
  VERSO_MPI_REDUCE, /* The sum of what is sent to `peer`. */
  VERSO_MPI_ALLREDUCE,
  VERSO_MPI_GATHER, /* To `peer`, `counts` from each. */
  VERSO_MPI_SCATTER,
  VERSO_MPI_ALLGATHER,
  VERSO_MPI_REDUCE_SCATTER,
  VERSO_MPI_ALLTOALL, /* `counts` to each, then from each. */
  VERSO_MPI_SCAN,
  VERSO_MPI_EXSCAN
};

enum verso_mpi_mode {
  VERSO_MPI_STANDARD,
  VERSO_MPI_SYNCHRONOUS,
  VERSO_MPI_BUFFERED,
  VERSO_MPI_READY,
  VERSO_MPI_AGAIN /* A communicator that the program had made, or freed. */
};

typedef struct verso_mpi_transfer {
  size_t bytes;          /* Of this, and of `counts` behind it. */
  size_t sent, received; /* Numbers. */
  int kind, mode;
  int peer, tag;
  int backwards; /* From the receiver of a message to its sender; from the last
                    process to the first. */
  long long number;          /* Of a message. */
  long long *late;           /* Where it will be, if it is not known yet. */
  unsigned long long digest; /* Of the message's numbers, once it has run. */
  long long id;              /* Of what is begun and ended. */
  MPI_Comm comm;
  long long comm_id; /* verso_mpi_comm_of says where it is now. */
  MPI_Message message;
  MPI_Status status;
  struct verso_mpi_transfer *next; /* Of those that have ended. */
} verso_mpi_transfer;

static VERSO_MPI_UNUSED int *verso_mpi_counts(const verso_mpi_transfer *t) {
  return (int *)(t + 1);
}

static VERSO_MPI_UNUSED int verso_mpi_num_counts(const verso_mpi_transfer *t) {
  return (int)((t->bytes - sizeof *t) / sizeof(int));
}

static VERSO_MPI_UNUSED MPI_Comm
verso_mpi_comm_now(const verso_mpi_transfer *t) {
  return verso_mpi_comm_of(t->comm, t->comm_id);
}

/*===- What is under way --------------------------------------------------===*/

/* Something that has begun: buffers of ours, and what it waits for. The
   program's handle is `request`. */
typedef struct verso_mpi_begun {
  verso_mpi_node node; /* By `request`, once the program has it. */
  int is_given;
  long long id; /* 0: a copy that leaves. */
  void *sent, *received;
  MPI_Request request;
  int is_persistent;
  int is_shared; /* MPI may give one handle to all that is complete at once; */
  int times;     /* so often the program has it. */
  MPI_Datatype type;                     /* Of the numbers. */
  const struct verso_mpi_layout *layout; /* Where the program wants them. */
  size_t most;                           /* Of these, in a message. */
  long long *number;                     /* Of a receive, or null. */
  verso_mpi_transfer *end; /* What brings what a receive has, or null. */
  struct verso_mpi_begun *next;
} verso_mpi_begun;

/* One of each in a program. */
VERSO_MPI_SHARED int verso_mpi_key_of_self = MPI_KEYVAL_INVALID;
/* Copies that leave, in the order in which they were sent. */
VERSO_MPI_SHARED verso_mpi_begun *verso_mpi_leaving = 0;
VERSO_MPI_SHARED verso_mpi_begun *verso_mpi_last_leaving = 0;
/* By id, with so much room; and ids that are free, of which none is 0. */
VERSO_MPI_SHARED verso_mpi_begun **verso_mpi_all_begun = 0;
VERSO_MPI_SHARED long long *verso_mpi_free_ids = 0;
VERSO_MPI_SHARED long long verso_mpi_room = 0;
VERSO_MPI_SHARED long long verso_mpi_num_free = 0;
VERSO_MPI_SHARED verso_mpi_table verso_mpi_given = {0, 0, 0};
/* Receives that are complete: the program has not got their numbers yet.
   Doubles, then floats. */
VERSO_MPI_SHARED verso_mpi_transfer *verso_mpi_ended[2] = {0, 0};
VERSO_MPI_SHARED verso_mpi_transfer *verso_mpi_last_ended[2] = {0, 0};

/*===- Numbers of messages ------------------------------------------------===*/

static VERSO_MPI_UNUSED int
verso_mpi_may_match(const verso_mpi_unnumbered *one,
                    const verso_mpi_unnumbered *other) {
  return (one->peer == other->peer || one->peer == MPI_ANY_SOURCE ||
          other->peer == MPI_ANY_SOURCE) &&
         (one->tag == other->tag || one->tag == MPI_ANY_TAG ||
          other->tag == MPI_ANY_TAG);
}

/* Messages of a process are matched in the order in which receives are posted.
   So a receive has its number when it is known where its message came from, and
   no earlier one may get a message of the same kind and has none yet. */
static VERSO_MPI_UNUSED void verso_mpi_number(verso_mpi_state *state) {
  verso_mpi_unnumbered **at = &state->unnumbered, *before, *own;
  while ((own = *at)) {
    int is_known = own->is_complete ||
                   (own->peer != MPI_ANY_SOURCE && own->tag != MPI_ANY_TAG);
    for (before = state->unnumbered; is_known && before != own;
         before = before->next)
      is_known = !verso_mpi_may_match(before, own);
    if (!is_known) {
      at = &own->next;
      continue;
    }
    *own->number = ++verso_mpi_stream_of(state, own->peer, own->tag)->received;
    *at = own->next;
    free(own);
    at = &state->unnumbered;
  }
}

/* A receive is posted, and its number will be in *number. */
static VERSO_MPI_UNUSED verso_mpi_unnumbered *
verso_mpi_post(verso_mpi_state *state, int peer, int tag, long long *number) {
  verso_mpi_unnumbered *own = (verso_mpi_unnumbered *)verso_mpi_take_memory(
                           sizeof *own),
                       **end = &state->unnumbered;
  while (*end)
    end = &(*end)->next;
  own->peer = peer;
  own->tag = tag;
  own->is_complete = 0;
  own->number = number;
  own->next = 0;
  *number = 0;
  *end = own;
  verso_mpi_number(state);
  return own;
}

/* Of one that has no number yet it is known where the message came from. */
static VERSO_MPI_UNUSED void verso_mpi_arrived(verso_mpi_state *state,
                                               const long long *number,
                                               int peer, int tag) {
  verso_mpi_unnumbered *own;
  for (own = state->unnumbered; own; own = own->next)
    if (own->number == number) {
      own->peer = peer;
      own->tag = tag;
      own->is_complete = 1;
    }
  verso_mpi_number(state);
}

static VERSO_MPI_UNUSED long long
verso_mpi_number_of(const verso_mpi_transfer *t) {
  long long number = t->late ? *t->late : t->number;
  if (!number)
    verso_mpi_fail(
        "MPI_Irecv",
        "several receives from any process, or of any tag, are under "
        "way, and nobody knows yet which message of its sender this "
        "one has brought; name the source and the tag");
  return number;
}

/*===- Companions ---------------------------------------------------------===*/

/* Above the tags that the program may have. */
static VERSO_MPI_UNUSED int verso_mpi_first_tag(void) {
  static int first = 0;
  void *bound;
  int found;
  if (!first) {
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    first = found ? *(int *)bound / 2 + 1 : 16384;
  }
  return first;
}

static VERSO_MPI_UNUSED void verso_mpi_check_tag(const char *function,
                                                 int tag) {
  if (tag >= verso_mpi_first_tag())
    verso_mpi_fail(function,
                   "in differentiated functions tags are less than half "
                   "of MPI_TAG_UB");
}

/* Those that have left are forgotten: what is behind one that has not, later.
 */
static VERSO_MPI_UNUSED void verso_mpi_let_leave(int wait) {
  verso_mpi_begun *own;
  while ((own = verso_mpi_leaving)) {
    int done = 1;
    if (wait)
      PMPI_Wait(&own->request, MPI_STATUS_IGNORE);
    else
      PMPI_Test(&own->request, &done, MPI_STATUS_IGNORE);
    if (!done)
      return;
    verso_mpi_leaving = own->next;
    free(own->sent);
    free(own);
  }
}

static VERSO_MPI_UNUSED void verso_mpi_add_leaving(verso_mpi_begun *own) {
  own->next = 0;
  if (verso_mpi_leaving)
    verso_mpi_last_leaving->next = own;
  else
    verso_mpi_leaving = own;
  verso_mpi_last_leaving = own;
}

static VERSO_MPI_UNUSED int verso_mpi_at_end(MPI_Comm comm, int key,
                                             void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  verso_mpi_let_leave(1);
  return MPI_SUCCESS;
}

/* A copy that is on its way; all have arrived before MPI ends. */
static VERSO_MPI_UNUSED verso_mpi_begun *
verso_mpi_copy(const void *numbers, size_t before, size_t bytes) {
  verso_mpi_begun *own = (verso_mpi_begun *)verso_mpi_take_memory(sizeof *own);
  memset(own, 0, sizeof *own);
  own->request = MPI_REQUEST_NULL;
  own->sent = verso_mpi_take_memory(before + bytes);
  if (bytes)
    memcpy((char *)own->sent + before, numbers, bytes);
  if (verso_mpi_key_of_self == MPI_KEYVAL_INVALID) {
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, verso_mpi_at_end,
                            &verso_mpi_key_of_self, 0);
    PMPI_Comm_set_attr(MPI_COMM_SELF, verso_mpi_key_of_self, 0);
  }
  return own;
}

/* Numbers with other bits, or in another order, have another one, but by
   chance. */
static VERSO_MPI_UNUSED unsigned long long
verso_mpi_digest_of(const void *numbers, size_t bytes) {
  const unsigned long long factor = 0x9e3779b185ebca87ULL;
  unsigned long long lane[4] = {1, 2, 3, 4}, word[4], digest = bytes;
  const char *from = (const char *)numbers;
  int k;
  while (bytes) { /* Four at a time: a product takes long. */
    size_t here = sizeof word;
    if (bytes >= sizeof word) {
      memcpy(word, from, sizeof word);
    } else {
      here = bytes;
      memset(word, 0, sizeof word);
      memcpy(word, from, here);
    }
    for (k = 0; k != 4; ++k) {
      lane[k] ^= word[k];
      lane[k] = (lane[k] << 31 | lane[k] >> 33) * factor;
    }
    from += here;
    bytes -= here;
  }
  for (k = 0; k != 4; ++k) {
    digest = (digest ^ lane[k]) * factor;
    digest ^= digest >> 29;
  }
  return digest;
}

/* In front of the numbers of a companion: that of the message, negative if it
   goes from the receiver to the sender; and the message's digest. */
enum { VERSO_MPI_HEADER = 16 };

static VERSO_MPI_UNUSED void
verso_mpi_give_companion(const verso_mpi_transfer *t, const void *numbers,
                         MPI_Datatype type, size_t size) {
  verso_mpi_begun *own =
      verso_mpi_copy(numbers, VERSO_MPI_HEADER, t->sent * size);
  long long number = verso_mpi_number_of(t);
  if (t->backwards)
    number = -number;
  memcpy(own->sent, &number, sizeof number);
  memcpy((char *)own->sent + sizeof number, &t->digest, sizeof t->digest);
  verso_mpi_let_leave(0);
  verso_mpi_must(PMPI_Isend(own->sent, (int)(t->sent + VERSO_MPI_HEADER / size),
                            type, t->peer, verso_mpi_first_tag() + t->tag,
                            verso_mpi_comm_now(t), &own->request),
                 "MPI_Isend");
  verso_mpi_add_leaving(own);
}

/* A companion that comes before it is asked for is put aside. */
static VERSO_MPI_UNUSED void verso_mpi_put_aside(verso_mpi_state *state,
                                                 MPI_Message *message,
                                                 MPI_Status *status) {
  verso_mpi_early *own = (verso_mpi_early *)verso_mpi_take_memory(sizeof *own);
  int bytes;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  own->numbers = verso_mpi_take_memory((size_t)bytes);
  verso_mpi_must(
      PMPI_Mrecv(own->numbers, bytes, MPI_BYTE, message, MPI_STATUS_IGNORE),
      "MPI_Mrecv");
  memcpy(&own->number, own->numbers, sizeof own->number);
  memcpy(&own->digest, (char *)own->numbers + sizeof own->number,
         sizeof own->digest);
  own->peer = status->MPI_SOURCE;
  own->tag = status->MPI_TAG;
  own->bytes = (size_t)bytes - VERSO_MPI_HEADER;
  verso_mpi_add_early(state, own);
}

static VERSO_MPI_UNUSED void
verso_mpi_take_companion(const verso_mpi_transfer *t, void *numbers,
                         size_t size) {
  const MPI_Comm comm = verso_mpi_comm_now(t);
  verso_mpi_state *state = verso_mpi_state_of(comm);
  long long number = verso_mpi_number_of(t);
  int tag = verso_mpi_first_tag() + t->tag;
  verso_mpi_let_leave(0);
  if (t->backwards)
    number = -number;
  for (;;) {
    verso_mpi_early *own = verso_mpi_take_early(state, t->peer, tag, number);
    MPI_Message message;
    MPI_Status status;
    if (own) {
      if (own->bytes != t->received * size || own->digest != t->digest)
        verso_mpi_fail(
            "MPI_Send or MPI_Recv",
            "a tangent or an adjoint has come that is not of this message: "
            "sender and receiver have not counted the same messages. Both "
            "sides of a message have to be in differentiated functions, of "
            "the same request, or neither: constants are sent and received "
            "before the request, or by inactive functions that call PMPI_Send "
            "and PMPI_Recv");
      if (own->bytes)
        memcpy(numbers, (char *)own->numbers + VERSO_MPI_HEADER, own->bytes);
      free(own->numbers);
      free(own);
      return;
    }
    verso_mpi_must(PMPI_Mprobe(t->peer, tag, comm, &message, &status),
                   "MPI_Mprobe");
    verso_mpi_put_aside(state, &message, &status);
  }
}

/* The next message that the program may take. Companions that a receive of any
   tag would take are put aside. */
static VERSO_MPI_UNUSED void verso_mpi_next_message(int peer, int tag,
                                                    MPI_Comm comm,
                                                    MPI_Message *message,
                                                    MPI_Status *status) {
  for (;;) {
    verso_mpi_must(PMPI_Mprobe(peer, tag, comm, message, status), "MPI_Mprobe");
    if (tag != MPI_ANY_TAG || status->MPI_SOURCE == MPI_PROC_NULL ||
        status->MPI_TAG < verso_mpi_first_tag())
      return;
    verso_mpi_put_aside(verso_mpi_state_of(comm), message, status);
  }
}

/* Whether there is one of any tag. */
static VERSO_MPI_UNUSED void
verso_mpi_next_probed(int peer, MPI_Comm comm, int *flag, MPI_Status *status) {
  MPI_Status own;
  for (;;) {
    MPI_Message message;
    verso_mpi_must(PMPI_Iprobe(peer, MPI_ANY_TAG, comm, flag, &own),
                   "MPI_Iprobe");
    if (!*flag || own.MPI_SOURCE == MPI_PROC_NULL ||
        own.MPI_TAG < verso_mpi_first_tag())
      break;
    PMPI_Mprobe(own.MPI_SOURCE, own.MPI_TAG, comm, &message, &own);
    verso_mpi_put_aside(verso_mpi_state_of(comm), &message, &own);
  }
  if (*flag && status != MPI_STATUS_IGNORE)
    *status = own;
}

/*===- What has begun -----------------------------------------------------===*/

static VERSO_MPI_UNUSED verso_mpi_begun *verso_mpi_find_begun(long long id) {
  return id < verso_mpi_room ? verso_mpi_all_begun[id] : 0;
}

static VERSO_MPI_UNUSED void verso_mpi_take_more_ids(void) {
  const size_t old = (size_t)verso_mpi_room, room = 2 * old + 16;
  verso_mpi_begun **all =
      (verso_mpi_begun **)verso_mpi_take_memory(room * sizeof *all);
  size_t k;
  memset(all, 0, room * sizeof *all);
  if (old)
    memcpy(all, verso_mpi_all_begun, old * sizeof *all);
  free(verso_mpi_all_begun);
  free(verso_mpi_free_ids); /* There are none. */
  verso_mpi_all_begun = all;
  verso_mpi_free_ids =
      (long long *)verso_mpi_take_memory(room * sizeof *verso_mpi_free_ids);
  for (k = room; k-- > (old ? old : 1);) /* The least one is taken first. */
    verso_mpi_free_ids[verso_mpi_num_free++] = (long long)k;
  verso_mpi_room = (long long)room;
}

static VERSO_MPI_UNUSED void verso_mpi_add_begun(verso_mpi_begun *own) {
  if (!verso_mpi_num_free)
    verso_mpi_take_more_ids();
  own->id = verso_mpi_free_ids[--verso_mpi_num_free];
  verso_mpi_all_begun[own->id] = own;
}

/* The program has its request. */
static VERSO_MPI_UNUSED unsigned long long
verso_mpi_key_of_request(MPI_Request request) {
  unsigned long long key = 0;
  memcpy(&key, &request, sizeof request);
  return key;
}

static VERSO_MPI_UNUSED void verso_mpi_give(verso_mpi_begun *own) {
  own->is_given = 1;
  verso_mpi_table_add(&verso_mpi_given, verso_mpi_key_of_request(own->request),
                      &own->node);
}

static VERSO_MPI_UNUSED void verso_mpi_take_back(verso_mpi_begun *own) {
  if (own->is_given)
    verso_mpi_table_remove(&verso_mpi_given, &own->node);
  own->is_given = 0;
}

/* It is in no table any more. */
static VERSO_MPI_UNUSED void verso_mpi_forget_begun(verso_mpi_begun *own) {
  verso_mpi_take_back(own);
  verso_mpi_all_begun[own->id] = 0;
  verso_mpi_free_ids[verso_mpi_num_free++] = own->id;
}

static VERSO_MPI_UNUSED void verso_mpi_drop_begun(verso_mpi_begun *own) {
  verso_mpi_forget_begun(own);
  verso_mpi_leave_layout(own->layout);
  free(own->sent);
  free(own->received);
  free(own->end);
  free(own);
}

/*===- Collective ones ----------------------------------------------------===*/

static VERSO_MPI_UNUSED int *verso_mpi_displacements(const int *counts, int n) {
  int k, *all = (int *)verso_mpi_take_memory((size_t)n * sizeof *all);
  for (k = 0; k != n; ++k)
    all[k] = k ? all[k - 1] + counts[k - 1] : 0;
  return all;
}

static VERSO_MPI_UNUSED void
verso_mpi_collective(const verso_mpi_transfer *t, const void *sent,
                     void *received, MPI_Datatype type, size_t size) {
  const size_t most = t->sent > t->received ? t->sent : t->received;
  int rank, n, error = MPI_SUCCESS, *counts = verso_mpi_counts(t), *at = 0,
               *to = 0;
  MPI_Comm comm = verso_mpi_comm_now(t);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &n);
  switch (t->kind) {
  case VERSO_MPI_BCAST:
    if (rank != t->peer)
      error = PMPI_Bcast(received, (int)most, type, t->peer, comm);
    else
      error = PMPI_Bcast((void *)sent, (int)most, type, t->peer, comm);
    if (rank == t->peer && t->received)
      memcpy(received, sent, most * size);
    break;
  case VERSO_MPI_REDUCE:
    if (rank == t->peer) {
      if (t->sent)
        memcpy(received, sent, most * size);
      else
        memset(received, 0, most * size);
      error = PMPI_Reduce(MPI_IN_PLACE, received, (int)most, type, MPI_SUM,
                          t->peer, comm);
    } else {
      error = PMPI_Reduce(sent, 0, (int)most, type, MPI_SUM, t->peer, comm);
    }
    break;
  case VERSO_MPI_ALLREDUCE:
    error = PMPI_Allreduce(sent, received, (int)most, type, MPI_SUM, comm);
    break;
  case VERSO_MPI_GATHER:
    at = rank == t->peer ? verso_mpi_displacements(counts, n) : 0;
    error = PMPI_Gatherv(sent, (int)t->sent, type, received, counts, at, type,
                         t->peer, comm);
    break;
  case VERSO_MPI_SCATTER:
    at = rank == t->peer ? verso_mpi_displacements(counts, n) : 0;
    error = PMPI_Scatterv(sent, counts, at, type, received, (int)t->received,
                          type, t->peer, comm);
    break;
  case VERSO_MPI_ALLGATHER:
    at = verso_mpi_displacements(counts, n);
    error = PMPI_Allgatherv(sent, (int)t->sent, type, received, counts, at,
                            type, comm);
    break;
  case VERSO_MPI_REDUCE_SCATTER:
    error = PMPI_Reduce_scatter(sent, received, counts, type, MPI_SUM, comm);
    break;
  case VERSO_MPI_ALLTOALL:
    at = verso_mpi_displacements(counts, n);
    to = verso_mpi_displacements(counts + n, n);
    error = PMPI_Alltoallv(sent, counts, at, type, received, counts + n, to,
                           type, comm);
    break;
  case VERSO_MPI_SCAN:
    if (t->backwards)
      comm = verso_mpi_reversed(comm);
    error = PMPI_Scan(sent, received, (int)most, type, MPI_SUM, comm);
    break;
  case VERSO_MPI_EXSCAN:
    if (t->backwards)
      comm = verso_mpi_reversed(comm);
    error = PMPI_Exscan(sent, received, (int)most, type, MPI_SUM, comm);
    break;
  }
  verso_mpi_must(error, "a collective function of MPI");
  free(at);
  free(to);
}

/*===- All ----------------------------------------------------------------===*/

static VERSO_MPI_UNUSED void verso_mpi_send(const verso_mpi_transfer *t,
                                            const void *sent,
                                            MPI_Datatype type) {
  int n = (int)t->sent, error;
  switch (t->mode) {
  case VERSO_MPI_SYNCHRONOUS:
    error = PMPI_Ssend(sent, n, type, t->peer, t->tag, t->comm);
    break;
  case VERSO_MPI_BUFFERED:
    error = PMPI_Bsend(sent, n, type, t->peer, t->tag, t->comm);
    break;
  case VERSO_MPI_READY:
    error = PMPI_Rsend(sent, n, type, t->peer, t->tag, t->comm);
    break;
  default:
    error = PMPI_Send(sent, n, type, t->peer, t->tag, t->comm);
  }
  verso_mpi_must(error, "MPI_Send");
}

/* Only on copies of what differentiated code has (VERSO_CUSTOM_VJP), so it need
   not be looked into. */
VERSO_MPI_INACTIVE void verso_mpi_do(verso_mpi_transfer *t, const void *sent,
                                     void *received, MPI_Datatype type,
                                     size_t size) {
  verso_mpi_begun *own;
  MPI_Message message = t->message;
  switch (t->kind) {
  case VERSO_MPI_SEND:
    t->digest = verso_mpi_digest_of(sent, t->sent * size);
    verso_mpi_send(t, sent, type);
    return;
  case VERSO_MPI_RECEIVE:
    verso_mpi_must(PMPI_Mrecv(received, (int)t->received, type, &message,
                              MPI_STATUS_IGNORE),
                   "MPI_Recv");
    t->digest = verso_mpi_digest_of(received, t->received * size);
    return;
  case VERSO_MPI_ISEND: /* What is sent is copied to what has begun. */
    t->digest = verso_mpi_digest_of(sent, t->sent * size);
    own = verso_mpi_find_begun(t->id);
    if (t->sent)
      memcpy(own->sent, sent, t->sent * size);
    if (own->is_persistent)
      verso_mpi_must(PMPI_Start(&own->request), "MPI_Start");
    else if (t->mode == VERSO_MPI_SYNCHRONOUS)
      verso_mpi_must(PMPI_Issend(own->sent, (int)t->sent, type, t->peer, t->tag,
                                 t->comm, &own->request),
                     "MPI_Issend");
    else
      verso_mpi_must(PMPI_Isend(own->sent, (int)t->sent, type, t->peer, t->tag,
                                t->comm, &own->request),
                     "MPI_Isend");
    return;
  case VERSO_MPI_TAKE:
    own = verso_mpi_find_begun(t->id);
    if (t->received)
      memcpy(received, own->received, t->received * size);
    t->digest = verso_mpi_digest_of(received, t->received * size);
    return;
  case VERSO_MPI_GIVE_COMPANION:
    verso_mpi_give_companion(t, sent, type, size);
    return;
  case VERSO_MPI_TAKE_COMPANION:
    verso_mpi_take_companion(t, received, size);
    return;
  case VERSO_MPI_NOTHING:
    return;
  case VERSO_MPI_MAKE:
    if (t->mode == VERSO_MPI_AGAIN)
      verso_mpi_make_again(t->comm_id, verso_mpi_num_counts(t),
                           verso_mpi_counts(t));
    return;
  case VERSO_MPI_FREE:
    if (t->mode == VERSO_MPI_AGAIN)
      verso_mpi_free_again(t->comm_id);
    else
      verso_mpi_free_first(t->comm);
    return;
  }
  verso_mpi_collective(t, sent, received, type, size);
}

/*===- Derivatives --------------------------------------------------------===*/

static VERSO_MPI_UNUSED verso_mpi_transfer *
verso_mpi_like(const verso_mpi_transfer *t) {
  verso_mpi_transfer *own =
      (verso_mpi_transfer *)verso_mpi_take_memory(t->bytes);
  memcpy(own, t, t->bytes);
  return own;
}

/* The transfer of tangents. */
VERSO_MPI_INACTIVE verso_mpi_transfer *
verso_mpi_tangent(const verso_mpi_transfer *t) {
  verso_mpi_transfer *own = verso_mpi_like(t);
  switch (t->kind) {
  case VERSO_MPI_SEND:
  case VERSO_MPI_ISEND:
    own->kind = VERSO_MPI_GIVE_COMPANION;
    break;
  case VERSO_MPI_RECEIVE:
  case VERSO_MPI_TAKE:
    own->kind = VERSO_MPI_TAKE_COMPANION;
    break;
  case VERSO_MPI_MAKE:
  case VERSO_MPI_FREE:
    own->kind = VERSO_MPI_NOTHING;
    break;
  }
  return own;
}

/* The transfer of adjoints. */
VERSO_MPI_INACTIVE verso_mpi_transfer *
verso_mpi_transposed(const verso_mpi_transfer *t) {
  verso_mpi_transfer *own = verso_mpi_like(t);
  int n, k, *counts;
  own->sent = t->received;
  own->received = t->sent;
  switch (t->kind) {
  case VERSO_MPI_SEND:
  case VERSO_MPI_ISEND:
  case VERSO_MPI_GIVE_COMPANION:
    own->kind = VERSO_MPI_TAKE_COMPANION;
    own->backwards = !t->backwards;
    break;
  case VERSO_MPI_RECEIVE:
  case VERSO_MPI_TAKE:
  case VERSO_MPI_TAKE_COMPANION:
    own->kind = VERSO_MPI_GIVE_COMPANION;
    own->backwards = !t->backwards;
    break;
  case VERSO_MPI_MAKE:
    own->kind = VERSO_MPI_FREE;
    own->mode = VERSO_MPI_AGAIN;
    break;
  case VERSO_MPI_FREE:
    own->kind = VERSO_MPI_MAKE;
    own->mode = VERSO_MPI_AGAIN;
    break;
  case VERSO_MPI_BCAST:
    own->kind = VERSO_MPI_REDUCE;
    break;
  case VERSO_MPI_REDUCE:
    own->kind = VERSO_MPI_BCAST;
    break;
  case VERSO_MPI_GATHER:
    own->kind = VERSO_MPI_SCATTER;
    break;
  case VERSO_MPI_SCATTER:
    own->kind = VERSO_MPI_GATHER;
    break;
  case VERSO_MPI_ALLGATHER:
    own->kind = VERSO_MPI_REDUCE_SCATTER;
    break;
  case VERSO_MPI_REDUCE_SCATTER:
    own->kind = VERSO_MPI_ALLGATHER;
    break;
  case VERSO_MPI_ALLTOALL:
    n = verso_mpi_num_counts(t) / 2;
    counts = verso_mpi_counts(own);
    for (k = 0; k != n; ++k) {
      counts[k] = verso_mpi_counts(t)[n + k];
      counts[n + k] = verso_mpi_counts(t)[k];
    }
    break;
  case VERSO_MPI_SCAN:
  case VERSO_MPI_EXSCAN:
    own->backwards = !t->backwards;
    break;
  }
  return own;
}

VERSO_MPI_INACTIVE void verso_mpi_end(verso_mpi_transfer *t) { free(t); }

#endif /* VERSO_MPI_TRANSFER_H */
