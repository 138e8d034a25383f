//===- untyped-pointers.c - numbers that are loaded as pointers -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a union holds is read as the pointer that it might be, looked at, passed
// on and stored again, out of memory of the caller, of the heap and of the
// stack. Numbers keep their derivatives, also those whose bits are a null
// pointer; pointers keep their shadows, with tags or none, and integers in
// pointers are nobody's derivative.
//
// HEAVY: functions that are copied many times
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

void __verso_jvp_void(void *, ...);

typedef union {
  double *p;
  double d;
  float f[2];
} Any;

typedef struct Node {
  Any any;
  Any more;
  struct Node *next;
} Node;

static void *volatile seen;

/// As functions of a library may, they look at what they move.
CHECK_NOINLINE static void move(Any *to, const Any *from) {
  double *p = from->p;
  if (p == (double *)8)
    return;
  to->p = p;
}
CHECK_NOINLINE static void swap(Any *a, Any *b) {
  double *p = a->p, *q = b->p;
  if (p == q)
    return;
  a->p = q;
  b->p = p;
}
CHECK_NOINLINE static double *get(const Any *from) { return from->p; }
CHECK_NOINLINE static void set(Any *to, double *p) {
  if (p != (double *)16)
    to->p = p;
}
CHECK_NOINLINE static double *either(double *p, double *q, int first) {
  return first ? p : q;
}

static const double Points[][3] = {
    {0.7, -0.45, 1.3}, {0, -0.0, 1}, {-1e300, INFINITY, 1e-300}};

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

CHECK_NOINLINE static double from_caller(double *x) {
  Any own[3], *heap = malloc(3 * sizeof(Any));
  for (int i = 0; i < 3; ++i)
    move(&own[i], (Any *)&x[i]);
  for (int i = 0; i < 3; ++i)
    move(&heap[i], &own[2 - i]);
  double s = 2 * heap[0].d + 3 * heap[1].d + 5 * own[0].d;
  free(heap);
  return s;
}

CHECK_NOINLINE static double computed(double *x) {
  Any own[3], *heap = malloc(3 * sizeof(Any));
  for (int i = 0; i < 3; ++i)
    own[i].d = 2 * x[i];
  for (int i = 0; i < 3; ++i)
    move(&heap[i], &own[i]);
  swap(&heap[0], &heap[2]);
  double s = 2 * heap[0].d + 3 * heap[1].d + 5 * heap[2].d;
  free(heap);
  return s;
}

/// In place, in memory of the caller.
CHECK_NOINLINE static double in_place(double *x) {
  Any *any = (Any *)x;
  swap(&any[0], &any[1]);
  swap(&any[1], &any[2]);
  return 2 * any[0].d + 3 * any[1].d + 5 * any[2].d;
}

CHECK_NOINLINE static double passed(double *x) {
  Any *heap = malloc(3 * sizeof(Any));
  double *p = get((Any *)&x[0]), *q = get((Any *)&x[1]);
  set(&heap[0], p);
  set(&heap[1], either(q, p, x[0] < 1e9));
  set(&heap[2], get(&heap[0]));
  heap = realloc(heap, 4 * sizeof(Any));
  memcpy(&heap[3], &x[2], sizeof(Any));
  move(&heap[0], &heap[3]);
  double s = 2 * heap[0].d + 3 * heap[1].d + 5 * heap[2].d;
  free(heap);
  return s;
}

/// The bits of a number by way of integers.
CHECK_NOINLINE static double by_integer(double *x) {
  Any own[3];
  uint64_t bits[3];
  memcpy(bits, x, sizeof(bits));
  for (int i = 0; i < 3; ++i) {
    double *p = (double *)(uintptr_t)bits[i];
    if (p != (double *)24)
      own[i].p = p;
    seen = own;
  }
  double s = 2 * own[0].d + 3 * own[1].d;
  uintptr_t last = (uintptr_t)own[2].p;
  double d;
  memcpy(&d, &last, sizeof(d));
  return s + 5 * d;
}

/// What a copy brought, chosen as the union's other member.
CHECK_NOINLINE static double by_copy(double *x) {
  Any bits[3], own[3];
  memcpy(bits, x, sizeof(bits));
  double *p = 0;
  for (int i = 0; i < 3; ++i) {
    if (i != 3 - (x != 0))
      p = bits[i].p;
    own[2 - i].p = p;
  }
  return 2 * own[0].d + 3 * own[1].d + 5 * own[2].d;
}

static void compare(const char *what, const double *d, const double *wanted) {
  for (int i = 0; i < 3; ++i)
    check_close(what, __FILE__, __LINE__, d[i], wanted[i], 1e-14);
}

#define GRADIENT(f, point, ...)                                                \
  do {                                                                         \
    double x[3], d[3] = {0, 0, 0};                                             \
    memcpy(x, point, sizeof(x));                                               \
    __verso_grad((void *)f, x, d);                                             \
    compare(#f, d, (const double[]){__VA_ARGS__});                             \
  } while (0)

static void numbers(void) {
  for (int k = 0; k < 3; ++k) {
    GRADIENT(from_caller, Points[k], 5, 3, 2);
    GRADIENT(computed, Points[k], 10, 6, 4);
    GRADIENT(in_place, Points[k], 5, 2, 3);
    GRADIENT(passed, Points[k], 5, 3, 2);
    GRADIENT(by_integer, Points[k], 2, 3, 5);
    GRADIENT(by_copy, Points[k], 5, 5, 0);
  }
  // Subnormal numbers look like addresses.
  const double subnormal[3] = {5e-324, -1e-310, 1e-310};
  GRADIENT(computed, subnormal, 10, 6, 4);
}

/// Two floats move as one.
CHECK_NOINLINE static float floats(float *x) {
  Any own, *heap = malloc(2 * sizeof(Any));
  own.f[0] = x[0] * x[1];
  own.f[1] = x[1];
  move(&heap[0], &own);
  move(&heap[1], (Any *)&x[2]);
  swap(&heap[0], &heap[1]);
  float s =
      2 * heap[1].f[0] + 3 * heap[1].f[1] + 5 * heap[0].f[0] + 7 * heap[0].f[1];
  free(heap);
  return s;
}

static void pairs(void) {
  const float points[][4] = {{1.5f, 2, 3, 4}, {0, 2, 0, 0}, {2, 0, 1, 0}};
  for (int k = 0; k < 3; ++k) {
    float x[4], d[4] = {0, 0, 0, 0};
    memcpy(x, points[k], sizeof(x));
    __verso_grad_float((void *)floats, x, d);
    CHECK_CLOSE(d[0], 2 * x[1], 1e-6);
    CHECK_CLOSE(d[1], 2 * x[0] + 3, 1e-6);
    CHECK_CLOSE(d[2], 5, 1e-6);
    CHECK_CLOSE(d[3], 7, 1e-6);
  }
}

/// No argument is a pointer.
CHECK_NOINLINE static double by_value(double x, double y) {
  Any own[2], *heap = malloc(2 * sizeof(Any));
  own[0].d = x * y;
  own[1].d = x + y;
  move(&heap[0], &own[0]);
  set(&heap[1], get(&own[1]));
  swap(&heap[0], &heap[1]);
  double s = heap[0].d * heap[1].d;
  free(heap);
  return s;
}

static void values(void) {
  double dx = __verso_grad((void *)by_value, 2.0, verso_const, -3.0);
  CHECK_CLOSE(dx, 2 * 2.0 * -3 + 9, 1e-14);
  dx = __verso_grad((void *)by_value, 0.0, verso_const, 3.0);
  CHECK_CLOSE(dx, 9, 1e-14);
}

/// Seeds in outputs, and in what the moves overwrite.
CHECK_NOINLINE static void outputs(Any *y, Any *x, int n) {
  for (int i = 0; i < n; ++i)
    move(&y[i], &x[i]);
  for (int i = 0; i < n; ++i)
    x[i].d = y[i].d * y[i].d;
}

static void seeds(void) {
  double x[3] = {2, 0, -1}, y[3] = {5, 6, 7};
  double dx[3] = {10, 20, 30}, dy[3] = {1, 2, 3};
  __verso_vjp_void((void *)outputs, y, dy, x, dx, 3);
  CHECK_CLOSE(dx[0], 1 + 2 * 2 * 10, 1e-14);
  CHECK_CLOSE(dx[1], 2, 1e-14);
  CHECK_CLOSE(dx[2], 3 - 2 * 30, 1e-14);
  CHECK(dy[0] == 0 && dy[1] == 0 && dy[2] == 0);
}

/// Copied and never read as a number.
CHECK_NOINLINE static void copies(Any *y, Any *x, int n) {
  for (int i = 0; i < n; ++i)
    move(&y[i], &x[i]);
}

static void copied(void) {
  double x[3] = {2, 0, -1}, y[3] = {5, 6, 7};
  double dx[3] = {0, 0, 0}, dy[3] = {1, 2, 3};
  __verso_vjp_void((void *)copies, y, dy, x, dx, 3);
  CHECK(dx[0] == 1 && dx[1] == 2 && dx[2] == 3);
  CHECK(dy[0] == 0 && dy[1] == 0 && dy[2] == 0);
}

/// Second derivatives.
CHECK_NOINLINE static double product(double *x) {
  Any own[2], *heap = malloc(2 * sizeof(Any));
  own[0].d = x[0] * x[0];
  move(&own[1], (Any *)&x[1]);
  for (int i = 0; i < 2; ++i)
    move(&heap[i], &own[i]);
  swap(&heap[0], &heap[1]);
  double s = heap[0].d * heap[0].d * heap[1].d;
  free(heap);
  return s;
}
CHECK_NOINLINE static void gradient_of_product(double *x, double *d) {
  d[0] = d[1] = 0;
  __verso_grad((void *)product, x, d);
}

static void second_derivatives(void) {
  // x0^2 x1^2
  double x[2] = {3, -2}, v[2] = {1, 10}, d[2], dd[2] = {0, 0};
  __verso_jvp_void((void *)gradient_of_product, verso_dup, x, v, verso_dup, d,
                   dd);
  CHECK_CLOSE(d[0], 2 * 3 * 4, 1e-14);
  CHECK_CLOSE(d[1], 9 * 2 * -2, 1e-14);
  CHECK_CLOSE(dd[0], 2 * 4 * 1 + 4 * 3 * -2 * 10, 1e-14);
  CHECK_CLOSE(dd[1], 4 * 3 * -2 * 1 + 2 * 9 * 10, 1e-14);
  double xbar[2] = {0, 0}, dbar[2] = {1, 10};
  __verso_vjp_void((void *)gradient_of_product, x, xbar, d, dbar);
  CHECK_CLOSE(xbar[0], dd[0], 1e-14);
  CHECK_CLOSE(xbar[1], dd[1], 1e-14);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

CHECK_NOINLINE static double lists(Node *n) {
  double s = 0;
  for (int round = 0; round < 2; ++round) {
    swap(&n->any, &n->more);
    Node *copy = malloc(sizeof(Node));
    memcpy(copy, n, sizeof(Node));
    move(&n->more, &copy->any);
    move(&n->any, &copy->more);
    for (Node *i = n; i; i = i->next)
      s += i->any.p ? *i->any.p * *i->any.p : 0;
    free(copy);
  }
  return s;
}

static void pointers(void) {
  double a = 2, b = 3, c = 5, da = 0, db = 0, dc = 0;
  Node second = {{&b}, {NULL}, NULL}, first = {{&a}, {&c}, &second};
  Node dsecond = {{&db}, {NULL}, NULL}, dfirst = {{&da}, {&dc}, &dsecond};
  for (int k = 0; k < 2; ++k) {
    da = db = dc = 0;
    // Each round swaps twice, so that a is read.
    __verso_grad((void *)lists, &first, &dfirst);
    CHECK_CLOSE(da, 8, 1e-14);
    CHECK_CLOSE(db, 12, 1e-14);
    CHECK_CLOSE(dc, 0, 1e-14);
    CHECK(first.any.p == &a && first.more.p == &c);
    CHECK(dfirst.any.p == &da && dfirst.more.p == &dc);
    CHECK(!second.more.p && !dsecond.more.p && !dsecond.next);
  }
}

/// Null pointers over pointers, pointers over null pointers.
CHECK_NOINLINE static double nulls(Node *n) {
  double x = *n->any.p, s = 0;
  swap(&n->any, &n->more);
  Any own;
  move(&own, &n->any);
  if (n->more.p)
    s = *n->more.p * x;
  move(&n->next->any, &own);
  move(&n->next->more, &n->more);
  return s + (n->any.p ? 1 : 0);
}

static void null_pointers(void) {
  double a = 2, b = 3, da = 0, db = 0;
  Node second = {{&b}, {&b}, NULL}, first = {{&a}, {NULL}, &second};
  Node dsecond = {{&db}, {&db}, NULL}, dfirst = {{&da}, {NULL}, &dsecond};
  __verso_grad((void *)nulls, &first, &dfirst);
  CHECK_CLOSE(da, 4, 1e-14);
  CHECK_CLOSE(db, 0, 1e-14);
  CHECK(!first.any.p && first.more.p == &a);
  CHECK(!dfirst.any.p && dfirst.more.p == &da);
  CHECK(!second.any.p && second.more.p == &a);
  CHECK(!dsecond.any.p && dsecond.more.p == &da);
}

/// Small integers and a marker, where the shadow structure repeats them or not.
CHECK_NOINLINE static double integers(Node *n, double x) {
  Any own[2], *heap = malloc(2 * sizeof(Any));
  for (int k = 0; k < 3; ++k) {
    move(&own[0], &n->any);
    move(&heap[0], &n->more);
    swap(&own[0], &heap[0]);
    swap(&n->any, &n->more);
    move(&n->next->any, &n->any);
    move(&n->next->more, &own[0]);
  }
  double s = n->any.p == (double *)-1 ? x * x : x * (double)(uintptr_t)n->any.p;
  free(heap);
  return s;
}

static void integers_in_pointers(void) {
  for (int repeated = 0; repeated < 2; ++repeated) {
    Any small, marker, other = {NULL};
    small.p = (double *)5;
    marker.p = (double *)-1;
    Node second = {small, marker, NULL}, first = {small, marker, &second};
    Node dsecond = {repeated ? small : other, repeated ? marker : other, NULL};
    Node dfirst = {dsecond.any, dsecond.more, &dsecond};
    double d = __verso_grad((void *)integers, &first, &dfirst, 3.0);
    CHECK_CLOSE(d, 6, 1e-14);
    CHECK(first.any.p == marker.p && first.more.p == small.p);
  }
}

/// Pointers with flags in their highest and lowest bits.
CHECK_NOINLINE static double tagged(Node *n) {
  Any own, *heap = malloc(sizeof(Any));
  swap(&n->any, &n->more);
  move(&own, &n->any);
  move(heap, &own);
  uintptr_t bits = (uintptr_t)heap->p;
  double *p = (double *)(bits & ~((uintptr_t)0x7fff << 48) & ~(uintptr_t)1);
  free(heap);
  return *p * *p;
}

static void tags(void) {
  const uintptr_t flags[] = {1, (uintptr_t)3 << 48, ((uintptr_t)1 << 62) | 1};
  for (int k = 0; k < 3; ++k) {
    double a = 2, b = 3, da = 0, db = 0;
    Node n = {{&a}, {(double *)((uintptr_t)&b | flags[k])}, NULL};
    Node dn = {{&da}, {(double *)((uintptr_t)&db | flags[k])}, NULL};
    __verso_grad((void *)tagged, &n, &dn);
    CHECK_CLOSE(da, 0, 1e-14);
    CHECK_CLOSE(db, 6, 1e-14);
    CHECK(dn.any.p == (double *)((uintptr_t)&db | flags[k]));
    CHECK(dn.more.p == &da);
  }
}

/// Memory that has no shadow holds numbers, then pointers, then numbers.
CHECK_NOINLINE static double in_turn(double *x) {
  Any *heap = malloc(2 * sizeof(Any));
  double s = 0;
  for (int k = 0; k < 4; ++k) {
    if (k % 2)
      heap[0].p = &x[k];
    else
      heap[0].d = x[k] * x[k];
    move(&heap[1], &heap[0]);
    s += k % 2 ? (k + 1) * *heap[1].p : (k + 1) * heap[1].d;
  }
  free(heap);
  return s;
}

static void turns(void) {
  double x[4] = {2, 3, 0, 7}, d[4] = {0, 0, 0, 0};
  __verso_grad((void *)in_turn, x, d);
  CHECK_CLOSE(d[0], 4, 1e-14);
  CHECK_CLOSE(d[1], 2, 1e-14);
  CHECK_CLOSE(d[2], 0, 1e-14);
  CHECK_CLOSE(d[3], 4, 1e-14);
}

int main(void) {
  numbers();
  pairs();
  values();
  seeds();
  copied();
  second_derivatives();
  pointers();
  null_pointers();
  integers_in_pointers();
  tags();
  turns();
  return check_status();
}
