//===- inactive-writes.c - inactive functions that overwrite numbers ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function marked verso_inactive writes is constant from then on, in
// reverse and in forward mode: in memory with a shadow, in local variables, in
// globals and on the heap; by stores, copies, library calls and callees; called
// by name and through a pointer. Pointers that it moves keep their shadows.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#define INACTIVE __attribute__((annotate("verso_inactive"), noinline))

double __verso_jvp(void *, ...);

static void store(double *x, int i, double value) { x[i] = value; }

INACTIVE static void reset(double *x) {
  store(x, 0, 5);
  printf("%s", "");
}

/// dx0 = 2 x0, dx1 = 5.
static double in_shadowed(double *x) {
  double y = x[0] * x[0];
  reset(x);
  return y + x[0] * x[1];
}

static double in_local(double a) {
  double t[2] = {a * a, a};
  reset(t);
  return t[0] * t[1];
}

static double global[2];
static double in_global(double a) {
  global[0] = a * a;
  global[1] = a;
  reset(global);
  return global[0] * global[1];
}

/// A copy that stops the gradient.
INACTIVE static void detach(double *to, const double *from, int n) {
  memcpy(to, from, n * sizeof(double));
}

static double copied(double *x) {
  double t[3] = {x[0] * x[1], x[1] * 2, x[2]};
  detach(t, x, 2);
  return t[0] * x[0] + t[1] * x[1] + t[2] * t[2];
}

INACTIVE static double *make(int n) {
  double *p = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i)
    p[i] = i + 1;
  return p;
}

/// The block may be where numbers that vary were.
static double on_heap(double a) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    double *p = make(4);
    sum += p[0] * a + p[3];
    for (int i = 0; i < 4; ++i)
      p[i] = a * a;
    sum += p[2];
    free(p);
  }
  return sum;
}

struct node {
  double value;
  struct node *next;
};

INACTIVE static void swap_links(struct node *a, struct node *b) {
  struct node *t = a->next;
  a->next = b->next;
  b->next = t;
  struct node copy = *a;
  memcpy(&a->next, &copy.next, sizeof(copy.next));
}

static double through_links(struct node *list) {
  swap_links(&list[0], &list[1]);
  return list[0].next->value * list[0].next->value + list[1].next->value;
}

static double through_pointer(double *x, void (*f)(double *)) {
  double y = x[0];
  f(x);
  return y * x[0] * x[1];
}

INACTIVE static void scale(double *x, int n) {
  if (n == 0)
    return;
  x[n - 1] *= 2;
  scale(x, n - 1);
}

static double in_recursion(double a) {
  double t[3] = {a, a * a, a * a * a};
  scale(t, 2);
  return t[0] + t[1] + t[2];
}

/// The number varies still, where it is not overwritten.
INACTIVE static double total(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i];
  return sum;
}

static double only_read(double a) {
  double t[2] = {a, a * a};
  return total(t, 2) * t[1];
}

/// A function of the library computes, a pointer is moved: d x0 = 2 x0 x1 +
/// sin(x0) x1, d x1 = x0^2 + sin(x0) x0.
INACTIVE static void choose(double **to, double *from, double *y, double x) {
  *y = sin(x);
  *to = from;
}
static double chosen(double *x) {
  double y = x[0], own[2] = {x[0], x[1]}, *at = own;
  choose(&at, x, &y, x[0]);
  at[1] *= x[0];
  return at[1] * x[0] + y * x[1];
}

/// A block that grows: d x0 = x0 x1 and 100 of what is stored behind, d x1 = 2 x1^2.
struct grown {
  double *at, v[3];
};
INACTIVE static struct grown *grow(struct grown *p, int n) {
  return realloc(p, n * sizeof(*p));
}
static double in_grown(double *x) {
  struct grown *p = malloc(sizeof(*p));
  *p = (struct grown){x, {x[0] * x[1], x[1], 0}};
  p = grow(grow(p, 2), 100000);
  double y = p->v[0] * p->at[0] + p->v[1] * p->at[1] * p->at[1];
  p->v[2] = 100 * x[0];
  p = realloc(p, 2 * sizeof(*p));
  y += p->v[2] + p->v[0];
  free(p);
  return y;
}

int main(void) {
  {
    double x[2] = {2, 3}, dx[2] = {0, 0};
    __verso_grad(in_shadowed, verso_dup, x, dx);
    CHECK_EQUAL(dx[0], 4);
    CHECK_EQUAL(dx[1], 5);
    double y[2] = {2, 3}, dy[2] = {1, 10};
    CHECK_EQUAL(__verso_jvp(in_shadowed, verso_dup, y, dy), 54);
    // A seed in what was overwritten ends there.
    double z[2] = {2, 3}, dz[2] = {100, 0};
    __verso_grad(in_shadowed, verso_dup, z, dz);
    CHECK_EQUAL(dz[0], 4);
  }
  CHECK_EQUAL(__verso_grad(in_local, 2.0), 5);
  CHECK_EQUAL(__verso_jvp(in_local, verso_dup, 2.0, 1.0), 5);
  CHECK_EQUAL(__verso_grad(in_global, 2.0), 5);
  CHECK_EQUAL(__verso_jvp(in_global, verso_dup, 2.0, 1.0), 5);
  {
    double x[3] = {2, 3, 4}, dx[3] = {0, 0, 0};
    __verso_grad(copied, verso_dup, x, dx);
    CHECK_EQUAL(dx[0], 2);
    CHECK_EQUAL(dx[1], 3);
    CHECK_EQUAL(dx[2], 8);
    double v[3] = {1, 10, 100};
    CHECK_EQUAL(__verso_jvp(copied, verso_dup, x, v), 832);
  }
  CHECK_EQUAL(__verso_grad(on_heap, 2.0), 15);
  CHECK_EQUAL(__verso_jvp(on_heap, verso_dup, 2.0, 1.0), 15);
  for (int forward = 0; forward != 2; ++forward) {
    struct node n[4] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}}, d[4] = {{0, 0}};
    n[0].next = &n[2], d[0].next = &d[2];
    n[1].next = &n[3], d[1].next = &d[3];
    if (forward) {
      d[2].value = 1, d[3].value = 10;
      CHECK_EQUAL(__verso_jvp(through_links, verso_dup, n, d), 81);
    } else {
      __verso_grad(through_links, verso_dup, n, d);
      CHECK_EQUAL(d[2].value, 1);
      CHECK_EQUAL(d[3].value, 8);
    }
  }
  {
    double x[2] = {2, 3}, dx[2] = {0, 0};
    __verso_grad(through_pointer, verso_dup, x, dx, verso_const, reset);
    CHECK_EQUAL(dx[0], 15);
    CHECK_EQUAL(dx[1], 10);
    double y[2] = {2, 3}, dy[2] = {1, 10};
    CHECK_EQUAL(
        __verso_jvp(through_pointer, verso_dup, y, dy, verso_const, reset),
        115);
  }
  {
    double x[2] = {2, 3}, dx[2] = {0}, expected[2];
    expected[0] = 12 + sin(2) * 3;
    expected[1] = 4 + sin(2) * 2;
    __verso_grad(chosen, verso_dup, x, dx);
    CHECK_CLOSE(dx[0], expected[0], 1e-14);
    CHECK_CLOSE(dx[1], expected[1], 1e-14);
    double y[2] = {2, 3}, v[2] = {1, 10};
    CHECK_CLOSE(__verso_jvp(chosen, verso_dup, y, v),
                expected[0] + 10 * expected[1], 1e-14);
  }
  {
    double x[2] = {2, 3}, dx[2] = {0, 0}, v[2] = {1, 1000};
    __verso_grad(in_grown, verso_dup, x, dx);
    CHECK_EQUAL(dx[0], 106);
    CHECK_EQUAL(dx[1], 18);
    CHECK_EQUAL(__verso_jvp(in_grown, verso_dup, x, v), 106 + 18000);
  }
  CHECK_EQUAL(__verso_grad(in_recursion, 2.0), 12);
  CHECK_EQUAL(__verso_jvp(in_recursion, verso_dup, 2.0, 1.0), 12);
  CHECK_EQUAL(__verso_grad(only_read, 2.0), 24);
  return check_status();
}
