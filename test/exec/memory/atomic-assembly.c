//===- atomic-assembly.c - atomic operations as assembly ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries older than C11 write exchanges, compare-and-exchanges and counters
// as assembly: of pointers (a list of free nodes, which hold numbers), of the
// bits of numbers, of counts of references.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double __verso_jvp(void *, ...);

typedef struct Node {
  double value[2];
  struct Node *next;
  int references;
} Node;
/// More than is written, as a library has it that says so instead of "memory".
struct Large {
  unsigned words[32];
};

static void *exchange(void *volatile *place, void *value) {
  void *old;
  __asm__ volatile("xchg %2, %0;"
                   : "=m"(*(volatile struct Large *)place), "=r"(old)
                   : "1"(value), "m"(*place)
                   : "memory");
  return old;
}
static char replace(void *volatile *place, void *expected, void *value) {
  char done;
  __asm__ volatile("lock; cmpxchg %3, %0;"
                   "setzb %1;"
                   : "=m"(*(volatile struct Large *)place), "=a"(done)
                   : "a"(expected), "r"(value), "m"(*place)
                   : "memory", "cc");
  return done;
}
static uint64_t replace_bits(volatile uint64_t *place, uint64_t expected,
                             uint64_t value) {
  uint64_t old;
  __asm__ volatile("lock\n\tcmpxchgq %1,(%2)"
                   : "=a"(old)
                   : "r"(value), "r"(place), "0"(expected)
                   : "memory");
  return old;
}
static int add(volatile int *place, int more) {
  __asm__ volatile("lock; xaddl %0, %1"
                   : "+r"(more), "+m"(*place)
                   :
                   : "memory");
  return more;
}
static void increment(volatile int *place) {
  __asm__ volatile("lock; incl %0" : "+m"(*place));
}
static unsigned char decrement(volatile int *place) {
  unsigned char zero;
  __asm__ volatile("lock; decl %0; sete %1"
                   : "+m"(*place), "=qm"(zero)
                   :
                   : "memory");
  return zero;
}
static void mask(volatile int *place, int bits) {
  __asm__ volatile("lock; andl %1,%0" : "+m"(*place) : "ir"(bits) : "memory");
}

static void *volatile pool;

static Node *take(void) {
  Node *node = exchange(&pool, 0);
  if (node)
    exchange(&pool, node->next);
  else
    node = malloc(sizeof(Node));
  node->references = 0;
  increment(&node->references);
  return node;
}
static void give(Node *node) {
  if (!decrement(&node->references))
    return;
  void *head;
  do {
    head = pool;
    node->next = head;
  } while (!replace(&pool, head, node));
}

CHECK_NOINLINE static double nodes(const double *x, int n) {
  double sum = 0;
  volatile int count = 6;
  for (int i = 0; i < n; ++i) {
    Node *a = take(), *b = take();
    a->value[0] = x[i] * x[i];
    increment(&b->references);
    b->value[1] = a->value[0] * x[0];
    give(b);
    sum += b->value[1] * add(&count, 1);
    give(b);
    give(a);
  }
  mask(&count, 3);
  return sum * count;
}

/// Numbers that lie in the nodes from before are found by way of the list.
CHECK_NOINLINE static double stacked(const double *x, int n) {
  Node all[4];
  void *volatile top = 0;
  for (int i = 0; i < n; ++i) {
    all[i].value[0] = x[i] * x[i];
    all[i].next = exchange(&top, &all[i]);
  }
  double sum = 0;
  int weight = 1;
  for (Node *node = top; node; node = node->next)
    sum += weight++ * node->value[0];
  return sum;
}

CHECK_NOINLINE static double bits(const double *x, int n) {
  double cell = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t old, new;
    do {
      memcpy(&old, &cell, sizeof old);
      double sum = cell + x[i] * x[i];
      memcpy(&new, &sum, sizeof new);
    } while (replace_bits((volatile uint64_t *)&cell, old, new) != old);
  }
  return cell * cell;
}

int main(void) {
  double x[] = {1, 2, 3}, dx[3] = {0};
  // (6 x0^2 + 7 x1^2 + 8 x2^2) x0 * (9 & 3)
  __verso_grad_void(nodes, verso_dup, x, dx, 3);
  CHECK_EQUAL(dx[0], 18 + 7 * 4 + 8 * 9);
  CHECK_EQUAL(dx[1], 2 * 7 * 2);
  CHECK_EQUAL(dx[2], 2 * 8 * 3);
  double ds[3] = {0};
  __verso_grad_void(stacked, verso_dup, x, ds, 3);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(ds[i], 2 * x[i] * (3 - i));
  double db[3] = {0}, v[] = {1, 0, 0};
  __verso_grad_void(bits, verso_dup, x, db, 3);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(db[i], 2 * 14 * 2 * x[i]);
  CHECK_EQUAL(__verso_jvp(nodes, verso_dup, x, v, 3), dx[0]);
  CHECK_EQUAL(__verso_jvp(stacked, verso_dup, x, v, 3), ds[0]);
  CHECK_EQUAL(__verso_jvp(bits, verso_dup, x, v, 3), db[0]);
  return check_status();
}
