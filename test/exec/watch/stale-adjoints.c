//===- stale-adjoints.c - what a request leaves is nobody's ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request gives adjoints to all that it reads, watched or not, and those that
// nobody watches stay. They must not come to life: where state is read, then
// overwritten, and read again, by each request of a row; by a pointer that
// leads to a local variable or to old memory; by copies, fills, and other
// types; in memory that is watched only later. Closed forms.
//
// LEVELS: O0 O1 O2g O3
//
//===----------------------------------------------------------------------===//

#include "../check.h"

void verso_watch(void *, size_t);
void verso_unwatch(void *);
void *verso_adjoint_of(const void *);

static double adjoint(const double *x) {
  return *(double *)verso_adjoint_of(x);
}

struct model {
  double w, state, other[3];
  int chooses;
};

// r = s x + (s w) x, with the state s read before it is overwritten.
CHECK_NOINLINE static double replaced(struct model *m, double x) {
  double r = m->state * x;
  m->state = m->state * m->w;
  return r + m->state * x;
}

CHECK_NOINLINE static double by_pointer(struct model *m, double x) {
  double local = 0;
  double *q = m->chooses ? &m->state : &local;
  double r = m->state * x;
  *q = m->w * x;
  r += *q * *q;
  *q = *q * 3;
  return r + *q;
}

CHECK_NOINLINE static double by_copies(struct model *m, double x) {
  double r = m->other[0] * x + m->other[1] + m->other[2] * 2;
  double block[3] = {m->w, m->w * m->w, x};
  memcpy(m->other, block, sizeof block);
  r += m->other[0] * m->other[1] * m->other[2];
  memmove(m->other + 1, m->other, 2 * sizeof(double));
  r += m->other[2];
  memset(m->other, 0, sizeof m->other);
  return r + m->other[0] * m->w;
}

// A copy that is a function of the library's.
void *__memcpy_chk(void *, const void *, size_t, size_t);
CHECK_NOINLINE static double by_library(struct model *m, double x, size_t n) {
  double r = m->other[0] * x;
  double block[3] = {m->w * x, m->w, x};
  __memcpy_chk(m->other, block, n, sizeof m->other);
  return r + m->other[0] * m->other[1];
}

CHECK_NOINLINE static double cubed(const double *w) { return *w * *w * *w; }
CHECK_NOINLINE static double alone(double x) { return x * x; }

double later[2] = {2, 5};

int main(void) {
  struct model m = {3, 0.5, {1, 2, 3}, 1};
  verso_watch(&m.w, sizeof m.w);
  for (int k = 0; k < 4; ++k) {
    m.state = 0.5 + k;
    double state = m.state, x = 2 + k;
    CHECK_EQUAL(__verso_grad(replaced, verso_const, &m, x),
                state + state * m.w);
    CHECK_EQUAL(adjoint(&m.w), state * x);
  }
  for (int k = 0; k < 6; ++k) {
    m.chooses = k & 1;
    m.state = 0.25 * k;
    double state = m.state, x = 1 + k;
    CHECK_EQUAL(__verso_grad(by_pointer, verso_const, &m, x),
                state + 2 * m.w * m.w * x + 3 * m.w);
    CHECK_EQUAL(adjoint(&m.w), 2 * m.w * x * x + 3 * x);
  }
  for (int k = 0; k < 4; ++k) {
    const double old[3] = {1 + k, 2, 3};
    memcpy(m.other, old, sizeof old);
    double x = 1 + k;
    CHECK_EQUAL(__verso_grad(by_copies, verso_const, &m, x),
                old[0] + m.w * m.w * m.w);
    CHECK_EQUAL(adjoint(&m.w), 3 * m.w * m.w * x + 2 * m.w);
  }
  for (int k = 0; k < 4; ++k) {
    double x = m.other[0] = 1 + k;
    CHECK_EQUAL(__verso_grad(by_library, verso_const, &m, x, sizeof m.other),
                1 + k + m.w * m.w);
    CHECK_EQUAL(adjoint(&m.w), 2 * m.w * x);
  }
  // What was read by others is watched now: nothing is there.
  m.state = 1;
  __verso_grad(replaced, verso_const, &m, 2.0);
  verso_watch(m.other, sizeof m.other);
  CHECK_EQUAL(adjoint(&m.other[0]), 0);
  // Nor is it after a request that reads nothing of the kind.
  CHECK_EQUAL(__verso_grad(alone, 3.0), 6);
  CHECK_EQUAL(adjoint(&m.w), 0);
  verso_watch(&later[1], sizeof(double));
  CHECK_EQUAL(
      (__verso_grad_void(cubed, verso_const, &later[0]), adjoint(&later[1])),
      0);
  CHECK_EQUAL(
      (__verso_grad_void(cubed, verso_const, &later[1]), adjoint(&later[1])),
      75);
  // What is watched once more keeps them, and what is beside it has none.
  verso_watch(later, sizeof later);
  CHECK_EQUAL(adjoint(&later[1]), 75);
  CHECK_EQUAL(adjoint(&later[0]), 0);
  verso_unwatch(later);
  verso_unwatch(&later[1]);
  verso_watch(&later[1], sizeof(double));
  CHECK_EQUAL(adjoint(&later[1]), 0);
  return check_status();
}
