//===- recursion-in-records.c - products over a recursion -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where adjoints only go down, each activation keeps a record, and the verso is
// a loop over records. Gradients are those of forward mode: of branches, of
// calls that are not made, of parts without a shadow, of many records, in loops
// of the caller, and one inside the other.
//
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

enum { N = 6 };

typedef struct Node {
  double value;
  int kind;
  struct Node *left, *right;
} Node;

// Every kind of node has a formula of its own, and calls of its own.
static double reduce(const Node *n) {
  if (!n)
    return 1;
  double v = n->value;
  switch (n->kind) {
  case 0:
    return v + 0.25 * reduce(n->left) * reduce(n->right);
  case 1:
    return v * v;
  case 2: {
    double below = reduce(n->left);
    if (below > 0.9)
      return below * below + sin(v);
    return below * exp(0.1 * reduce(n->right)) - v;
  }
  default:
    return n->left ? sqrt(1 + reduce(n->left) * reduce(n->left)) : v;
  }
}

// A number beside the result.
typedef struct {
  double sum, product;
} Pair;
static Pair both(const double *x, int n) {
  if (n <= 1) {
    Pair p = {n ? x[0] : 0, n ? x[0] : 1};
    return p;
  }
  Pair a = both(x, n / 2), b = both(x + n / 2, n - n / 2);
  Pair p = {a.sum * 0.9 + b.sum, a.product * b.product + 0.1 * a.sum};
  return p;
}
static double pairs(const double *x) {
  Pair p = both(x, N);
  return p.sum * p.product;
}

// Of floats.
static float halves(const float *x, int n) {
  return n == 1 ? x[0] * 1.5f
                : halves(x, n / 2) * (1 + halves(x + n / 2, n - n / 2));
}
static double floats(const double *x) {
  float f[N];
  for (int i = 0; i < N; ++i)
    f[i] = (float)x[i];
  return halves(f, N) * x[2];
}

// In a loop, with what came of it before; the value is used, too.
static double product(const double *x, int n) {
  return n == 1 ? x[0]
                : product(x, n / 2) * product(x + n / 2, n - n / 2) + 0.1;
}
static double looped(const double *x) {
  double y[N], s = 1;
  for (int i = 0; i < N; ++i)
    y[i] = x[i] * x[(i + 2) % N];
  for (int i = 1; i < N; ++i) {
    double p = product(y, i);
    s = p > 0.4 ? s * p + x[i] : s + p * p;
  }
  return s;
}

// Two recursions one after the other, and the same twice.
static double mixed(const double *x) {
  double a = product(x, N), b = product(x + 1, N - 2);
  Pair p = both(x, 4);
  return a * b * p.product + product(x, 3) / (1 + p.sum * p.sum);
}

// The length of the recursion is long.
static double chain(const double *x, int n) {
  if (n == 0)
    return x[0];
  double below = chain(x, n - 1);
  return below * (1 - 1e-4 * below) + 1e-5 * x[n % N];
}
static double longChain(const double *x) { return chain(x, 20000); }

#define CHECK_STRUCTURED(F, TOLERANCE)                                         \
  do {                                                                         \
    double x[N] = {0.9, 1.2, 0.4, 1.1, 0.8, 0.6}, dx[N] = {0};                 \
    __verso_grad_void(F, verso_dup, x, dx);                                    \
    for (int i = 0; i < N; ++i) {                                              \
      double t[N] = {0};                                                       \
      t[i] = 1;                                                                \
      CHECK_CLOSE(dx[i], __verso_jvp(F, verso_dup, x, t), TOLERANCE);          \
    }                                                                          \
  } while (0)

enum { M = 31 };
static void link(Node *n) {
  for (int k = 0; k < M; ++k) {
    n[k] = (Node){0.5 + 0.03 * k, k % 4, 0, 0};
    if (2 * k + 1 < M && k % 5 != 3)
      n[k].left = &n[2 * k + 1];
    if (2 * k + 2 < M && k % 7 != 2)
      n[k].right = &n[2 * k + 2];
  }
}
static void unlinkPart(Node *n) {
  for (int k = 0; k < M; ++k)
    n[k].value = 0;
  n[4].left = 0; // A part without a shadow.
}
static void tree(void) {
  Node n[M], d[M], t[M];
  link(n);
  link(d);
  link(t);
  unlinkPart(d);
  unlinkPart(t);
  __verso_grad_void(reduce, verso_dup, n, d);
  for (int k = 0; k < M; ++k) {
    t[k].value = 1;
    double expected =
        k == 9 || k == 19 || k == 20 ? 0 : __verso_jvp(reduce, verso_dup, n, t);
    CHECK_CLOSE(d[k].value, expected, 1e-12);
    t[k].value = 0;
  }
}

int main(void) {
  tree();
  CHECK_STRUCTURED(pairs, 1e-12);
  CHECK_STRUCTURED(floats, 1e-6);
  CHECK_STRUCTURED(looped, 1e-12);
  CHECK_STRUCTURED(mixed, 1e-12);
  CHECK_STRUCTURED(longChain, 1e-10);
  return check_status();
}
