/*===- begun.h - communication while the program goes on ----------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* MPI works on memory of ours: what is sent is copied where the function that
   begins is called, what has arrived where the program learns that it has. So
   the program's memory is read and written by who seems to. Where it wants what
   it receives is in a row of the program's memory, so that pointers keep their
   shadows. Adjoints leave where the program had learned that something arrived,
   and are waited for where it was sent. */

#ifndef VERSO_MPI_BEGUN_H
#define VERSO_MPI_BEGUN_H

VERSO_MPI_INACTIVE __attribute__((noreturn)) void
verso_mpi_unknown_request(void) {
  verso_mpi_fail("MPI_Wait or MPI_Start",
                 "a request was made outside of the differentiated function "
                 "that waits for it, or starts it; begin and end communication "
                 "within one");
}

/* Room for so many bytes. */
static VERSO_MPI_UNUSED verso_mpi_begun *
verso_mpi_begin(size_t sent, size_t received, MPI_Datatype type, size_t most) {
  verso_mpi_begun *own = verso_mpi_copy(0, sent, 0);
  if (received)
    own->received = verso_mpi_take_memory(received);
  own->type = type;
  own->most = most;
  verso_mpi_add_begun(own);
  return own;
}

static VERSO_MPI_UNUSED size_t verso_mpi_size_of(MPI_Datatype number) {
  return number == MPI_DOUBLE ? sizeof(double) : sizeof(float);
}

VERSO_MPI_INACTIVE long long verso_mpi_begin_sent(size_t n,
                                                  MPI_Datatype number) {
  return verso_mpi_begin(n * verso_mpi_size_of(number), 0, number, n)->id;
}

/* What the program's handle is of, or null. */
static VERSO_MPI_UNUSED verso_mpi_begun *verso_mpi_of_request(MPI_Request r) {
  verso_mpi_node *node =
      verso_mpi_table_find(&verso_mpi_given, verso_mpi_key_of_request(r));
  while (node && ((verso_mpi_begun *)node)->is_shared &&
         !((verso_mpi_begun *)node)->times)
    node = verso_mpi_older(node);
  return (verso_mpi_begun *)node;
}

/* The program still waits for it, as MPI_Waitany says of each once that it is
   complete; but MPI has all that it needs. */
static VERSO_MPI_UNUSED int verso_mpi_is_complete(MPI_Request request) {
  int is_complete = 0;
  PMPI_Request_get_status(request, &is_complete, MPI_STATUS_IGNORE);
  return is_complete;
}

static VERSO_MPI_UNUSED void verso_mpi_add_complete(MPI_Request request) {
  verso_mpi_node *node =
      verso_mpi_table_find(&verso_mpi_given, verso_mpi_key_of_request(request));
  verso_mpi_begun *own;
  while (node && !((verso_mpi_begun *)node)->is_shared)
    node = verso_mpi_older(node);
  own = (verso_mpi_begun *)node;
  if (own) {
    verso_mpi_take_back(own);
  } else {
    own = verso_mpi_begin(0, 0, MPI_DATATYPE_NULL, 0);
    own->request = request;
    own->is_shared = 1;
  }
  ++own->times;
  verso_mpi_give(own); /* Before what had the handle meanwhile. */
}

VERSO_MPI_INACTIVE void verso_mpi_give_request(long long id,
                                               MPI_Request *request) {
  verso_mpi_begun *own = verso_mpi_find_begun(id);
  *request = own->request;
  if (own->is_persistent || own->end || !verso_mpi_is_complete(*request)) {
    verso_mpi_give(own);
    return;
  }
  verso_mpi_drop_begun(own);
  verso_mpi_add_complete(*request);
}

/* It is known where its message comes from when it has come. */
static VERSO_MPI_UNUSED verso_mpi_transfer *
verso_mpi_post_begun(verso_mpi_begun *own, int from, int tag, MPI_Comm comm) {
  own->end = verso_mpi_new(VERSO_MPI_TAKE, 0, 0, from, comm, 0);
  own->end->id = own->id;
  own->end->tag = tag;
  own->number = (long long *)verso_mpi_take_memory(sizeof *own->number);
  verso_mpi_post(verso_mpi_state_of(comm), from, tag, own->number);
  ++verso_mpi_state_of(comm)->num_underway;
  return own->end;
}

VERSO_MPI_INACTIVE long long
verso_mpi_begin_receive(size_t n, MPI_Datatype number,
                        const verso_mpi_layout *layout, int from, int tag,
                        MPI_Comm comm, int is_persistent) {
  verso_mpi_begun *own =
      verso_mpi_begin(0, n * verso_mpi_size_of(number) + 1, number, n);
  own->layout = verso_mpi_hold_layout(layout);
  if (tag != MPI_ANY_TAG)
    verso_mpi_check_tag("MPI_Irecv", tag);
  own->is_persistent = is_persistent;
  if (is_persistent) {
    own->end = verso_mpi_new(VERSO_MPI_TAKE, 0, 0, from, comm, 0);
    own->end->id = own->id;
    own->end->tag = tag;
    verso_mpi_must(PMPI_Recv_init(own->received, (int)n, number, from, tag,
                                  comm, &own->request),
                   "MPI_Recv_init");
    return own->id;
  }
  verso_mpi_post_begun(own, from, tag, comm);
  verso_mpi_must(
      PMPI_Irecv(own->received, (int)n, number, from, tag, comm, &own->request),
      "MPI_Irecv");
  return own->id;
}

/* A request of what has no numbers. */
static VERSO_MPI_UNUSED int verso_mpi_note(int error, MPI_Request *request,
                                           int is_persistent, int is_sent) {
  if (is_sent && !is_persistent && verso_mpi_is_complete(*request)) {
    verso_mpi_add_complete(*request);
  } else {
    verso_mpi_begun *own = verso_mpi_begin(0, 0, MPI_DATATYPE_NULL, 0);
    own->request = *request;
    own->is_persistent = is_persistent;
    verso_mpi_give(own);
  }
  return error;
}

/*===- What is complete ---------------------------------------------------===*/

static VERSO_MPI_UNUSED int verso_mpi_queue_of(MPI_Datatype number) {
  return number != MPI_DOUBLE;
}

static VERSO_MPI_UNUSED void verso_mpi_add_ended(verso_mpi_transfer *t,
                                                 MPI_Datatype number) {
  const int k = verso_mpi_queue_of(number);
  t->next = 0;
  if (verso_mpi_ended[k])
    verso_mpi_last_ended[k]->next = t;
  else
    verso_mpi_ended[k] = t;
  verso_mpi_last_ended[k] = t;
}

static VERSO_MPI_UNUSED void verso_mpi_complete(verso_mpi_begun *own,
                                                MPI_Status *status) {
  verso_mpi_transfer *t;
  if (own->is_shared) {
    own->times -= own->times != 0;
    return;
  }
  if (!own->is_persistent)
    verso_mpi_take_back(own);
  if (!own->end) {
    if (!own->is_persistent)
      verso_mpi_drop_begun(own);
    return;
  }
  if (!own->number) /* One that was not started: it has brought nothing. */
    return;
  t = verso_mpi_like(own->end);
  --verso_mpi_state_of(t->comm)->num_underway;
  if (status->MPI_SOURCE != MPI_PROC_NULL) {
    if (status->MPI_TAG >= verso_mpi_first_tag())
      verso_mpi_fail("MPI_Irecv",
                     "a receive of any tag (MPI_ANY_TAG) that was "
                     "begun has taken a tangent or an adjoint; name "
                     "the tag, or receive by MPI_Recv");
    t->peer = status->MPI_SOURCE;
    t->tag = status->MPI_TAG;
    t->received = verso_mpi_length(status, own->type, own->most);
    verso_mpi_arrived(verso_mpi_state_of(t->comm), own->number, t->peer,
                      t->tag);
    if (*own->number) {
      t->number = *own->number;
      free(own->number);
    } else {
      t->late = own->number;
    }
    own->number = 0;
  }
  verso_mpi_add_ended(t, own->type);
}

/* The next one whose numbers, of this type, the program has not got; or null.
 */
VERSO_MPI_INACTIVE verso_mpi_transfer *
verso_mpi_next_ended(MPI_Datatype number) {
  const int k = verso_mpi_queue_of(number);
  verso_mpi_transfer *t = verso_mpi_ended[k];
  if (t)
    verso_mpi_ended[k] = t->next;
  return t;
}

VERSO_MPI_INACTIVE void verso_mpi_none_ended(MPI_Datatype number) {
  if (verso_mpi_ended[verso_mpi_queue_of(number)])
    verso_mpi_unknown_request();
}

/* Its numbers are where they belong. Returns whether it may begin again. */
VERSO_MPI_INACTIVE int verso_mpi_forget_ended(verso_mpi_transfer *t) {
  verso_mpi_begun *own = verso_mpi_find_begun(t->id);
  const int is_persistent = own && own->is_persistent;
  if (own && !is_persistent) {
    verso_mpi_drop_begun(own);
  }
  free(t);
  return is_persistent;
}

enum verso_mpi_ending {
  VERSO_MPI_WAIT_ALL,
  VERSO_MPI_WAIT_ANY,
  VERSO_MPI_WAIT_SOME,
  VERSO_MPI_TEST_ALL,
  VERSO_MPI_TEST_ANY,
  VERSO_MPI_TEST_SOME
};

/* MPI_Waitall and the like. `flag` is MPI's, or how many are complete; `which`,
   MPI's indices. */
VERSO_MPI_INACTIVE int verso_mpi_finish(int how, int n, MPI_Request *requests,
                                        int *flag, int *which,
                                        MPI_Status *statuses, int ignore) {
  verso_mpi_begun **known =
      (verso_mpi_begun **)verso_mpi_take_memory((size_t)n * sizeof *known);
  MPI_Status *own =
      (MPI_Status *)verso_mpi_take_memory((size_t)(n + 1) * sizeof *own);
  int k, error = MPI_SUCCESS, done = 0, index = MPI_UNDEFINED, is_done = 1;
  for (k = 0; k != n; ++k) {
    known[k] = verso_mpi_of_request(requests[k]);
    if (!known[k] && requests[k] != MPI_REQUEST_NULL)
      verso_mpi_unknown_request();
  }
  switch (how) {
  case VERSO_MPI_WAIT_ALL:
    error = PMPI_Waitall(n, requests, own);
    done = n;
    break;
  case VERSO_MPI_TEST_ALL:
    error = PMPI_Testall(n, requests, &is_done, own);
    done = is_done ? n : 0;
    *flag = is_done;
    break;
  case VERSO_MPI_WAIT_ANY:
    error = PMPI_Waitany(n, requests, &index, own);
    *which = index;
    break;
  case VERSO_MPI_TEST_ANY:
    error = PMPI_Testany(n, requests, &index, &is_done, own);
    *flag = is_done;
    *which = index;
    break;
  case VERSO_MPI_WAIT_SOME:
    error = PMPI_Waitsome(n, requests, &done, which, own);
    *flag = done;
    break;
  case VERSO_MPI_TEST_SOME:
    error = PMPI_Testsome(n, requests, &done, which, own);
    *flag = done;
    break;
  }
  verso_mpi_must(error, "MPI_Wait");
  if (how == VERSO_MPI_WAIT_ANY || how == VERSO_MPI_TEST_ANY) {
    if (index != MPI_UNDEFINED && known[index])
      verso_mpi_complete(known[index], &own[0]);
    done = is_done;
  } else if (done != MPI_UNDEFINED) {
    const int is_some =
        how == VERSO_MPI_WAIT_SOME || how == VERSO_MPI_TEST_SOME;
    for (k = 0; k != done; ++k)
      if (known[is_some ? which[k] : k])
        verso_mpi_complete(known[is_some ? which[k] : k], &own[k]);
  }
  if (!ignore && done != MPI_UNDEFINED)
    for (k = 0; k < done; ++k)
      statuses[k] = own[k];
  free(known);
  free(own);
  return MPI_SUCCESS;
}

/*===- What begins again and again ----------------------------------------===*/

VERSO_MPI_INACTIVE long long
verso_mpi_begin_sends(size_t n, MPI_Datatype number,
                      const verso_mpi_layout *layout, int to, int tag,
                      MPI_Comm comm, int mode) {
  verso_mpi_begun *own =
      verso_mpi_begin(n * verso_mpi_size_of(number), 0, number, n);
  own->layout = verso_mpi_hold_layout(layout);
  own->is_persistent = 1;
  if (mode == VERSO_MPI_SYNCHRONOUS)
    verso_mpi_must(PMPI_Ssend_init(own->sent, (int)n, number, to, tag, comm,
                                   &own->request),
                   "MPI_Ssend_init");
  else
    verso_mpi_must(
        PMPI_Send_init(own->sent, (int)n, number, to, tag, comm, &own->request),
        "MPI_Send_init");
  return own->id;
}

/* verso_mpi_numbers of what was begun. */
VERSO_MPI_INACTIVE int
verso_mpi_numbers_of_request(const MPI_Request *request) {
  verso_mpi_begun *own = verso_mpi_of_request(*request);
  return !own                             ? VERSO_MPI_NO_NUMBERS
         : own->type == MPI_DATATYPE_NULL ? VERSO_MPI_NO_NUMBERS
         : own->type == MPI_DOUBLE        ? VERSO_MPI_DOUBLES
                                          : VERSO_MPI_FLOATS;
}

/* Where its numbers belong; the type may be freed. */
VERSO_MPI_INACTIVE const verso_mpi_layout *
verso_mpi_layout_of_begun(long long id) {
  return verso_mpi_find_begun(id)->layout;
}

/* A receive starts here; of a send the program's memory is to be read. What is
   not in our list has no numbers. Returns the id of a send. */
VERSO_MPI_INACTIVE long long verso_mpi_start(MPI_Request *request) {
  verso_mpi_begun *own = verso_mpi_of_request(*request);
  if (!own)
    verso_mpi_unknown_request();
  if (!own->end && own->type != MPI_DATATYPE_NULL)
    return own->id;
  if (own->end) {
    verso_mpi_transfer *t = own->end;
    const int from = t->peer, tag = t->tag;
    MPI_Comm comm = t->comm;
    free(t);
    verso_mpi_post_begun(own, from, tag, comm);
  }
  verso_mpi_must(PMPI_Start(request), "MPI_Start");
  return 0;
}

/* Frees a request; what was sent arrives. What begins again and again is in the
   program's row, and has ended. */
VERSO_MPI_INACTIVE int verso_mpi_free_request(MPI_Request *request) {
  verso_mpi_begun *own = verso_mpi_of_request(*request);
  if (!own || own->is_shared) {
    if (own)
      --own->times;
    return PMPI_Request_free(request);
  }
  *request = MPI_REQUEST_NULL;
  if (own->is_persistent || own->type == MPI_DATATYPE_NULL)
    PMPI_Request_free(&own->request);
  if (own->type == MPI_DATATYPE_NULL) {
    verso_mpi_drop_begun(own);
  } else if (own->is_persistent) {
    verso_mpi_transfer *t =
        verso_mpi_new(VERSO_MPI_NOTHING, 0, 0, MPI_PROC_NULL, MPI_COMM_SELF, 0);
    t->id = own->id;
    own->is_persistent = 0;
    verso_mpi_take_back(own);
    verso_mpi_add_ended(t, own->type);
  } else if (own->end) {
    verso_mpi_fail("MPI_Request_free",
                   "a receive is freed before it is complete");
  } else {
    verso_mpi_forget_begun(own);
    verso_mpi_leave_layout(own->layout);
    verso_mpi_add_leaving(own);
  }
  return MPI_SUCCESS;
}

/*===- Where the program wants it -----------------------------------------===*/

/* A row of these for each type of numbers (numbers.h), in the program's memory:
   the place is the id. */
typedef struct verso_mpi_pending {
  long long id; /* 0: nothing. */
  void *buffer;
  int count, to, tag, mode; /* Of what begins again and again. */
  MPI_Comm comm;
} verso_mpi_pending;

typedef struct verso_mpi_pendings {
  verso_mpi_pending *at;
  long long room, used;
} verso_mpi_pendings;

#endif /* VERSO_MPI_BEGUN_H */
