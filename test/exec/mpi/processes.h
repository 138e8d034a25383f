//===- processes.h - derivatives of several processes together --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CHECK_TOGETHER(f, n): f(x), of n numbers that each process has, is one function
// of all numbers, the sum of what f returns on all processes. Reverse mode is
// compared with forward mode by the dot-product test, and forward mode with
// differences.
//
//===----------------------------------------------------------------------===//

#ifndef PROCESSES_H
#define PROCESSES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <verso/mpi.h>

static inline int own_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
static inline int all_processes(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
static inline double sum_of_all(double x) {
  double sum;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
static inline void must_agree(const char *what, double a, double b,
                              double tolerance) {
  if (fabs(a - b) <= tolerance * (fabs(a) + fabs(b)))
    return;
  printf("process %d: %s: %.17g %.17g\n", own_rank(), what, a, b);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static inline double start_at(int i) {
  return 0.5 + 0.1 * own_rank() + 0.03 * i;
}

// Rounding grows with the number of operations; differences are of step 1e-6.
#define CHECK_TOGETHER(FUNCTION, COUNT)                                        \
  CHECK_TOGETHER_TO(FUNCTION, COUNT, 1e-12, 1e-6)
#define CHECK_TOGETHER_TO(FUNCTION, COUNT, ROUNDING, OF_DIFFERENCES)           \
  do {                                                                         \
    enum { Count_ = (COUNT) };                                                 \
    double x_[Count_], dx_[Count_] = {0}, v_[Count_], product_ = 0, value_;    \
    double plain_, tangent_, up_, step_ = 1e-6;                                \
    for (int i_ = 0; i_ < Count_; ++i_) {                                      \
      x_[i_] = start_at(i_);                                                   \
      v_[i_] = 0.2 + 0.1 * (i_ % 7) - 0.3 * own_rank();                        \
    }                                                                          \
    plain_ = FUNCTION(x_);                                                     \
    MPI_Barrier(MPI_COMM_WORLD);                                               \
    value_ = __verso_value_and_grad((void *)FUNCTION, verso_dup, x_, dx_);     \
    MPI_Barrier(MPI_COMM_WORLD);                                               \
    must_agree(#FUNCTION ": value", sum_of_all(value_), sum_of_all(plain_),    \
               1e-14);                                                         \
    for (int i_ = 0; i_ < Count_; ++i_)                                        \
      product_ += v_[i_] * dx_[i_];                                            \
    tangent_ = sum_of_all(                                                     \
        __verso_jvp((void *)FUNCTION, verso_dup, x_, v_));                       \
    MPI_Barrier(MPI_COMM_WORLD);                                               \
    must_agree(#FUNCTION ": reverse and forward", sum_of_all(product_),        \
               tangent_, ROUNDING);                                            \
    for (int i_ = 0; i_ < Count_; ++i_)                                        \
      x_[i_] += step_ * v_[i_];                                                \
    up_ = FUNCTION(x_);                                                        \
    MPI_Barrier(MPI_COMM_WORLD);                                               \
    for (int i_ = 0; i_ < Count_; ++i_)                                        \
      x_[i_] -= 2 * step_ * v_[i_];                                            \
    up_ -= FUNCTION(x_);                                                       \
    MPI_Barrier(MPI_COMM_WORLD);                                               \
    must_agree(#FUNCTION ": forward and differences", tangent_,                \
               sum_of_all(up_) / (2 * step_), OF_DIFFERENCES);                 \
  } while (0)

#endif // PROCESSES_H
