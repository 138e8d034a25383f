/*===- functions.h - MPI's functions in differentiated code -------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Communicators and messages. What takes the place of each: of doubles and floats what numbers.h has, of
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

/* For what has no numbers: MPI_NAME(its arguments). */
#define VERSO_MPI_PLAIN(NAME, PARAMETERS, ARGUMENTS)                           \
  VERSO_MPI_INACTIVE int verso_mpi_plain_##NAME PARAMETERS {                   \
    return PMPI_##NAME ARGUMENTS;                                              \
  }

/*===- Communicators ------------------------------------------------------===*/

static VERSO_MPI_UNUSED VERSO_MPI_INLINE void verso_mpi_live(int kind,
                                                             MPI_Comm *comm) {
  verso_mpi_transfer *t = verso_mpi_new_life(kind, comm);
  verso_mpi_run_doubles(0, 0, t);
  verso_mpi_end(t);
}

#define VERSO_MPI_MAKES(NAME, PARAMETERS, ARGUMENTS)                           \
  VERSO_MPI_PLAIN(NAME, PARAMETERS, ARGUMENTS)                                 \
  static VERSO_MPI_UNUSED int verso_mpi_##NAME PARAMETERS {                    \
    const int error = verso_mpi_plain_##NAME ARGUMENTS;                        \
    verso_mpi_live(VERSO_MPI_MAKE, made);                                      \
    return error;                                                              \
  }                                                                            \
  VERSO_DIFFERENTIATE_AS(MPI_##NAME, verso_mpi_##NAME)
VERSO_MPI_MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made));
VERSO_MPI_MAKES(Comm_split, (MPI_Comm comm, int part, int key, MPI_Comm *made),
                (comm, part, key, made));
VERSO_MPI_MAKES(Comm_split_type,
                (MPI_Comm comm, int type, int key, MPI_Info info,
                 MPI_Comm *made),
                (comm, type, key, info, made));
VERSO_MPI_MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made),
                (comm, group, made));
VERSO_MPI_MAKES(Cart_create,
                (MPI_Comm comm, int n, const int *sizes, const int *is_periodic,
                 int reorder, MPI_Comm *made),
                (comm, n, sizes, is_periodic, reorder, made));
VERSO_MPI_MAKES(Cart_sub, (MPI_Comm comm, const int *remain, MPI_Comm *made),
                (comm, remain, made));

static VERSO_MPI_UNUSED int verso_mpi_Comm_free(MPI_Comm *comm) {
  verso_mpi_live(VERSO_MPI_FREE, comm);
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Comm_free, verso_mpi_Comm_free);

/*===- Messages -----------------------------------------------------------===*/

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
  VERSO_MPI_BY_NUMBERS(verso_mpi_numbers_of(type), send, buffer, count, type,
                       to, tag, comm, mode)
  return verso_mpi_plain_send(buffer, count, type, to, tag, comm, mode);
}

#define VERSO_MPI_SENDS(NAME, MODE)                                            \
  static VERSO_MPI_UNUSED int verso_mpi_##NAME(const void *buffer, int count,  \
                                               MPI_Datatype type, int to,      \
                                               int tag, MPI_Comm comm) {       \
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

/* A receive of any tag sees no companions. */
VERSO_MPI_INACTIVE int verso_mpi_Probe(int from, int tag, MPI_Comm comm,
                                       MPI_Status *status) {
  int flag;
  if (tag != MPI_ANY_TAG)
    return PMPI_Probe(from, tag, comm, status);
  do
    verso_mpi_next_probed(from, comm, &flag, status);
  while (!flag);
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Probe, verso_mpi_Probe);

VERSO_MPI_INACTIVE int verso_mpi_Iprobe(int from, int tag, MPI_Comm comm,
                                        int *flag, MPI_Status *status) {
  if (tag != MPI_ANY_TAG)
    return PMPI_Iprobe(from, tag, comm, flag, status);
  verso_mpi_next_probed(from, comm, flag, status);
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Iprobe, verso_mpi_Iprobe);

/*===- Messages while the program goes on ---------------------------------===*/

VERSO_MPI_INACTIVE int verso_mpi_plain_isend(const void *buffer, int count,
                                             MPI_Datatype type, int to, int tag,
                                             MPI_Comm comm, int mode,
                                             MPI_Request *request) {
  switch (mode) {
  case VERSO_MPI_SYNCHRONOUS:
    return verso_mpi_note(
        PMPI_Issend(buffer, count, type, to, tag, comm, request), request, 0,
        1);
  case VERSO_MPI_BUFFERED:
    return verso_mpi_note(
        PMPI_Ibsend(buffer, count, type, to, tag, comm, request), request, 0,
        1);
  case VERSO_MPI_READY:
    return verso_mpi_note(
        PMPI_Irsend(buffer, count, type, to, tag, comm, request), request, 0,
        1);
  }
  return verso_mpi_note(PMPI_Isend(buffer, count, type, to, tag, comm, request),
                        request, 0, 1);
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_isend_any(const void *buffer, int count, MPI_Datatype type, int to,
                    int tag, MPI_Comm comm, int mode, MPI_Request *request) {
  const int numbers = verso_mpi_numbers_of(type);
  long long id;
  if (numbers == VERSO_MPI_NO_NUMBERS || to == MPI_PROC_NULL)
    return verso_mpi_plain_isend(buffer, count, type, to, tag, comm, mode,
                                 request);
  if (numbers == VERSO_MPI_DOUBLES) {
    id = verso_mpi_begin_sent(
        verso_mpi_count_doubles(verso_mpi_layout_doubles(type), count),
        MPI_DOUBLE);
    verso_mpi_begin_send_doubles(buffer, count, verso_mpi_layout_doubles(type),
                                 to, tag, comm, mode, id);
  } else {
    id = verso_mpi_begin_sent(
        verso_mpi_count_floats(verso_mpi_layout_floats(type), count),
        MPI_FLOAT);
    verso_mpi_begin_send_floats(buffer, count, verso_mpi_layout_floats(type),
                                to, tag, comm, mode, id);
  }
  verso_mpi_give_request(id, request);
  return MPI_SUCCESS;
}

#define VERSO_MPI_ISENDS(NAME, MODE)                                           \
  static VERSO_MPI_UNUSED int verso_mpi_##NAME(                                \
      const void *buffer, int count, MPI_Datatype type, int to, int tag,       \
      MPI_Comm comm, MPI_Request *request) {                                   \
    return verso_mpi_isend_any(buffer, count, type, to, tag, comm, MODE,       \
                               request);                                       \
  }                                                                            \
  VERSO_DIFFERENTIATE_AS(MPI_##NAME, verso_mpi_##NAME)
/* What is sent is copied at once, so it is no matter how. */
VERSO_MPI_ISENDS(Isend, VERSO_MPI_STANDARD);
VERSO_MPI_ISENDS(Issend, VERSO_MPI_SYNCHRONOUS);
VERSO_MPI_ISENDS(Ibsend, VERSO_MPI_BUFFERED);
VERSO_MPI_ISENDS(Irsend, VERSO_MPI_READY);

VERSO_MPI_INACTIVE int verso_mpi_plain_irecv(void *buffer, int count,
                                             MPI_Datatype type, int from,
                                             int tag, MPI_Comm comm,
                                             int is_persistent,
                                             MPI_Request *request) {
  if (is_persistent)
    return verso_mpi_note(
        PMPI_Recv_init(buffer, count, type, from, tag, comm, request), request,
        1, 0);
  return verso_mpi_note(
      PMPI_Irecv(buffer, count, type, from, tag, comm, request), request, 0,
      from == MPI_PROC_NULL);
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_irecv_any(void *buffer, int count, MPI_Datatype type, int from,
                    int tag, MPI_Comm comm, int is_persistent,
                    MPI_Request *request) {
  const int numbers = verso_mpi_numbers_of(type);
  long long id;
  if (numbers == VERSO_MPI_NO_NUMBERS || from == MPI_PROC_NULL)
    return verso_mpi_plain_irecv(buffer, count, type, from, tag, comm,
                                 is_persistent, request);
  if (numbers == VERSO_MPI_DOUBLES) {
    id = verso_mpi_begin_receive(
        verso_mpi_count_doubles(verso_mpi_layout_doubles(type), count),
        MPI_DOUBLE, verso_mpi_layout_doubles(type), from, tag, comm,
        is_persistent);
    verso_mpi_add_pending_doubles(id, buffer);
  } else {
    id = verso_mpi_begin_receive(
        verso_mpi_count_floats(verso_mpi_layout_floats(type), count), MPI_FLOAT,
        verso_mpi_layout_floats(type), from, tag, comm, is_persistent);
    verso_mpi_add_pending_floats(id, buffer);
  }
  verso_mpi_give_request(id, request);
  return MPI_SUCCESS;
}

static VERSO_MPI_UNUSED int verso_mpi_Irecv(void *buffer, int count,
                                            MPI_Datatype type, int from,
                                            int tag, MPI_Comm comm,
                                            MPI_Request *request) {
  return verso_mpi_irecv_any(buffer, count, type, from, tag, comm, 0, request);
}
VERSO_DIFFERENTIATE_AS(MPI_Irecv, verso_mpi_Irecv);

static VERSO_MPI_UNUSED int verso_mpi_Recv_init(void *buffer, int count,
                                                MPI_Datatype type, int from,
                                                int tag, MPI_Comm comm,
                                                MPI_Request *request) {
  return verso_mpi_irecv_any(buffer, count, type, from, tag, comm, 1, request);
}
VERSO_DIFFERENTIATE_AS(MPI_Recv_init, verso_mpi_Recv_init);

VERSO_MPI_INACTIVE int verso_mpi_plain_send_init(const void *buffer, int count,
                                                 MPI_Datatype type, int to,
                                                 int tag, MPI_Comm comm,
                                                 int mode,
                                                 MPI_Request *request) {
  if (mode == VERSO_MPI_SYNCHRONOUS)
    return verso_mpi_note(
        PMPI_Ssend_init(buffer, count, type, to, tag, comm, request), request,
        1, 1);
  return verso_mpi_note(
      PMPI_Send_init(buffer, count, type, to, tag, comm, request), request, 1,
      1);
}

static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_send_init_any(const void *buffer, int count, MPI_Datatype type,
                        int to, int tag, MPI_Comm comm, int mode,
                        MPI_Request *request) {
  const int numbers = verso_mpi_numbers_of(type);
  verso_mpi_pending *own;
  long long id;
  if (numbers == VERSO_MPI_NO_NUMBERS || to == MPI_PROC_NULL)
    return verso_mpi_plain_send_init(buffer, count, type, to, tag, comm, mode,
                                     request);
  if (numbers == VERSO_MPI_DOUBLES) {
    id = verso_mpi_begin_sends(
        verso_mpi_count_doubles(verso_mpi_layout_doubles(type), count),
        MPI_DOUBLE, verso_mpi_layout_doubles(type), to, tag, comm, mode);
    own = verso_mpi_add_pending_doubles(id, buffer);
  } else {
    id = verso_mpi_begin_sends(
        verso_mpi_count_floats(verso_mpi_layout_floats(type), count), MPI_FLOAT,
        verso_mpi_layout_floats(type), to, tag, comm, mode);
    own = verso_mpi_add_pending_floats(id, buffer);
  }
  own->count = count;
  own->to = to;
  own->tag = tag;
  own->mode = mode;
  own->comm = comm;
  verso_mpi_give_request(id, request);
  return MPI_SUCCESS;
}

static VERSO_MPI_UNUSED int verso_mpi_Send_init(const void *buffer, int count,
                                                MPI_Datatype type, int to,
                                                int tag, MPI_Comm comm,
                                                MPI_Request *request) {
  return verso_mpi_send_init_any(buffer, count, type, to, tag, comm,
                                 VERSO_MPI_STANDARD, request);
}
VERSO_DIFFERENTIATE_AS(MPI_Send_init, verso_mpi_Send_init);

static VERSO_MPI_UNUSED int verso_mpi_Ssend_init(const void *buffer, int count,
                                                 MPI_Datatype type, int to,
                                                 int tag, MPI_Comm comm,
                                                 MPI_Request *request) {
  return verso_mpi_send_init_any(buffer, count, type, to, tag, comm,
                                 VERSO_MPI_SYNCHRONOUS, request);
}
VERSO_DIFFERENTIATE_AS(MPI_Ssend_init, verso_mpi_Ssend_init);

static VERSO_MPI_UNUSED int verso_mpi_Start(MPI_Request *request) {
  const int numbers = verso_mpi_numbers_of_request(request);
  const long long id = verso_mpi_start(request);
  if (id && numbers == VERSO_MPI_DOUBLES)
    verso_mpi_start_send_doubles(id);
  else if (id)
    verso_mpi_start_send_floats(id);
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Start, verso_mpi_Start);

static VERSO_MPI_UNUSED int verso_mpi_Startall(int n, MPI_Request *requests) {
  int k;
  for (k = 0; k < n; ++k)
    verso_mpi_Start(&requests[k]);
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Startall, verso_mpi_Startall);

/*===- Waiting ------------------------------------------------------------===*/

static VERSO_MPI_UNUSED void verso_mpi_take_all_ended(void) {
  verso_mpi_take_all_ended_doubles();
  verso_mpi_take_all_ended_floats();
}

static VERSO_MPI_UNUSED int verso_mpi_Request_free(MPI_Request *request) {
  const int error = verso_mpi_free_request(request);
  verso_mpi_take_all_ended();
  return error;
}
VERSO_DIFFERENTIATE_AS(MPI_Request_free, verso_mpi_Request_free);

static VERSO_MPI_UNUSED int verso_mpi_Wait(MPI_Request *request,
                                           MPI_Status *status) {
  int unused;
  verso_mpi_finish(VERSO_MPI_WAIT_ALL, 1, request, &unused, &unused, status,
                   status == MPI_STATUS_IGNORE);
  verso_mpi_take_all_ended();
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Wait, verso_mpi_Wait);

static VERSO_MPI_UNUSED int verso_mpi_Test(MPI_Request *request, int *flag,
                                           MPI_Status *status) {
  int unused;
  verso_mpi_finish(VERSO_MPI_TEST_ALL, 1, request, flag, &unused, status,
                   status == MPI_STATUS_IGNORE);
  verso_mpi_take_all_ended();
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Test, verso_mpi_Test);

static VERSO_MPI_UNUSED int verso_mpi_Waitall(int n, MPI_Request *requests,
                                              MPI_Status *statuses) {
  int unused;
  verso_mpi_finish(VERSO_MPI_WAIT_ALL, n, requests, &unused, &unused, statuses,
                   statuses == MPI_STATUSES_IGNORE);
  verso_mpi_take_all_ended();
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Waitall, verso_mpi_Waitall);

static VERSO_MPI_UNUSED int verso_mpi_Testall(int n, MPI_Request *requests,
                                              int *flag, MPI_Status *statuses) {
  int unused;
  verso_mpi_finish(VERSO_MPI_TEST_ALL, n, requests, flag, &unused, statuses,
                   statuses == MPI_STATUSES_IGNORE);
  verso_mpi_take_all_ended();
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Testall, verso_mpi_Testall);

static VERSO_MPI_UNUSED int verso_mpi_Waitany(int n, MPI_Request *requests,
                                              int *index, MPI_Status *status) {
  int unused;
  verso_mpi_finish(VERSO_MPI_WAIT_ANY, n, requests, &unused, index, status,
                   status == MPI_STATUS_IGNORE);
  verso_mpi_take_all_ended();
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Waitany, verso_mpi_Waitany);

static VERSO_MPI_UNUSED int verso_mpi_Testany(int n, MPI_Request *requests,
                                              int *index, int *flag,
                                              MPI_Status *status) {
  verso_mpi_finish(VERSO_MPI_TEST_ANY, n, requests, flag, index, status,
                   status == MPI_STATUS_IGNORE);
  verso_mpi_take_all_ended();
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Testany, verso_mpi_Testany);

static VERSO_MPI_UNUSED int verso_mpi_Waitsome(int n, MPI_Request *requests,
                                               int *count, int *which,
                                               MPI_Status *statuses) {
  verso_mpi_finish(VERSO_MPI_WAIT_SOME, n, requests, count, which, statuses,
                   statuses == MPI_STATUSES_IGNORE);
  verso_mpi_take_all_ended();
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Waitsome, verso_mpi_Waitsome);

static VERSO_MPI_UNUSED int verso_mpi_Testsome(int n, MPI_Request *requests,
                                               int *count, int *which,
                                               MPI_Status *statuses) {
  verso_mpi_finish(VERSO_MPI_TEST_SOME, n, requests, count, which, statuses,
                   statuses == MPI_STATUSES_IGNORE);
  verso_mpi_take_all_ended();
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Testsome, verso_mpi_Testsome);

/*===- Both at once -------------------------------------------------------===*/

VERSO_MPI_INACTIVE void verso_mpi_finish_send(MPI_Request *request) {
  int unused;
  verso_mpi_finish(VERSO_MPI_WAIT_ALL, 1, request, &unused, &unused, 0, 1);
}

static VERSO_MPI_UNUSED int
verso_mpi_Sendrecv(const void *sent, int sends, MPI_Datatype of_sent, int to,
                   int tag_to, void *received, int receives,
                   MPI_Datatype of_received, int from, int tag_from,
                   MPI_Comm comm, MPI_Status *status) {
  MPI_Request request;
  verso_mpi_isend_any(sent, sends, of_sent, to, tag_to, comm,
                      VERSO_MPI_STANDARD, &request);
  verso_mpi_Recv(received, receives, of_received, from, tag_from, comm, status);
  verso_mpi_finish_send(&request);
  return MPI_SUCCESS;
}
VERSO_DIFFERENTIATE_AS(MPI_Sendrecv, verso_mpi_Sendrecv);

VERSO_MPI_INACTIVE int verso_mpi_plain_replace(void *buffer, int count,
                                               MPI_Datatype type, int to,
                                               int tag_to, int from,
                                               int tag_from, MPI_Comm comm,
                                               MPI_Status *status) {
  return PMPI_Sendrecv_replace(buffer, count, type, to, tag_to, from, tag_from,
                               comm, status);
}

static VERSO_MPI_UNUSED int
verso_mpi_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to,
                           int tag_to, int from, int tag_from, MPI_Comm comm,
                           MPI_Status *status) {
  if (verso_mpi_numbers_of(type) == VERSO_MPI_NO_NUMBERS)
    return verso_mpi_plain_replace(buffer, count, type, to, tag_to, from,
                                   tag_from, comm, status);
  return verso_mpi_Sendrecv(buffer, count, type, to, tag_to, buffer, count,
                            type, from, tag_from, comm, status);
}
VERSO_DIFFERENTIATE_AS(MPI_Sendrecv_replace, verso_mpi_Sendrecv_replace);

#endif /* VERSO_MPI_FUNCTIONS_H */
