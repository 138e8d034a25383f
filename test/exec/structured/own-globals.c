//===- own-globals.c - static variables that lead to the program's data ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program whose state hangs on static variables. What they led to before the
// request does not count once they are written (`world`); it does where they
// are read first (`kept`), and what they lead to is seen by functions that
// pointers lead to (`first`) and by the next request.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

//===- The state is made anew
//----------------------------------------------===//

struct world;
typedef struct mass {
  double x, v;
  struct mass *next;
} mass;
typedef struct world {
  mass *first;
  double pull;
  void (*on_step)(struct world *, mass *);
  mass **all;
  int count, room;
} world;
static world *the_world;

static void drag(world *w, mass *m) { m->v *= 1 - 0.001 * w->pull * m->x; }
static void add_mass(double x) {
  world *w = the_world;
  mass *m = (mass *)malloc(sizeof *m);
  m->x = x;
  m->v = 0;
  m->next = w->first;
  w->first = m;
  if (w->count == w->room) {
    w->room = 2 * w->room + 1;
    w->all = (mass **)realloc(w->all, (size_t)w->room * sizeof *w->all);
    if (!w->all) {
      perror("realloc");
      exit(1);
    }
  }
  w->all[w->count++] = m;
}
static void step(double dt) {
  for (mass *m = the_world->first; m; m = m->next) {
    m->v -= dt * the_world->pull;
    m->x += dt * m->v;
    if (the_world->on_step)
      the_world->on_step(the_world, m);
  }
}
CHECK_NOINLINE static double fall(double *p) {
  the_world = (world *)calloc(1, sizeof *the_world);
  the_world->pull = p[0];
  the_world->on_step = drag;
  for (int i = 1; i < 4; ++i)
    add_mass(p[i]);
  for (int i = 0; i < 40; ++i)
    step(0.05);
  double sum = 0;
  for (int i = 0; i < the_world->count; ++i)
    sum += the_world->all[i]->x * (i + 1) + the_world->all[i]->v;
  while (the_world->first) {
    mass *next = the_world->first->next;
    free(the_world->first);
    the_world->first = next;
  }
  free(the_world->all);
  free(the_world);
  the_world = NULL;
  return sum;
}

//===- The state is what it was
//--------------------------------------------===//

static struct {
  double *numbers;
  int calls;
  double factor;
} kept;
static double here[2] = {3, 5};

CHECK_NOINLINE static double product(double *p) {
  if (!kept.numbers)
    kept.numbers = here;
  ++kept.calls;
  double *old = kept.numbers;
  double sum = p[0] * p[0] * old[0] + p[1] * old[1] + kept.factor * p[0];
  kept.factor = p[1];
  return sum + kept.factor * p[0];
}

//===- A function that a pointer leads to reads it
//-------------------------===//

typedef struct item {
  double value;
  struct item *next;
} item;
static item *first;

static double sum_of_list(const double *p) {
  double sum = 0;
  for (item *i = first; i; i = i->next)
    sum += i->value * i->value * p[0];
  return sum;
}
static double no_list(const double *p) { return p[0]; }
typedef double function(const double *);
struct chosen {
  function *f;
};
CHECK_NOINLINE static double list(double *p) {
  struct chosen *c = (struct chosen *)malloc(sizeof *c);
  c->f = p[0] > 100 ? no_list : sum_of_list;
  item a = {p[0], NULL}, b = {p[1], &a};
  first = &b;
  double sum = c->f(p);
  first = &a;
  sum += c->f(p);
  first = NULL;
  free(c);
  return sum;
}

int main(void) {
  double p[4] = {9.81, 1, 0.5, 2}, dp[4] = {0};
  for (int i = 0; i < 2; ++i) {
    memset(dp, 0, sizeof dp);
    __verso_grad_void((void *)fall, verso_dup, p, dp);
    CHECK_GRADIENT(fall, 4, p, dp, 1e-7);
    CHECK(!the_world);
  }

  double q[2] = {1.5, 2}, dq[2] = {0};
  __verso_grad_void((void *)product, verso_dup, q, dq);
  CHECK_CLOSE(dq[0], 2 * 1.5 * 3 + 2, 1e-14);
  CHECK_CLOSE(dq[1], 5 + 1.5, 1e-14);
  CHECK(kept.numbers == here);
  CHECK_EQUAL(kept.factor, 2);
  double there[2] = {7, 11};
  kept.numbers = there;
  memset(dq, 0, sizeof dq);
  __verso_grad_void((void *)product, verso_dup, q, dq);
  // What it holds of the last request is a constant.
  CHECK_CLOSE(dq[0], 2 * 1.5 * 7 + 2 + 2, 1e-14);
  CHECK_CLOSE(dq[1], 11 + 1.5, 1e-14);
  CHECK_EQUAL(kept.calls, 2);

  memset(dq, 0, sizeof dq);
  __verso_grad_void((void *)list, verso_dup, q, dq);
  CHECK_GRADIENT(list, 2, q, dq, 1e-7);
  return check_status();
}
