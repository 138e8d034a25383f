//===- messages.c - messages between processes ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PROCESSES: 1 2 3
// UNCHECKED: a copy of one process has no one to talk to
//
// Programs that send and receive, as they are written: rings, pipelines, orders
// by rank, any source and tag, several types; and messages of which one side
// has nothing to differentiate, but the other waits for the adjoint.
//
//===----------------------------------------------------------------------===//

#include "processes.h"

enum { N = 12 };
#define WORLD MPI_COMM_WORLD
#define ANY MPI_STATUS_IGNORE

static double total(const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i] * (1 + 0.1 * i) + sin(y[i]);
  return sum;
}
static void scaled(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i] * (1 + 0.5 * own_rank());
}

// Each adds to what comes from the one before.
static double pipeline(const double *x) {
  int rank, size;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  double y[N], z[N] = {0};
  scaled(x, y, N);
  if (rank > 0)
    MPI_Recv(z, N, MPI_DOUBLE, rank - 1, 7, WORLD, ANY);
  for (int i = 0; i < N; ++i)
    z[i] = z[i] * x[i] + y[i];
  if (rank + 1 < size)
    MPI_Send(z, N, MPI_DOUBLE, rank + 1, 7, WORLD);
  return rank + 1 == size ? total(z, N) : 0;
}

// Both orders; the last one of an odd number has nobody.
static double by_rank(const double *x) {
  int rank, size;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  double y[N], z[N];
  scaled(x, y, N);
  scaled(x, z, N);
  int other = rank % 2 ? rank - 1 : rank + 1;
  if (other == size)
    return total(y, N);
  for (int k = 0; k < 3; ++k) {
    if (rank % 2 == 0) {
      MPI_Ssend(y, N - k, MPI_DOUBLE, other, k, WORLD);
      MPI_Recv(z, N, MPI_DOUBLE, other, k, WORLD, ANY);
    } else {
      MPI_Recv(z, N, MPI_DOUBLE, other, k, WORLD, ANY);
      MPI_Send(y, N - k, MPI_DOUBLE, other, k, WORLD);
    }
    for (int i = 0; i < N; ++i)
      y[i] += 0.1 * z[i] * x[i];
  }
  return total(y, N);
}

static double ring(const double *x) {
  int size = all_processes(), rank = own_rank();
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double y[N], z[N];
  float f[4], g[4];
  int n[2] = {rank, N}, m[2];
  scaled(x, y, N);
  for (int k = 0; k < size; ++k) {
    MPI_Sendrecv(y, N, MPI_DOUBLE, next, 1, z, N, MPI_DOUBLE, before, 1, WORLD,
                 ANY);
    for (int i = 0; i < N; ++i)
      y[i] = z[i] * x[i] + 0.1;
  }
  MPI_Sendrecv_replace(y, 5, MPI_DOUBLE, next, 2, before, 2, WORLD, ANY);
  // Integers are messages like any others, and no numbers.
  MPI_Sendrecv(n, 2, MPI_INT, next, 3, m, 2, MPI_INT, before, 3, WORLD, ANY);
  for (int i = 0; i < 4; ++i)
    f[i] = 2; // The same numbers as floats: no rounding.
  MPI_Sendrecv(f, 4, MPI_FLOAT, next, 4, g, 4, MPI_FLOAT, before, 4, WORLD,
               ANY);
  return total(y, m[1]) * (1 + m[0]) + g[3] * y[2];
}

// A worker's number is told by who sends, and what it did by the tag.
static double master(const double *x) {
  int rank = own_rank(), size = all_processes();
  double y[N], z[3 * 8] = {0};
  scaled(x, y, N);
  if (rank == 0) {
    for (int k = 1; k < size; ++k) {
      MPI_Status status;
      double part[3];
      int n;
      MPI_Recv(part, 3, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD,
               &status);
      MPI_Get_count(&status, MPI_DOUBLE, &n);
      double *to = &z[3 * status.MPI_SOURCE];
      for (int i = 0; i < n; ++i)
        to[i] = part[i] * status.MPI_TAG;
      to[0] *= x[0];
      MPI_Send(to, 1, MPI_DOUBLE, status.MPI_SOURCE, 77, WORLD);
    }
  } else {
    MPI_Send(y, 1 + rank % 3, MPI_DOUBLE, 0, 10 + rank, WORLD);
    MPI_Recv(z, 1, MPI_DOUBLE, 0, 77, WORLD, ANY);
  }
  return total(z, 3 * 8);
}

// Nothing of what is received is used; what is sent is constant.
static double unused(const double *x) {
  int rank = own_rank(), size = all_processes();
  double y[N], z[N], constants[2] = {1, 2};
  scaled(x, y, N);
  if (rank + 1 < size)
    MPI_Send(y, N, MPI_DOUBLE, rank + 1, 1, WORLD);
  if (rank > 0)
    MPI_Recv(z, N, MPI_DOUBLE, rank - 1, 1, WORLD, ANY);
  if (rank == 0)
    for (int p = 1; p < size; ++p)
      MPI_Send(constants, 2, MPI_DOUBLE, p, 2, WORLD);
  else
    MPI_Recv(y, 2, MPI_DOUBLE, 0, 2, WORLD, ANY);
  return rank == 1 ? 3 : total(y, N);
}

// One process computes nothing, and only receives and passes on.
static double passed_on(const double *x) {
  int rank = own_rank(), size = all_processes();
  if (size < 3)
    return x[0];
  double y[2] = {0};
  if (rank == 0) {
    y[0] = x[0] * x[1];
    y[1] = x[2];
    MPI_Send(y, 2, MPI_DOUBLE, 1, 5, WORLD);
  } else if (rank == 1) {
    MPI_Recv(y, 2, MPI_DOUBLE, 0, 5, WORLD, ANY);
    MPI_Send(y, 2, MPI_DOUBLE, 2, 6, WORLD);
    y[0] = y[1] = 0;
  } else if (rank == 2) {
    MPI_Recv(y, 2, MPI_DOUBLE, 1, 6, WORLD, ANY);
  }
  return y[0] * y[0] * y[1];
}

// Columns of a matrix are sent, and received as columns or as a row; a part of
// a structure.
static double columns(const double *x) {
  int size = all_processes(), rank = own_rank();
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double a[4][3], b[4][3], row[8] = {0};
  struct {
    double pair[2];
    double other;
  } s[2], t[2] = {{{1, 1}, 1}, {{1, 1}, 1}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      b[i][j] = a[i][j] = x[3 * i + j] * x[j];
  for (int i = 0; i < 2; ++i) {
    s[i].pair[0] = x[i] * x[5];
    s[i].pair[1] = s[i].other = x[i + 1] * x[3];
  }
  MPI_Datatype column, several, pair, whole;
  MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &several);
  MPI_Type_commit(&several);
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_create_resized(pair, 0, sizeof s[0], &whole);
  MPI_Type_commit(&whole);
  MPI_Sendrecv(&a[0][1], 2, several, next, 1, &b[0][0], 2, several, before, 1,
               WORLD, ANY);
  MPI_Sendrecv(&b[0][0], 2, several, next, 2, row, 8, MPI_DOUBLE, before, 2,
               WORLD, ANY);
  MPI_Sendrecv(s, 2, whole, next, 3, t, 2, whole, before, 3, WORLD, ANY);
  MPI_Type_free(&column);
  MPI_Type_free(&several);
  MPI_Type_free(&pair);
  MPI_Type_free(&whole);
  return total(&b[0][0], 12) + 2 * total(row, 8) + t[0].pair[1] * t[1].pair[0] +
         t[1].other * t[0].other;
}

// A type is freed before what was begun with it is complete; the next one has
// its handle.
static double freed_types(const double *x) {
  int size = all_processes(), rank = own_rank();
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double a[N], b[N] = {0}, c[N] = {0};
  MPI_Datatype ends, others;
  MPI_Request r, sends, receives;
  for (int i = 0; i < N; ++i)
    a[i] = x[i] * x[(i + 1) % N];
  MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &ends);
  MPI_Type_commit(&ends);
  MPI_Irecv(b, 2, ends, before, 0, WORLD, &r);
  MPI_Send_init(a, 2, ends, next, 1, WORLD, &sends);
  MPI_Recv_init(c, 2, ends, before, 1, WORLD, &receives);
  MPI_Type_free(&ends);
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &others);
  MPI_Type_commit(&others);
  MPI_Send(a, 4, MPI_DOUBLE, next, 0, WORLD);
  MPI_Wait(&r, ANY);
  for (int k = 0; k < 3; ++k) {
    MPI_Start(&receives);
    MPI_Start(&sends);
    MPI_Wait(&sends, ANY);
    MPI_Wait(&receives, ANY);
    for (int i = 0; i < N; ++i)
      a[i] = a[i] * c[i] + b[i] + x[i];
  }
  MPI_Request_free(&sends);
  MPI_Request_free(&receives);
  MPI_Type_free(&others);
  return total(a, N);
}

// Waiting for what was not started is waiting for nothing.
static double not_started(const double *x) {
  int size = all_processes(), rank = own_rank(), n, flag;
  double y = x[0] * x[0], z = x[1];
  MPI_Status status;
  MPI_Request r;
  MPI_Recv_init(&z, 1, MPI_DOUBLE, (rank + 1) % size, 0, WORLD, &r);
  MPI_Wait(&r, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  MPI_Start(&r);
  MPI_Send(&y, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, WORLD);
  MPI_Wait(&r, ANY);
  z *= z;
  MPI_Wait(&r, ANY);
  MPI_Test(&r, &flag, ANY);
  MPI_Request_free(&r);
  return z * x[2] + n + flag;
}

// Each request is said to be complete once: what arrives from nobody, too, and
// what has left at once.
static double one_by_one(const double *x) {
  int size = all_processes(), rank = own_rank(), n = 6, seen[6] = {0};
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int left = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, own[2] = {rank}, it;
  double in[2] = {x[4], x[5]}, out = x[0] * x[1], sum = 0;
  MPI_Request r[6];
  for (int k = 0; k < 3; ++k) {
    MPI_Irecv(&in[0], 1, MPI_DOUBLE, before, 0, WORLD, &r[0]);
    MPI_Isend(&own[0], 1, MPI_INT, next, 1, WORLD, &r[1]);
    MPI_Isend(&out, 1, MPI_DOUBLE, next, 0, WORLD, &r[2]);
    MPI_Irecv(&own[1], 1, MPI_INT, before, 1, WORLD, &r[3]);
    MPI_Isend(&out, 1, MPI_DOUBLE, left, 0, WORLD, &r[4]);
    if (rank)
      MPI_Recv(&in[1], 1, MPI_DOUBLE, rank - 1, 0, WORLD, ANY);
    MPI_Irecv(&in[1], 1, MPI_DOUBLE, MPI_PROC_NULL, 0, WORLD, &r[5]);
    for (int done = 0; done < n;) {
      int which[6], some = 1, flag;
      if (k == 0)
        MPI_Waitany(n, r, &which[0], ANY);
      else if (k == 1)
        MPI_Waitsome(n, r, &some, which, MPI_STATUSES_IGNORE);
      else if (MPI_Testany(n, r, &which[0], &flag, ANY), !flag)
        continue;
      for (int i = 0; i < some; ++i) {
        if (which[i] < 0 || which[i] >= n || seen[which[i]]++ != k)
          MPI_Abort(WORLD, 1);
        if (which[i] == 0)
          sum += in[0] * x[3] * (k + 1);
      }
      done += some;
    }
    MPI_Waitany(n, r, &it, ANY);
    if (it != MPI_UNDEFINED || own[1] != before)
      MPI_Abort(WORLD, 1);
    out = sum * in[1] + x[2];
  }
  return out + sum;
}

// The same numbers by all names that MPI has for doubles and floats.
static MPI_Datatype made, same, matching, both;
static double names(const double *x) {
  int size = all_processes(), rank = own_rank();
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double y[N], z[N] = {0};
  float f[N], g[N] = {0};
  const MPI_Datatype doubles[] = {made,          same,
                                  matching,      MPI_DOUBLE_PRECISION,
                                  MPI_COMPLEX16, MPI_2DOUBLE_PRECISION};
  const MPI_Datatype floats[] = {both, MPI_REAL, MPI_COMPLEX8, MPI_2REAL};
  for (int i = 0; i < N; ++i) {
    y[i] = x[i] * x[(i + 1) % N];
    f[i] = (float)(i + 2);
  }
  f[1] = (float)x[0];
  for (int k = 0; k < 6; ++k) {
    MPI_Sendrecv(y, k < 2 || k == 3 ? N : N / 2, doubles[k], next, 0, z,
                 k < 2 || k == 3 ? N : N / 2, doubles[k], before, 0, WORLD,
                 ANY);
    for (int i = 0; i < N; ++i)
      y[i] += 0.1 * z[i] * x[i];
  }
  for (int k = 0; k < 4; ++k) {
    MPI_Sendrecv(f, k == 1 ? N : N / 2, floats[k], next, 0, g,
                 k == 1 ? N : N / 2, floats[k], before, 0, WORLD, ANY);
    y[k] += x[k] * g[k + 2];
    z[k] += g[1];
  }
  return total(y, N) + z[0] * z[1] * z[2] * z[3];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK_TOGETHER(pipeline, N);
  CHECK_TOGETHER(by_rank, N);
  CHECK_TOGETHER(ring, N);
  CHECK_TOGETHER(master, N);
  CHECK_TOGETHER(unused, N);
  CHECK_TOGETHER(passed_on, N);
  CHECK_TOGETHER(columns, N);
  CHECK_TOGETHER(freed_types, N);
  CHECK_TOGETHER(not_started, N);
  CHECK_TOGETHER(one_by_one, N);
  MPI_Type_create_f90_real(15, 300, &made);
  MPI_Type_create_f90_complex(6, 30, &both);
  MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &matching);
  MPI_Type_dup(MPI_DOUBLE, &same);
  // Of a float the differences are rounded to 6e-8, over 1e-6.
  CHECK_TOGETHER_TO(names, N, 1e-6, 0.1);
  MPI_Type_free(&same);
  MPI_Finalize();
}
