//===- inactive-writes-unseen.cpp - numbers that nobody sees written ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inactive function without a body here that takes a pointer to numbers that
// are not const may overwrite them. Where the object's size is not known, the
// program has to say what is constant behind the call: an error in every mode.
// A pointer to const numbers, a local array and a pointer that is detached are
// none.
//
//===----------------------------------------------------------------------===//

// RUN: not %clangxx_verso -O1 -gline-tables-only -c %s -o %t.o 2> %t.1
// RUN: FileCheck %s < %t.1
// RUN: not %clangxx_verso -O0 -gline-tables-only -mllvm -verso-strategy=taped -c %s -o %t.o 2> %t.0
// RUN: FileCheck %s < %t.0

#include <stddef.h>

extern "C" void __verso_grad(void *, ...);
extern "C" void __verso_jvp(void *, ...);
extern "C" void verso_detach(void *, size_t);
#define INACTIVE __attribute__((annotate("verso_inactive")))
#define NOINLINE __attribute__((noinline))

INACTIVE void fetch(double *to, int n);
INACTIVE void look(const double *from, int n);

NOINLINE static double right(double *x) {
  double t[2] = {x[0], x[1]};
  look(x, 2);
  fetch(t, 1);
  fetch(x + 1, 1);
  verso_detach(x + 1, sizeof(double));
  return t[0] * t[1] * x[0];
}
NOINLINE static double wrong(double *x) {
  // CHECK: inactive-writes-unseen.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the inactive function 'fetch(double*, int)' may overwrite numbers{{.*}}'wrong{{.*}}verso_detach
  fetch(x, 2);
  return x[0] * x[1];
}
NOINLINE static double forward(double **x) {
  // CHECK: inactive-writes-unseen.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the inactive function 'fetch(double*, int)'{{.*}}'forward
  fetch(x[1], 2);
  return x[1][0] * x[0][0];
}
// CHECK-NOT: error:

void requests(double *x, double *d, double **p, double **q) {
  __verso_grad((void *)right, x, d);
  __verso_grad((void *)wrong, x, d);
  __verso_jvp((void *)forward, p, q);
}
