//===- fresh-memory.c - what is read before anybody has written -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the tape nobody looks for the image of a cell that nobody can have
// written. So here it is written: by a caller, by the call before, by another
// name, by a copy, in a frame further down the recursion. A function is told which
// parameters nobody writes through; here some are, in ways that do not show.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include <string.h>

enum { N = 6 };

CHECK_NOINLINE static double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * x[(i + 1) % n];
  return s;
}

// Only reads, and so does all that it calls.
CHECK_NOINLINE static double halves(const double *x, int n) {
  if (n == 1)
    return x[0] * x[0];
  double left = halves(x, n / 2), right = halves(x + n / 2, n - n / 2);
  return left * right + sum(x, n) * 0.125;
}
static double reads(double *x) { return halves(x, N) + sum(x, N) * x[1]; }

static double reads_local(double *x) {
  double own[N];
  for (int i = 0; i < N; ++i)
    own[i] = x[i] * x[N - 1 - i];
  return sum(own, N) * halves(own, 2);
}

CHECK_NOINLINE static void scale(double *restrict to,
                                 const double *restrict from, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = from[i] * from[0];
}
// The second call reads what the first has written.
static double writes_and_reads(double *x) {
  double a[N], b[N];
  scale(a, x, N);
  scale(b, a, N);
  return sum(b, N);
}

static double in_rounds(double *x) {
  double s = 0;
  for (int i = 0; i < 3; ++i) {
    s += sum(x, N);
    x[i] *= x[i + 1];
  }
  return s;
}

CHECK_NOINLINE static double two_names(const double *x, double *y) {
  double s = 0;
  for (int i = 0; i + 1 < N; ++i) {
    y[i + 1] = 0.5 * x[i] * y[i + 1];
    s += x[i] * x[i + 1];
  }
  return s;
}
static double aliases(double *x) { return two_names(x, x); }

// Cells get images where they are copied from.
static double copies(double *x) {
  double own[N], back[2];
  memcpy(own, x, sizeof own);
  memcpy(back, x + 1, sizeof back);
  return sum(own, N) * sum(x, N) + back[0] * x[1] * back[1];
}

CHECK_NOINLINE static double down(double *x, int n) {
  double own[2] = {x[0] * n, x[1]};
  return n ? down(own, n - 1) * x[0] : own[0] * own[1] * x[1];
}
static double frames(double *x) { return down(x, 3); }

// Nobody writes what the first parameter leads to, in any round.
CHECK_NOINLINE static double mixed(const double *w, const double *s, int n) {
  const double *chosen = n & 1 ? w : s;
  return n ? chosen[n] * w[0] + mixed(w, s, n - 1) : s[0] * w[1];
}
CHECK_NOINLINE static void step(const double *w, double *s, int n) {
  for (int i = 0; i < n; ++i)
    s[i] = sin(s[i] * w[i] + w[i + 1]) * w[0];
  s[0] += mixed(w, s, 3);
}
static double quiet(double *x) {
  double s[N] = {1, 2, 3, 4, 5, 6};
  for (int i = 0; i < 3; ++i)
    step(x, s, N - 1);
  return sum(s, N) * x[2];
}

// The same function, which is given two parts of one array the second time.
static double not_quiet(double *x) {
  double s[N] = {1, 2, 3, 4, 5, 6};
  step(x, s, 4);
  step(x, x + 3, 2);
  step(s, x, 3);
  return sum(s, N) * x[2] + x[4];
}

static double *elsewhere;
struct where {
  double *to;
};
CHECK_NOINLINE static void by_global(const double *w, double *s) {
  s[1] += w[0] * w[1];
  elsewhere[0] = s[1] * w[0];
}
CHECK_NOINLINE static void by_member(const double *w, struct where *s) {
  s->to[1] = w[0] * w[1] * s->to[1];
}
CHECK_NOINLINE static double *behind(double *w, int n) { return w + n; }
CHECK_NOINLINE static void by_result(double *w, double *s) {
  s[2] *= w[2] * w[3];
  *behind(w, 2) = s[2] * w[0];
}
CHECK_NOINLINE static void by_copy(double *w, double *s) {
  s[3] += w[3] * w[4];
  memcpy(w + 3, s + 2, 2 * sizeof *w);
}
CHECK_NOINLINE static void in_turn(double *w, double *s, int n) {
  s[n] = w[n] * w[0];
  if (n)
    in_turn(s, w, n - 1);
}
static double in_hidden_ways(double *x) {
  double s[N] = {1, 2, 3, 4, 5, 6};
  struct where there = {x};
  elsewhere = x;
  double all = 0;
  for (int i = 0; i < 2; ++i) {
    by_global(x, s);
    by_member(x, &there);
    by_result(x, s);
    by_copy(x, s);
    in_turn(x, s, N - 1);
    all += sum(x, N) + mixed(x, s, 3);
  }
  return all * s[0];
}

typedef struct Node {
  double value;
  struct Node *left, *right;
} Node;

CHECK_NOINLINE static double walk(const Node *node) {
  if (!node)
    return 1;
  return node->value * walk(node->left) + sin(walk(node->right) + node->value);
}

// The same tree with nodes of which some have no shadow, and one that moves.
CHECK_NOINLINE static double walk_moved(Node *node, Node *other) {
  double before = walk(node);
  node->left->right = other;
  return before * walk(node);
}

static double of_tree(double (*way)(Node *, Node *), double *x, double *dx) {
  Node n[N], d[N], other = {0.75, 0, 0};
  for (int i = 0; i < N; ++i) {
    int l = 2 * i + 1, r = 2 * i + 2;
    n[i] = (Node){x[i], l < N ? n + l : 0, r < N ? n + r : 0};
    d[i] = (Node){0, l < N ? d + l : 0, r < N ? d + r : 0};
  }
  d[2].left = n[2].left; // a constant
  if (!dx)
    return way(n, &other);
  if (way == walk_moved)
    __verso_grad_void((void *)walk_moved, verso_dup, n, d, verso_const, &other);
  else
    __verso_grad_void((void *)walk, verso_dup, n, d);
  for (int i = 0; i < N; ++i)
    dx[i] = d[i].value;
  return 0;
}
static double walk_once(Node *n, Node *other) {
  (void)other;
  return walk(n);
}

static void check_tree(double (*way)(Node *, Node *), double *x) {
  double dx[N], h = 1e-5;
  of_tree(way, x, dx);
  for (int i = 0; i < N; ++i) {
    double up[N], low[N];
    memcpy(up, x, sizeof up);
    memcpy(low, x, sizeof low);
    up[i] += h;
    low[i] -= h;
    double expected =
        i == 5 ? 0 : (of_tree(way, up, 0) - of_tree(way, low, 0)) / (2 * h);
    CHECK_CLOSE(dx[i], expected, 1e-8);
  }
}

#define CHECK_ALL_OF(f)                                                        \
  do {                                                                         \
    double at[N], d[N] = {0};                                                  \
    memcpy(at, x, sizeof at);                                                  \
    __verso_grad_void((void *)f, verso_dup, at, d);                            \
    memcpy(at, x, sizeof at);                                                  \
    CHECK_GRADIENT(f, N, at, d, 1e-7);                                         \
    CHECK_TRANSPOSE_SCALAR(f, N, at);                                          \
  } while (0)

int main(void) {
  double x[N] = {0.5, -1, 1.5, 0.25, 0.75, -0.625};
  CHECK_ALL_OF(reads);
  CHECK_ALL_OF(reads_local);
  CHECK_ALL_OF(writes_and_reads);
  CHECK_ALL_OF(in_rounds);
  CHECK_ALL_OF(aliases);
  CHECK_ALL_OF(copies);
  CHECK_ALL_OF(frames);
  CHECK_ALL_OF(quiet);
  CHECK_ALL_OF(not_quiet);
  CHECK_ALL_OF(in_hidden_ways);
  check_tree(walk_once, x);
  check_tree(walk_moved, x);
  return check_status();
}
