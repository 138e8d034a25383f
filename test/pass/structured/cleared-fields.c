//===- cleared-fields.c - fields of records that a memset clears ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of what LLVM clears by one memset it is known by accesses that go by the same
// pointer that it is numbers, although the structure leads to integers, too.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -Rpass=verso -c %s -o /dev/null 2>&1 | FileCheck %s

extern int verso_dup;
void __verso_grad_void(void *, ...);

struct atom {
  double x[3], f[3];
  int kind;
};
struct molecule {
  int n, *next;
  struct atom *atoms;
};

static void forces(struct molecule *m) {
  for (int i = 0; i < m->n; ++i)
    m->atoms[i].f[0] = m->atoms[i].f[1] = m->atoms[i].f[2] = 0;
  for (int i = 0; i < m->n; ++i)
    for (int c = 0; c < 3; ++c)
      m->atoms[i].f[c] += m->atoms[i].x[c] * m->atoms[m->next[i]].x[c];
}

// CHECK: gradient of 'forces' by reversed control flow
void gradient(struct molecule *m, struct molecule *dm) {
  __verso_grad_void(forces, verso_dup, m, dm);
}
