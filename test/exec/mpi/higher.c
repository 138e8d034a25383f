//===- higher.c - second derivatives of several processes -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PROCESSES: 1 3
// UNCHECKED: a copy of one process has no one to talk to
//
// Tangents of adjoints, and adjoints of tangents, go from one process to
// another like any others. (A tape that is recorded itself cannot be, so the
// inner request is structured.)
//
//===----------------------------------------------------------------------===//

#include "processes.h"

enum { N = 4 };
#define WORLD MPI_COMM_WORLD

// Tangents of a gradient, and the gradient of a tangent.
VERSO_STRATEGY(structured)
static double nested(const double *x) {
  int rank = own_rank(), size = all_processes();
  double y[N], z[N], s, m;
  for (int i = 0; i < N; ++i)
    y[i] = x[i] * x[i] * x[(i + 1) % N];
  MPI_Sendrecv(y, N, MPI_DOUBLE, (rank + 1) % size, 1, z, N, MPI_DOUBLE,
               (rank + size - 1) % size, 1, WORLD, MPI_STATUS_IGNORE);
  double part = 0;
  for (int i = 0; i < N; ++i)
    part += z[i] * x[i];
  MPI_Allreduce(&part, &s, 1, MPI_DOUBLE, MPI_SUM, WORLD);
  MPI_Allreduce(&part, &m, 1, MPI_DOUBLE, MPI_MAX, WORLD);
  MPI_Bcast(y, N, MPI_DOUBLE, 0, WORLD);
  MPI_Comm own;
  double turned;
  MPI_Comm_split(WORLD, 0, -rank, &own);
  MPI_Scan(&part, &turned, 1, MPI_DOUBLE, MPI_SUM, own);
  MPI_Comm_free(&own);
  MPI_Comm_split(WORLD, rank, 0, &own); // With the same handle.
  MPI_Scan(&turned, &part, 1, MPI_DOUBLE, MPI_SUM, own);
  MPI_Comm_free(&own);
  return part * turned + sin(s) * y[0] * (rank + 1) + m * m;
}
static void gradient(const double *x, double *dx) {
  __verso_grad_void((void *)nested, verso_dup, x, dx);
}
static double tangent(const double *x, const double *v) {
  return __verso_jvp((void *)nested, verso_dup, x, v);
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double x[N], v[N], dx[N] = {0}, up[N] = {0}, down[N] = {0}, hv[N] = {0};
  double rv[N] = {0}, step = 1e-5;
  for (int i = 0; i < N; ++i) {
    x[i] = start_at(i);
    v[i] = 0.3 + 0.1 * i - 0.2 * own_rank();
  }
  __verso_jvp_void((void *)gradient, verso_dup, x, v, verso_dup, dx, hv);
  __verso_grad_void((void *)tangent, verso_dup, x, rv, verso_const, v);
  for (int i = 0; i < N; ++i)
    must_agree("tangent of gradient and gradient of tangent", hv[i], rv[i],
               1e-11);
  for (int i = 0; i < N; ++i)
    x[i] += step * v[i];
  gradient(x, up);
  for (int i = 0; i < N; ++i)
    x[i] -= 2 * step * v[i];
  gradient(x, down);
  for (int i = 0; i < N; ++i)
    must_agree("tangent of gradient and differences", hv[i],
               (up[i] - down[i]) / (2 * step), 1e-6);
  MPI_Finalize();
}
