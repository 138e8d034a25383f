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

// A number or two integers, moved as a word into a block that old memory leads
// to, where a request before had read numbers.
union either {
  double d;
  long word;
  struct {
    float a;
    int b;
  } both;
};
struct holder {
  double w[4];
  union either *block;
};
CHECK_NOINLINE static double by_words(struct holder *h, double x) {
  union either *v = malloc(64), u[8];
  h->block = v;
  for (int i = 0; i < 8; ++i)
    if (i % 3)
      u[i].d = h->w[i & 3] * x;
    else
      u[i].both.a = i, u[i].both.b = i;
  for (int i = 0; i < 8; ++i)
    v[i].word = u[7 - i].word;
  double r = 0;
  for (int i = 0; i < 8; ++i)
    if ((7 - i) % 3)
      r += v[i].d * v[i].d;
    else
      r += v[i].both.a * x;
  free(v);
  return r;
}
CHECK_NOINLINE static double summed(const double *p, double x) {
  double r = 0;
  for (int i = 0; i < 8; ++i)
    r += p[i] * x;
  return r;
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
  struct holder h = {{1, 2, 3, 4}, 0};
  verso_watch(h.w, sizeof h.w);
  for (int k = 0; k < 3; ++k) {
    double *p = malloc(64), x = 1 + k;
    for (int i = 0; i < 8; ++i)
      p[i] = i;
    CHECK_EQUAL(__verso_grad(summed, verso_const, p, 1.0), 28);
    free(p);
    // Numbers are those of i = 1, 2, 4, 5 and 7, the others sum up to 9.
    CHECK_EQUAL(__verso_grad(by_words, verso_const, &h, x),
                2 * x * (4 + 9 + 1 + 4 + 16) + 9);
    CHECK_EQUAL(adjoint(&h.w[0]), 2 * x * x);
    CHECK_EQUAL(adjoint(&h.w[1]), 2 * x * x * 2 * 2);
    CHECK_EQUAL(adjoint(&h.w[2]), 2 * x * x * 3);
    CHECK_EQUAL(adjoint(&h.w[3]), 2 * x * x * 4);
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
