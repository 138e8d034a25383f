/*===- communicators.h - what is known of communicators -----------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* A communicator that the program frees is freed. Where the reverse sweep comes
   back to that, all its processes come there, and make it again; where it comes
   back to where the program made it, they free it again. So each is the
   transpose of the other, in all orders of differentiation. Transfers say which
   one they mean by a number that no other has: another may have the same handle
   later. */

#ifndef VERSO_MPI_COMMUNICATORS_H
#define VERSO_MPI_COMMUNICATORS_H

/*===- What is known of a communicator ------------------------------------===*/

/* Messages with one peer and tag, so far. */
typedef struct verso_mpi_stream {
  verso_mpi_node node;
  long long sent, received;
} verso_mpi_stream;

/* A receive whose message has no number yet. */
typedef struct verso_mpi_unnumbered {
  int peer, tag; /* Or any. */
  int is_complete;
  long long *number;
  struct verso_mpi_unnumbered *next;
} verso_mpi_unnumbered;

/* A companion that came before it was asked for. */
typedef struct verso_mpi_early {
  verso_mpi_node node;
  int peer, tag;
  long long number;
  unsigned long long digest;
  size_t bytes;
  void *numbers;
} verso_mpi_early;

typedef struct verso_mpi_state {
  long long id;                     /* Of the communicator; no other has it. */
  verso_mpi_table streams;          /* Of verso_mpi_stream; */
  verso_mpi_table early;            /* of verso_mpi_early. */
  verso_mpi_unnumbered *unnumbered; /* In the order of their posting. */
  size_t num_underway; /* Receives that were begun and are not complete. */
  MPI_Comm reversed;   /* The same processes from the last to the first. */
} verso_mpi_state;

/* One that the program has freed and the reverse sweep needs. */
typedef struct verso_mpi_remade {
  long long id;
  MPI_Comm comm;
  struct verso_mpi_remade *next;
} verso_mpi_remade;

VERSO_MPI_SHARED int verso_mpi_key_of_comm = MPI_KEYVAL_INVALID;
VERSO_MPI_SHARED long long verso_mpi_last_comm = 0;
VERSO_MPI_SHARED verso_mpi_remade *verso_mpi_all_remade = 0;

static VERSO_MPI_UNUSED int verso_mpi_drop_state(MPI_Comm comm, int key,
                                                 void *value, void *extra) {
  verso_mpi_state *state = (verso_mpi_state *)value;
  verso_mpi_node *node;
  (void)comm, (void)key, (void)extra;
  while ((node = verso_mpi_table_take(&state->early))) {
    free(((verso_mpi_early *)node)->numbers);
    free(node);
  }
  while ((node = verso_mpi_table_take(&state->streams)))
    free(node);
  if (state->reversed != MPI_COMM_NULL)
    PMPI_Comm_free(&state->reversed);
  free(state);
  return MPI_SUCCESS;
}

static VERSO_MPI_UNUSED verso_mpi_state *verso_mpi_state_of(MPI_Comm comm) {
  void *value;
  int found;
  verso_mpi_state *state;
  if (verso_mpi_key_of_comm == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, verso_mpi_drop_state,
                            &verso_mpi_key_of_comm, 0);
  PMPI_Comm_get_attr(comm, verso_mpi_key_of_comm, &value, &found);
  if (found)
    return (verso_mpi_state *)value;
  state = (verso_mpi_state *)verso_mpi_take_memory(sizeof *state);
  memset(state, 0, sizeof *state);
  state->id = ++verso_mpi_last_comm;
  state->reversed = MPI_COMM_NULL;
  PMPI_Comm_set_attr(comm, verso_mpi_key_of_comm, state);
  return state;
}

static VERSO_MPI_UNUSED MPI_Comm verso_mpi_reversed(MPI_Comm comm) {
  verso_mpi_state *state = verso_mpi_state_of(comm);
  int rank;
  if (state->reversed == MPI_COMM_NULL) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_split(comm, 0, -rank, &state->reversed);
  }
  return state->reversed;
}

static VERSO_MPI_UNUSED unsigned long long verso_mpi_key_of(int peer, int tag) {
  return (unsigned long long)(unsigned)peer << 32 | (unsigned)tag;
}

static VERSO_MPI_UNUSED verso_mpi_stream *
verso_mpi_stream_of(verso_mpi_state *state, int peer, int tag) {
  const unsigned long long key = verso_mpi_key_of(peer, tag);
  verso_mpi_stream *own =
      (verso_mpi_stream *)verso_mpi_table_find(&state->streams, key);
  if (own)
    return own;
  own = (verso_mpi_stream *)verso_mpi_take_memory(sizeof *own);
  own->sent = own->received = 0;
  verso_mpi_table_add(&state->streams, key, &own->node);
  return own;
}

static VERSO_MPI_UNUSED unsigned long long
verso_mpi_key_of_early(int peer, int tag, long long number) {
  return verso_mpi_key_of(peer, tag) ^
         (unsigned long long)number * 0xc2b2ae3d27d4eb4fULL;
}

/* The one that came first. */
static VERSO_MPI_UNUSED verso_mpi_early *
verso_mpi_take_early(verso_mpi_state *state, int peer, int tag,
                     long long number) {
  verso_mpi_node *node = verso_mpi_table_find(
      &state->early, verso_mpi_key_of_early(peer, tag, number));
  verso_mpi_early *first = 0;
  for (; node; node = verso_mpi_older(node)) {
    verso_mpi_early *own = (verso_mpi_early *)node;
    if (own->peer == peer && own->tag == tag && own->number == number)
      first = own;
  }
  if (first)
    verso_mpi_table_remove(&state->early, &first->node);
  return first;
}

static VERSO_MPI_UNUSED void verso_mpi_add_early(verso_mpi_state *state,
                                                 verso_mpi_early *own) {
  verso_mpi_table_add(&state->early,
                      verso_mpi_key_of_early(own->peer, own->tag, own->number),
                      &own->node);
}

/*===- Freed and made again -----------------------------------------------===*/

/* The one that had this handle, and this number, when a transfer was described.
 */
static VERSO_MPI_UNUSED MPI_Comm verso_mpi_comm_of(MPI_Comm comm,
                                                   long long id) {
  const verso_mpi_remade *own = verso_mpi_all_remade;
  for (; own; own = own->next)
    if (own->id == id)
      return own->comm;
  if (verso_mpi_state_of(comm)->id != id)
    verso_mpi_fail("MPI_Comm_free",
                   "a communicator was freed in a function that is not "
                   "differentiated, and its derivatives are not computed yet");
  return comm;
}

/* The ranks of its processes among all: as many as it has. 0: it is none that
   these processes can make again by themselves. */
static VERSO_MPI_UNUSED int verso_mpi_find_processes(MPI_Comm comm,
                                                     int *processes) {
  MPI_Group own, world;
  int is_inter, k, n, *ranks;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter)
    return 0;
  PMPI_Comm_group(comm, &own);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(own, &n);
  ranks = (int *)verso_mpi_take_memory((size_t)n * sizeof *ranks);
  for (k = 0; k != n; ++k)
    ranks[k] = k;
  PMPI_Group_translate_ranks(own, n, ranks, world, processes);
  free(ranks);
  PMPI_Group_free(&own);
  PMPI_Group_free(&world);
  for (k = 0; k != n && processes[k] != MPI_UNDEFINED;)
    ++k;
  return k == n;
}

static VERSO_MPI_UNUSED void verso_mpi_make_again(long long id, int n,
                                                  const int *processes) {
  verso_mpi_remade *own =
      (verso_mpi_remade *)verso_mpi_take_memory(sizeof *own);
  MPI_Group group, world;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_incl(world, n, processes, &group);
  verso_mpi_must(PMPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &own->comm),
                 "MPI_Comm_create_group");
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  own->id = id;
  own->next = verso_mpi_all_remade;
  verso_mpi_all_remade = own;
}

/* What the program never freed stays. */
static VERSO_MPI_UNUSED void verso_mpi_free_again(long long id) {
  verso_mpi_remade **at = &verso_mpi_all_remade, *own;
  while ((own = *at) && own->id != id)
    at = &own->next;
  if (!own)
    return;
  *at = own->next;
  verso_mpi_must(PMPI_Comm_free(&own->comm), "MPI_Comm_free");
  free(own);
}

static VERSO_MPI_UNUSED void verso_mpi_free_first(MPI_Comm comm) {
  if (verso_mpi_state_of(comm)->num_underway)
    verso_mpi_fail("MPI_Comm_free",
                   "a communicator is freed while MPI_Irecv waits for messages "
                   "of it; wait for them first");
  verso_mpi_must(PMPI_Comm_free(&comm), "MPI_Comm_free");
}

#endif /* VERSO_MPI_COMMUNICATORS_H */
