//===- forwards.c - reverses of iterations in the order of the recto ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations that are told by the one before, of lists and chains of indices:
// where they only add up, the verso runs forwards. Several sums, conditions,
// differences, lists of lists, a number from outside, one that is looked at on
// its way, a product, the last number of the list, sums that are given out of
// the middle: these depend on the order, or not. The judge is the tape.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "verso/verso.h"

#include <math.h>

typedef struct Node {
  double value, weight;
  struct Node *next;
} Node;

enum { NODES = 12 };

#define BOTH(NAME, ...)                                                        \
  VERSO_STRATEGY(structured)                                                   \
  CHECK_NOINLINE static double NAME(Node *const *lists, const double *x,       \
                                    const int *links, int n)                   \
      __VA_ARGS__ VERSO_STRATEGY(taped) CHECK_NOINLINE                         \
      static double NAME##_taped(Node *const *lists, const double *x,          \
                                 const int *links, int n) __VA_ARGS__

BOTH(squares, {
  double sum = x[0];
  for (const Node *p = lists[0]; p; p = p->next)
    sum += p->value * p->value;
  return sum * n;
})

BOTH(two_sums, {
  double a = 0, b = 1;
  for (const Node *p = lists[0]; p; p = p->next) {
    a += p->value * x[1];
    b -= sin(p->weight) * p->value;
  }
  return 2 * a + b * n;
})

BOTH(conditions, {
  double a = 0;
  int i = 0;
  for (const Node *p = lists[0]; p; p = p->next, ++i) {
    double t = p->value;
    if (i % 3 == n % 3)
      t = t * p->weight;
    else if (p->weight > 0.5)
      t = exp(t);
    a += t * i;
  }
  return a;
})

BOTH(lists_of_lists, {
  double all = 0;
  for (int k = 0; k < 3; ++k) {
    double sum = 0;
    for (const Node *p = lists[k]; p; p = p->next)
      sum += p->value * p->weight;
    all += sum * (k + 1);
  }
  return all * n;
})

BOTH(chain, {
  double a = 0;
  for (int k = links[0]; k > 0; k = links[k])
    a += x[k] * x[k] * x[n % 3];
  return a;
})

BOTH(generator, {
  unsigned state = 17;
  double a = 0;
  do {
    state = state * 1664525u + 1013904223u;
    a += x[state >> 29] * sin(x[n % 3]);
  } while (state >> 28 != 9);
  return a;
})

// What is added up is needed, so the program runs, too.
BOTH(needed, {
  double sum = x[0];
  for (const Node *p = lists[0]; p; p = p->next)
    sum += p->value * p->value;
  return sum * sum * n;
})

// The order of these is that of the program.
BOTH(product, {
  double a = 1;
  for (const Node *p = lists[0]; p; p = p->next)
    a *= p->value;
  return a * n;
})

BOTH(looked_at, {
  double a = 0;
  double b = 0;
  for (const Node *p = lists[0]; p; p = p->next) {
    a += p->value;
    b += a * p->weight;
  }
  return b * n;
})

BOTH(horner, {
  double a = 0;
  for (const Node *p = lists[0]; p; p = p->next)
    a = a * x[0] + p->value;
  return a * n;
})

BOTH(last, {
  double a = 0;
  double b = 0;
  for (const Node *p = lists[0]; p; p = p->next) {
    a = p->value * p->weight;
    b += a * a;
  }
  return a * b * n;
})

BOTH(before_last, {
  double a = 0;
  double b = 0;
  for (const Node *p = lists[0]; p; p = p->next) {
    b = a;
    a += p->value * p->weight;
  }
  return b * b * n;
})

BOTH(swapped, {
  double a = x[0];
  double b = x[1];
  for (const Node *p = lists[0]; p; p = p->next) {
    double t = a + p->value;
    a = b;
    b = t;
  }
  return a * b * b * n;
})

BOTH(chosen, {
  double a = 0;
  for (const Node *p = lists[0]; p; p = p->next)
    if (a < 2)
      a += p->value * p->weight;
  return a * a * n;
})

typedef struct {
  Node nodes[NODES];
  Node *lists[3];
  double x[8];
} World;

static void fill(World *w, double scale, int nodes) {
  for (int i = 0; i < NODES; ++i) {
    w->nodes[i].value = scale * (0.3 + 0.1 * ((i * 5) % 7));
    w->nodes[i].weight = scale * (0.2 + 0.1 * ((i * 3) % 8));
    w->nodes[i].next = i + 3 < nodes ? &w->nodes[i + 3] : 0;
  }
  for (int k = 0; k < 3; ++k)
    w->lists[k] = k < nodes ? &w->nodes[k] : 0;
  for (int i = 0; i < 8; ++i)
    w->x[i] = scale * (0.4 + 0.1 * i);
}

#define RUN(NAME)                                                              \
  for (volatile int v = 0; v <= NODES; ++v) {                                  \
    int n = v + 1;                                                             \
    int links[8] = {3, 5, 0, 6, 1, 2, 4, v % 2};                               \
    World w, d[2];                                                             \
    for (int k = 0; k < 2; ++k) {                                              \
      fill(&w, 1, v);                                                          \
      fill(&d[k], 0, v);                                                       \
      if (k)                                                                   \
        __verso_grad((void *)NAME##_taped, verso_dup, w.lists, d[k].lists,     \
                     verso_dup, w.x, d[k].x, verso_const, links, verso_const,  \
                     n);                                                       \
      else                                                                     \
        __verso_grad((void *)NAME, verso_dup, w.lists, d[k].lists, verso_dup,  \
                     w.x, d[k].x, verso_const, links, verso_const, n);         \
    }                                                                          \
    for (int i = 0; i < NODES; ++i) {                                          \
      CHECK_CLOSE(d[0].nodes[i].value, d[1].nodes[i].value, 1e-12);            \
      CHECK_CLOSE(d[0].nodes[i].weight, d[1].nodes[i].weight, 1e-12);          \
    }                                                                          \
    for (int i = 0; i < 8; ++i)                                                \
      CHECK_CLOSE(d[0].x[i], d[1].x[i], 1e-12);                                \
  }

int main(void) {
  RUN(squares)
  RUN(two_sums)
  RUN(conditions)
  RUN(lists_of_lists)
  RUN(chain)
  RUN(generator)
  RUN(needed)
  RUN(product)
  RUN(looked_at)
  RUN(horner)
  RUN(last)
  RUN(before_last)
  RUN(swapped)
  RUN(chosen)
  return check_status();
}
