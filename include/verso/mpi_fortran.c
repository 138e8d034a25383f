/*===- mpi_fortran.c - MPI's functions under Fortran's names ------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* What a program in Fortran calls by `include 'mpif.h'` or `use mpi`, in terms
   of C's functions, whose derivatives verso/mpi.h has. Compiled with the
   program's MPI, -flto and the plugin, and linked with it (README, "Several
   processes"); the other functions stay those of MPI's own library. */

#include "mpi.h"

#define IN MPI_Fint *
#define COMM(F) MPI_Comm_f2c(*(F))
#define TYPE(F) MPI_Type_f2c(*(F))
#define OP(F) MPI_Op_f2c(*(F))

/*===- Addresses that say something ---------------------------------------===*/

/* MPICH's, and Open MPI's. A program has those of its own MPI alone. */
extern struct {
  MPI_Fint bottom, in_place, status_ignore[5];
} mpipriv1_ __attribute__((weak));
extern struct {
  MPI_Fint statuses_ignore[5], errcodes_ignore;
} mpipriv2_ __attribute__((weak));
extern MPI_Fint mpi_fortran_bottom_ __attribute__((weak));
extern MPI_Fint mpi_fortran_in_place_ __attribute__((weak));
extern MPI_Fint mpi_fortran_status_ignore_ __attribute__((weak));
extern MPI_Fint mpi_fortran_statuses_ignore_ __attribute__((weak));

#ifdef MPICH_VERSION
#define BOTTOM &mpipriv1_.bottom
#define IN_PLACE &mpipriv1_.in_place
#define STATUS_IGNORE mpipriv1_.status_ignore
#define STATUSES_IGNORE mpipriv2_.statuses_ignore
#elif defined OPEN_MPI
#define BOTTOM &mpi_fortran_bottom_
#define IN_PLACE &mpi_fortran_in_place_
#define STATUS_IGNORE &mpi_fortran_status_ignore_
#define STATUSES_IGNORE &mpi_fortran_statuses_ignore_
#else
#error "verso/mpi_fortran.c knows MPICH and Open MPI"
#endif

VERSO_MPI_INACTIVE void refuse(const char *what) {
  verso_mpi_fail("MPI", what);
}

static inline int is_in_place(const void *buffer) {
  if (buffer == (const void *)BOTTOM)
    refuse("MPI_BOTTOM has no derivative; hand over the buffer");
  return buffer == (const void *)IN_PLACE;
}
/* Branches, not a choice of addresses: each of the calls has one that the
   compiler can follow. */
#define MAY_BE_IN_PLACE(BUFFER, CALL)                                          \
  if (is_in_place(BUFFER)) {                                                   \
    const void *sent = MPI_IN_PLACE;                                           \
    *error = CALL;                                                             \
  } else {                                                                     \
    const void *sent = BUFFER;                                                 \
    *error = CALL;                                                             \
  }

/*===- Statuses and requests ----------------------------------------------===*/

/* MPI_ERROR of one status stays what it was. */
VERSO_MPI_INACTIVE MPI_Status status_of(const MPI_Fint *from) {
  MPI_Status own;
  memset(&own, 0, sizeof own);
  if (from != (const MPI_Fint *)STATUS_IGNORE)
    MPI_Status_f2c(from, &own);
  return own;
}
VERSO_MPI_INACTIVE void say_status(const MPI_Status *from, MPI_Fint *to) {
  if (to != (MPI_Fint *)STATUS_IGNORE)
    MPI_Status_c2f(from, to);
}
VERSO_MPI_INACTIVE void say_statuses(int n, const MPI_Status *from,
                                     MPI_Fint *to) {
  MPI_Fint size = sizeof(MPI_Status) / sizeof(MPI_Fint);
#ifdef MPI_F_STATUS_SIZE
  size = MPI_F_STATUS_SIZE;
#endif
  if (to != (MPI_Fint *)STATUSES_IGNORE)
    for (int i = 0; i != n; ++i)
      MPI_Status_c2f(&from[i], to + i * size);
}
VERSO_MPI_INACTIVE MPI_Request request_of(const MPI_Fint *request) {
  return MPI_Request_f2c(*request);
}
VERSO_MPI_INACTIVE void say_request(MPI_Request request, MPI_Fint *to) {
  *to = MPI_Request_c2f(request);
}
VERSO_MPI_INACTIVE MPI_Request *requests_of(int n, const MPI_Fint *requests) {
  MPI_Request *own =
      (MPI_Request *)verso_mpi_take_memory((size_t)(n + 1) * sizeof *own);
  for (int i = 0; i != n; ++i)
    own[i] = MPI_Request_f2c(requests[i]);
  return own;
}
VERSO_MPI_INACTIVE void say_requests(int n, MPI_Request *own, MPI_Fint *to) {
  for (int i = 0; i != n; ++i)
    to[i] = MPI_Request_c2f(own[i]);
  free(own);
}
VERSO_MPI_INACTIVE MPI_Status *room_for_statuses(int n) {
  const size_t bytes = (size_t)(n + 1) * sizeof(MPI_Status);
  return (MPI_Status *)memset(verso_mpi_take_memory(bytes), 0, bytes);
}
VERSO_MPI_INACTIVE void say_and_free(int n, MPI_Status *own, MPI_Fint *to) {
  say_statuses(n, own, to);
  free(own);
}

/*===- Messages -----------------------------------------------------------===*/

#define SENDS(FORTRAN, NAME)                                                   \
  void FORTRAN(const void *buffer, IN count, IN type, IN to, IN tag, IN comm,  \
               MPI_Fint *error) {                                              \
    is_in_place(buffer);                                                       \
    *error = MPI_##NAME(buffer, *count, TYPE(type), *to, *tag, COMM(comm));    \
  }
SENDS(mpi_send_, Send)
SENDS(mpi_ssend_, Ssend)
SENDS(mpi_bsend_, Bsend)
SENDS(mpi_rsend_, Rsend)

#define BEGINS(FORTRAN, NAME, CONST)                                           \
  void FORTRAN(CONST void *buffer, IN count, IN type, IN other, IN tag,        \
               IN comm, MPI_Fint *request, MPI_Fint *error) {                  \
    MPI_Request own = MPI_REQUEST_NULL;                                        \
    is_in_place(buffer);                                                       \
    *error = MPI_##NAME(buffer, *count, TYPE(type), *other, *tag, COMM(comm),  \
                        &own);                                                 \
    say_request(own, request);                                                 \
  }
BEGINS(mpi_isend_, Isend, const)
BEGINS(mpi_issend_, Issend, const)
BEGINS(mpi_ibsend_, Ibsend, const)
BEGINS(mpi_irsend_, Irsend, const)
BEGINS(mpi_irecv_, Irecv, )
BEGINS(mpi_send_init_, Send_init, const)
BEGINS(mpi_ssend_init_, Ssend_init, const)
BEGINS(mpi_recv_init_, Recv_init, )

void mpi_recv_(void *buffer, IN count, IN type, IN from, IN tag, IN comm,
               MPI_Fint *status, MPI_Fint *error) {
  MPI_Status own = status_of(status);
  is_in_place(buffer);
  *error = MPI_Recv(buffer, *count, TYPE(type), *from, *tag, COMM(comm), &own);
  say_status(&own, status);
}
void mpi_sendrecv_(const void *sent, IN sent_count, IN sent_type, IN to,
                   IN sent_tag, void *received, IN count, IN type, IN from,
                   IN tag, IN comm, MPI_Fint *status, MPI_Fint *error) {
  MPI_Status own = status_of(status);
  is_in_place(sent), is_in_place(received);
  *error =
      MPI_Sendrecv(sent, *sent_count, TYPE(sent_type), *to, *sent_tag, received,
                   *count, TYPE(type), *from, *tag, COMM(comm), &own);
  say_status(&own, status);
}
void mpi_sendrecv_replace_(void *buffer, IN count, IN type, IN to, IN sent_tag,
                           IN from, IN tag, IN comm, MPI_Fint *status,
                           MPI_Fint *error) {
  MPI_Status own = status_of(status);
  is_in_place(buffer);
  *error = MPI_Sendrecv_replace(buffer, *count, TYPE(type), *to, *sent_tag,
                                *from, *tag, COMM(comm), &own);
  say_status(&own, status);
}
void mpi_probe_(IN from, IN tag, IN comm, MPI_Fint *status, MPI_Fint *error) {
  MPI_Status own = status_of(status);
  *error = MPI_Probe(*from, *tag, COMM(comm), &own);
  say_status(&own, status);
}
void mpi_iprobe_(IN from, IN tag, IN comm, MPI_Fint *found, MPI_Fint *status,
                 MPI_Fint *error) {
  MPI_Status own = status_of(status);
  int is_found = 0;
  *error = MPI_Iprobe(*from, *tag, COMM(comm), &is_found, &own);
  *found = is_found != 0;
  if (is_found)
    say_status(&own, status);
}

/*===- Ends of messages ---------------------------------------------------===*/

#define ON_REQUEST(FORTRAN, NAME)                                              \
  void FORTRAN(MPI_Fint *request, MPI_Fint *error) {                           \
    MPI_Request own = request_of(request);                                     \
    *error = MPI_##NAME(&own);                                                 \
    say_request(own, request);                                                 \
  }
ON_REQUEST(mpi_start_, Start)
ON_REQUEST(mpi_request_free_, Request_free)

void mpi_startall_(IN n, MPI_Fint *requests, MPI_Fint *error) {
  MPI_Request *own = requests_of(*n, requests);
  *error = MPI_Startall(*n, own);
  say_requests(*n, own, requests);
}
void mpi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *error) {
  MPI_Status said = status_of(status);
  MPI_Request own = request_of(request);
  *error = MPI_Wait(&own, &said);
  say_request(own, request);
  say_status(&said, status);
}
void mpi_test_(MPI_Fint *request, MPI_Fint *found, MPI_Fint *status,
               MPI_Fint *error) {
  MPI_Status said = status_of(status);
  int is_found = 0;
  MPI_Request own = request_of(request);
  *error = MPI_Test(&own, &is_found, &said);
  *found = is_found != 0;
  say_request(own, request);
  if (is_found)
    say_status(&said, status);
}
void mpi_waitall_(IN n, MPI_Fint *requests, MPI_Fint *statuses,
                  MPI_Fint *error) {
  MPI_Request *own = requests_of(*n, requests);
  MPI_Status *said = room_for_statuses(*n);
  *error = MPI_Waitall(*n, own, said);
  say_requests(*n, own, requests);
  say_and_free(*n, said, statuses);
}
void mpi_testall_(IN n, MPI_Fint *requests, MPI_Fint *found, MPI_Fint *statuses,
                  MPI_Fint *error) {
  MPI_Request *own = requests_of(*n, requests);
  MPI_Status *said = room_for_statuses(*n);
  int is_found = 0;
  *error = MPI_Testall(*n, own, &is_found, said);
  *found = is_found != 0;
  say_requests(*n, own, requests);
  say_and_free(is_found ? *n : 0, said, statuses);
}
/* Fortran counts from one. */
void mpi_waitany_(IN n, MPI_Fint *requests, MPI_Fint *which, MPI_Fint *status,
                  MPI_Fint *error) {
  MPI_Request *own = requests_of(*n, requests);
  MPI_Status said = status_of(status);
  int index = MPI_UNDEFINED;
  *error = MPI_Waitany(*n, own, &index, &said);
  *which = index == MPI_UNDEFINED ? index : index + 1;
  say_requests(*n, own, requests);
  say_status(&said, status);
}
void mpi_testany_(IN n, MPI_Fint *requests, MPI_Fint *which, MPI_Fint *found,
                  MPI_Fint *status, MPI_Fint *error) {
  MPI_Request *own = requests_of(*n, requests);
  MPI_Status said = status_of(status);
  int index = MPI_UNDEFINED, is_found = 0;
  *error = MPI_Testany(*n, own, &index, &is_found, &said);
  *which = index == MPI_UNDEFINED ? index : index + 1;
  *found = is_found != 0;
  say_requests(*n, own, requests);
  if (is_found)
    say_status(&said, status);
}
#define SOME(FORTRAN, NAME)                                                    \
  void FORTRAN(IN n, MPI_Fint *requests, MPI_Fint *ended, MPI_Fint *which,     \
               MPI_Fint *statuses, MPI_Fint *error) {                          \
    MPI_Request *own = requests_of(*n, requests);                              \
    MPI_Status *said = room_for_statuses(*n);                                  \
    int count = 0, i;                                                          \
    *error = MPI_##NAME(*n, own, &count, which, said);                         \
    for (i = 0; count != MPI_UNDEFINED && i < count; ++i)                      \
      ++which[i];                                                              \
    *ended = count;                                                            \
    say_requests(*n, own, requests);                                           \
    say_and_free(count == MPI_UNDEFINED ? 0 : count, said, statuses);          \
  }
SOME(mpi_waitsome_, Waitsome)
SOME(mpi_testsome_, Testsome)

/*===- All processes ------------------------------------------------------===*/

void mpi_barrier_(IN comm, MPI_Fint *error) {
  *error = MPI_Barrier(COMM(comm));
}
void mpi_bcast_(void *buffer, IN count, IN type, IN root, IN comm,
                MPI_Fint *error) {
  is_in_place(buffer);
  *error = MPI_Bcast(buffer, *count, TYPE(type), *root, COMM(comm));
}
void mpi_reduce_(const void *buffer, void *received, IN count, IN type, IN op,
                 IN root, IN comm, MPI_Fint *error){
    MAY_BE_IN_PLACE(buffer, MPI_Reduce(sent, received, *count, TYPE(type),
                                       OP(op), *root, COMM(comm)))}
#define REDUCES(FORTRAN, NAME)                                                 \
  void FORTRAN(const void *buffer, void *received, IN count, IN type, IN op,   \
               IN comm, MPI_Fint *error) {                                     \
    MAY_BE_IN_PLACE(buffer, MPI_##NAME(sent, received, *count, TYPE(type),     \
                                       OP(op), COMM(comm)))                    \
  }
REDUCES(mpi_allreduce_, Allreduce) REDUCES(mpi_scan_, Scan) REDUCES(mpi_exscan_,
                                                                    Exscan)
    REDUCES(mpi_reduce_scatter_block_,
            Reduce_scatter_block) void mpi_reduce_scatter_(const void *buffer,
                                                           void *received,
                                                           IN counts, IN type,
                                                           IN op, IN comm,
                                                           MPI_Fint *error) {
  MAY_BE_IN_PLACE(buffer, MPI_Reduce_scatter(sent, received, counts, TYPE(type),
                                             OP(op), COMM(comm)))
}
void mpi_gather_(const void *buffer, IN sent_count, IN sent_type,
                 void *received, IN count, IN type, IN root, IN comm,
                 MPI_Fint *error) {
  MAY_BE_IN_PLACE(buffer,
                  MPI_Gather(sent, *sent_count, TYPE(sent_type), received,
                             *count, TYPE(type), *root, COMM(comm)))
}
void mpi_gatherv_(const void *buffer, IN sent_count, IN sent_type,
                  void *received, IN counts, IN places, IN type, IN root,
                  IN comm, MPI_Fint *error) {
  MAY_BE_IN_PLACE(buffer,
                  MPI_Gatherv(sent, *sent_count, TYPE(sent_type), received,
                              counts, places, TYPE(type), *root, COMM(comm)))
}
void mpi_scatter_(const void *sent, IN sent_count, IN sent_type, void *received,
                  IN count, IN type, IN root, IN comm, MPI_Fint *error) {
  if (is_in_place(received))
    *error = MPI_Scatter(sent, *sent_count, TYPE(sent_type), MPI_IN_PLACE,
                         *count, TYPE(type), *root, COMM(comm));
  else
    *error = MPI_Scatter(sent, *sent_count, TYPE(sent_type), received, *count,
                         TYPE(type), *root, COMM(comm));
}
void mpi_scatterv_(const void *sent, IN counts, IN places, IN sent_type,
                   void *received, IN count, IN type, IN root, IN comm,
                   MPI_Fint *error) {
  if (is_in_place(received))
    *error = MPI_Scatterv(sent, counts, places, TYPE(sent_type), MPI_IN_PLACE,
                          *count, TYPE(type), *root, COMM(comm));
  else
    *error = MPI_Scatterv(sent, counts, places, TYPE(sent_type), received,
                          *count, TYPE(type), *root, COMM(comm));
}
#define EXCHANGES(FORTRAN, NAME)                                               \
  void FORTRAN(const void *buffer, IN sent_count, IN sent_type,                \
               void *received, IN count, IN type, IN comm, MPI_Fint *error) {  \
    MAY_BE_IN_PLACE(buffer,                                                    \
                    MPI_##NAME(sent, *sent_count, TYPE(sent_type), received,   \
                               *count, TYPE(type), COMM(comm)))                \
  }
EXCHANGES(mpi_allgather_, Allgather)
EXCHANGES(mpi_alltoall_, Alltoall)
void mpi_allgatherv_(const void *buffer, IN sent_count, IN sent_type,
                     void *received, IN counts, IN places, IN type, IN comm,
                     MPI_Fint *error) {
  MAY_BE_IN_PLACE(buffer,
                  MPI_Allgatherv(sent, *sent_count, TYPE(sent_type), received,
                                 counts, places, TYPE(type), COMM(comm)))
}
void mpi_alltoallv_(const void *buffer, IN sent_counts, IN sent_places,
                    IN sent_type, void *received, IN counts, IN places, IN type,
                    IN comm, MPI_Fint *error) {
  MAY_BE_IN_PLACE(buffer, MPI_Alltoallv(sent, sent_counts, sent_places,
                                        TYPE(sent_type), received, counts,
                                        places, TYPE(type), COMM(comm)))
}

/*===- Communicators ------------------------------------------------------===*/

void mpi_comm_rank_(IN comm, MPI_Fint *rank, MPI_Fint *error) {
  *error = MPI_Comm_rank(COMM(comm), rank);
}
void mpi_comm_size_(IN comm, MPI_Fint *size, MPI_Fint *error) {
  *error = MPI_Comm_size(COMM(comm), size);
}
void mpi_comm_dup_(IN comm, MPI_Fint *made, MPI_Fint *error) {
  MPI_Comm own = MPI_COMM_NULL;
  *error = MPI_Comm_dup(COMM(comm), &own);
  *made = MPI_Comm_c2f(own);
}
void mpi_comm_split_(IN comm, IN part, IN key, MPI_Fint *made,
                     MPI_Fint *error) {
  MPI_Comm own = MPI_COMM_NULL;
  *error = MPI_Comm_split(COMM(comm), *part, *key, &own);
  *made = MPI_Comm_c2f(own);
}
void mpi_comm_split_type_(IN comm, IN type, IN key, IN info, MPI_Fint *made,
                          MPI_Fint *error) {
  MPI_Comm own = MPI_COMM_NULL;
  *error =
      MPI_Comm_split_type(COMM(comm), *type, *key, MPI_Info_f2c(*info), &own);
  *made = MPI_Comm_c2f(own);
}
void mpi_comm_create_(IN comm, IN group, MPI_Fint *made, MPI_Fint *error) {
  MPI_Comm own = MPI_COMM_NULL;
  *error = MPI_Comm_create(COMM(comm), MPI_Group_f2c(*group), &own);
  *made = MPI_Comm_c2f(own);
}
void mpi_comm_free_(MPI_Fint *comm, MPI_Fint *error) {
  MPI_Comm own = COMM(comm);
  *error = MPI_Comm_free(&own);
  *comm = MPI_Comm_c2f(own);
}
/* The sizes of a grid and what is true of its dimensions, at most 64. */
enum { GREATEST_GRID = 64 };
static inline void set_flags(int n, const MPI_Fint *logical, int *flags) {
  if (n > GREATEST_GRID)
    refuse("a grid of more than 64 dimensions");
  for (int i = 0; i < n; ++i)
    flags[i] = logical[i] != 0;
}
void mpi_cart_create_(IN comm, IN n, IN sizes, IN is_periodic, IN reorder,
                      MPI_Fint *made, MPI_Fint *error) {
  MPI_Comm own = MPI_COMM_NULL;
  int flags[GREATEST_GRID];
  set_flags(*n, is_periodic, flags);
  *error = MPI_Cart_create(COMM(comm), *n, sizes, flags, *reorder != 0, &own);
  *made = MPI_Comm_c2f(own);
}
void mpi_cart_sub_(IN comm, IN remain, MPI_Fint *made, MPI_Fint *error) {
  MPI_Comm own = MPI_COMM_NULL;
  int flags[GREATEST_GRID], n = 0;
  MPI_Cartdim_get(COMM(comm), &n);
  set_flags(n, remain, flags);
  *error = MPI_Cart_sub(COMM(comm), flags, &own);
  *made = MPI_Comm_c2f(own);
}
void mpi_cart_shift_(IN comm, IN dimension, IN by, MPI_Fint *from, MPI_Fint *to,
                     MPI_Fint *error) {
  *error = MPI_Cart_shift(COMM(comm), *dimension, *by, from, to);
}
void mpi_cart_coords_(IN comm, IN rank, IN n, MPI_Fint *coords,
                      MPI_Fint *error) {
  *error = MPI_Cart_coords(COMM(comm), *rank, *n, coords);
}
void mpi_cart_rank_(IN comm, IN coords, MPI_Fint *rank, MPI_Fint *error) {
  *error = MPI_Cart_rank(COMM(comm), coords, rank);
}
double mpi_wtime_(void) { return MPI_Wtime(); }
