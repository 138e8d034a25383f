//===- debug-info.c - -g gives the same code -------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same instructions with debug information as without, user's code and
// generated code alike, in reverse and in forward mode. Only the texts that
// name a request differ, so operands that are distances to data are left out.
//
//===----------------------------------------------------------------------===//

// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O2 -c %s -o %t.plain.o
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O2 -g -c %s -o %t.debug.o
// RUN: llvm-objdump -d --no-addresses --no-show-raw-insn %t.plain.o | grep -v 'file format' > %t.plain.s
// RUN: llvm-objdump -d --no-addresses --no-show-raw-insn %t.debug.o | grep -v 'file format' > %t.debug.s
// RUN: diff %t.plain.s %t.debug.s
// RUN: FileCheck %s < %t.debug.s
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O0 -c %s -o %t.plain.o
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O0 -g -c %s -o %t.debug.o
// RUN: llvm-objdump -d --no-addresses --no-show-raw-insn %t.plain.o | grep -v 'file format' > %t.plain.s
// RUN: llvm-objdump -d --no-addresses --no-show-raw-insn %t.debug.o | grep -v 'file format' > %t.debug.s
// RUN: diff %t.plain.s %t.debug.s

// CHECK: <gradients>:
// CHECK: <integrate.twin>:

#include <math.h>
#include <stdlib.h>

double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);
extern int verso_dup;

struct point {
  double position, speed;
  struct point *next;
};

__attribute__((noinline)) static double integrate(struct point *p, int n,
                                                  double h) {
  double energy = 0;
  for (int i = 0; i < n; ++i) {
    double force = -sin(p->position);
    if (p->speed > 10)
      break;
    p->speed += h * force;
    p->position += h * p->speed;
    energy += p->speed * p->speed;
    p = p->next ? p->next : p;
  }
  return energy;
}

static double total(struct point *p, int n, double h) {
  double *history = malloc(n * sizeof *history), sum = 0;
  for (int i = 0; i < n; ++i)
    history[i] = integrate(p, i, h);
  for (int i = 0; i < n; ++i)
    sum += history[i];
  free(history);
  return sum;
}

double gradients(struct point *p, struct point *dp, int n, double h) {
  double by_step = __verso_grad(total, verso_dup, p, dp, n, h);
  return by_step + __verso_jvp(total, verso_dup, p, dp, n, h, 1.0);
}
