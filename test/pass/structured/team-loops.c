//===- team-loops.c - loops of gradients that threads share ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sweeps of a loop that the program shares start a team. Cells that all
// iterations add to are each thread's own and added up in the end; the last
// iterations of a stencil's part wait for all threads; cells that an index tells
// are added to atomically by a function for several threads; sums have a place for
// each thread. What makes one thread run a loop is said in a remark.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -fopenmp -gline-tables-only -S -emit-llvm %s -o %t.ll \
// RUN:   -Rpass=verso -Rpass-missed=verso 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: FileCheck %s --input-file=%t.ll
// LLVM 19 does not tell where the cells of an inner loop end: they are added to
// atomically.
// RUN: %if llvm22 %{ FileCheck %s --check-prefix=OWN --input-file=%t.ll %}

extern int verso_dup, verso_const, verso_out;
void __verso_grad_void(void *, ...);

// REMARK-DAG: team-loops.c:[[#@LINE+8]]:1: threads share the reverse sweep
// The value is not asked for: the forward sweep is left out.
// OWN-LABEL: define internal void @verso.gradient.parameters(
// OWN: @__kmpc_fork_call({{.*}}@verso.gradient.parameters.team.entry
// OWN: call ptr @__verso_team_room(
static double parameters(const double *restrict x, const double *restrict p,
                         long n, long m) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; ++i) {
    double t = 0;
    for (long j = 0; j < m; ++j)
      t += x[i] * p[j];
    s += t * t;
  }
  return s;
}

// REMARK-DAG: team-loops.c:[[#@LINE+5]]:1: threads share the forward sweep
// REMARK-DAG: team-loops.c:[[#@LINE+4]]:1: threads share the reverse sweep
// CHECK-LABEL: define internal void @verso.gradient.stencil.disjoint.arguments(
// CHECK-COUNT-2: @__kmpc_fork_call(
static void stencil(const double *restrict x, double *restrict y, long n) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    y[i] = x[i - 1] * x[i] + x[i + 1] * x[i];
}

// REMARK-DAG: team-loops.c:[[#@LINE+3]]:1: threads share the reverse sweep
static void gathered(const double *restrict x, double *restrict y,
                     const int *restrict at, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    y[i] = x[at[i]] * x[at[i]];
}

// REMARK-DAG: team-loops.c:[[#@LINE+3]]:1: one thread runs the forward sweep: an iteration hands on what the next one uses
static double largest(const double *restrict x, long n) {
  double m = x[0];
#pragma omp parallel for reduction(max : m)
  for (long i = 1; i < n; ++i)
    m = x[i] > m ? x[i] : m;
  return m * m;
}

// Threads take turns: nothing is said to be shared.
// REMARK-NOT: team-loops.c:[[#@LINE+5]]:1: threads share
// CHECK-LABEL: define internal void @verso.gradient.turns(
// CHECK-NOT: @__kmpc_fork_call(
// CHECK: ret void
static void turns(const double *restrict x, double *restrict y, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
#pragma omp critical
    y[0] += x[i] * x[i];
  }
}

void gradients(double *x, double *dx, double *y, double *dy, int *at, long n) {
  __verso_grad_void(parameters, verso_dup, x, dx, verso_dup, y, dy, n, n);
  __verso_grad_void(stencil, verso_dup, x, dx, verso_dup, y, dy, n);
  __verso_grad_void(gathered, verso_dup, x, dx, verso_dup, y, dy, verso_const,
                    at, n);
  __verso_grad_void(largest, verso_dup, x, dx, n);
  __verso_grad_void(turns, verso_dup, x, dx, verso_dup, y, dy, n);
}

// OWN: define internal void @verso.gradient.parameters.team
// OWN: call void @__kmpc_barrier(
// OWN: call void @__verso_team_add_doubles(
// CHECK: define internal void @verso.gradient.gathered.{{.*}}team{{.*}}.several(
// CHECK: atomicrmw fadd ptr {{.*}} monotonic
