//===- applications.c - programs of several processes ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PROCESSES: 2 3
// UNCHECKED: a copy of one process has no one to talk to
//
// A step of training with parameters from the first process and the loss of all
// data; conjugate gradients; bodies that all know of each other. Gradients are
// those of one process that computes all.
//
//===----------------------------------------------------------------------===//

#include "processes.h"

enum { N = 12 };
#define WORLD MPI_COMM_WORLD

// How many of N each has, and where they begin.
static int part_of(int rank, int size) { return N / size + (rank < N % size); }
static int begin_of(int rank, int size) {
  int begin = 0;
  for (int p = 0; p < rank; ++p)
    begin += part_of(p, size);
  return begin;
}

// The loss of a network of two layers; only the first process has the
// parameters, and it alone returns the loss.
static double error_of(const double *w, int k) {
  double t = 0.1 * k, y = 0;
  for (int j = 0; j < N / 3; ++j)
    y += w[3 * j] * tanh(w[3 * j + 1] * t + w[3 * j + 2]);
  return (y - sin(t)) * (y - sin(t));
}
static double training(const double *w) {
  double own[N], sum = 0, all = 0;
  int rank = own_rank();
  for (int i = 0; i < N; ++i)
    own[i] = rank ? 0 : w[i];
  MPI_Bcast(own, N, MPI_DOUBLE, 0, WORLD);
  for (int k = rank; k < 20; k += all_processes())
    sum += error_of(own, k);
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, WORLD);
  return all;
}
static double training_alone(const double *w) {
  double sum = 0;
  for (int k = 0; k < 20; ++k)
    sum += error_of(w, k);
  return sum;
}

// Each has rows of a matrix and of b; x[i] is on the diagonal.
static double dot(const double *a, const double *b, int n, int is_alone) {
  double sum = 0, all;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  if (is_alone)
    return sum;
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, WORLD);
  return all;
}
static double solve(const double *x, int is_alone) {
  int size = is_alone ? 1 : all_processes(), rank = is_alone ? 0 : own_rank();
  int n = part_of(rank, size), begin = begin_of(rank, size), counts[8], at[8];
  double u[N] = {0}, r[N], p[N], whole[N], q[N];
  for (int k = 0; k < size; ++k) {
    counts[k] = part_of(k, size);
    at[k] = begin_of(k, size);
  }
  for (int i = 0; i < n; ++i)
    p[i] = r[i] = 1 + 0.1 * (begin + i);
  double rr = dot(r, r, n, is_alone);
  for (int k = 0; k < 5; ++k) {
    if (is_alone)
      for (int i = 0; i < n; ++i)
        whole[i] = p[i];
    else
      MPI_Allgatherv(p, n, MPI_DOUBLE, whole, counts, at, MPI_DOUBLE, WORLD);
    for (int i = 0; i < n; ++i) {
      q[i] = (4 + x[i]) * p[i];
      for (int j = 0; j < N; ++j)
        q[i] += whole[j] * 0.1 / (1 + (begin + i - j) * (begin + i - j));
    }
    double alpha = rr / dot(p, q, n, is_alone);
    for (int i = 0; i < n; ++i) {
      u[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    double next = dot(r, r, n, is_alone);
    for (int i = 0; i < n; ++i)
      p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += u[i] * u[i] * (begin + i);
  return sum;
}
static double conjugate(const double *x) { return solve(x, 0); }
static double conjugate_alone(const double *x) { return solve(x, 1); }

// What is returned is each body's own part of the energy.
static double energy(const double *x, const double *all, int n, int begin) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < N; ++j)
      if (begin + i != j)
        sum += 1 / sqrt(0.1 + (x[i] - all[j]) * (x[i] - all[j]));
  return sum;
}
static double bodies(const double *x) {
  int size = all_processes(), rank = own_rank(), counts[8], at[8];
  double all[N];
  for (int k = 0; k < size; ++k) {
    counts[k] = part_of(k, size);
    at[k] = begin_of(k, size);
  }
  MPI_Allgatherv(x, counts[rank], MPI_DOUBLE, all, counts, at, MPI_DOUBLE,
                 WORLD);
  return energy(x, all, counts[rank], at[rank]);
}
static double bodies_alone(const double *x) { return energy(x, x, N, 0); }

// `n` numbers from `begin` on are this process's.
#define COMPARE(F, BEGIN, COUNT)                                               \
  do {                                                                         \
    double x[N], whole[N] = {0}, own[N] = {0};                                 \
    for (int i = 0; i < N; ++i)                                                \
      x[i] = 0.4 + 0.02 * i * i;                                               \
    __verso_grad_void((void *)F##_alone, verso_dup, x, whole);                 \
    __verso_grad_void((void *)F, verso_dup, x + (BEGIN), own);                 \
    for (int i = 0; i < (COUNT); ++i)                                          \
      must_agree(#F ": alone", own[i], whole[(BEGIN) + i], 1e-12);             \
  } while (0)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK_TOGETHER(training, N);
  CHECK_TOGETHER(conjugate, N);
  CHECK_TOGETHER(bodies, N);
  int size = all_processes(), rank = own_rank();
  COMPARE(training, 0, rank ? 0 : N);
  COMPARE(conjugate, begin_of(rank, size), part_of(rank, size));
  COMPARE(bodies, begin_of(rank, size), part_of(rank, size));
  MPI_Finalize();
}
