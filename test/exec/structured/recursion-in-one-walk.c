//===- recursion-in-one-walk.c - sums over a recursion --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where what a recursive function returns is a sum over its activations, value
// and adjoints come of one walk. Gradients are those of forward mode, also
// where numbers are passed down, where a sum is used again, and where the shape
// looks like a sum and is none.
//
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

enum { N = 6 };

// Calls in a loop that is gone on with; signs that alternate.
static double minors(const double *x, int row, unsigned used) {
  if (row == 4)
    return 1;
  double sum = 0;
  int negative = 0;
  for (int j = 0; j != 4; ++j) {
    if (used >> j & 1)
      continue;
    double term =
        x[(row * 2 + j * (row + 1)) % N] * x[j] * minors(x, row + 1, used | 1u << j);
    sum = negative ? sum - term : sum + term;
    negative = !negative;
  }
  return sum;
}
static double determinant(const double *x) { return minors(x, 0, 0); }

// A loop of unknown length around the call, and one without calls inside.
static double forest(const double *x, int n) {
  double sum = x[n] * x[n];
  for (int i = 0; i < n; ++i) {
    double weight = 1;
    for (int j = 0; j <= i; ++j)
      weight += 0.1 * sin(x[j]);
    sum += 0.3 * x[i] * forest(x, i);
  }
  return sum;
}
static double forests(const double *x) { return forest(x, N - 1); }

// Numbers are passed down: adaptive quadrature, whose depth depends on them.
static double height(const double *x, double t) {
  return x[0] * exp(-x[1] * t * t) + sin(x[2] * t);
}
static double simpson(const double *x, double a, double b, double fa, double fm,
                      double fb, int depth) {
  double m = 0.5 * (a + b), h = b - a;
  double fl = height(x, 0.5 * (a + m)), fr = height(x, 0.5 * (m + b));
  double whole = h / 6 * (fa + 4 * fm + fb);
  double halves = h / 12 * (fa + 4 * fl + 2 * fm + 4 * fr + fb);
  if (depth == 0 || fabs(halves - whole) < 1e-6)
    return halves + (halves - whole) / 15;
  return simpson(x, a, m, fa, fl, fm, depth - 1) +
         simpson(x, m, b, fm, fr, fb, depth - 1);
}
static double quadrature(const double *x) {
  double a = x[3], b = x[4] + 1;
  return simpson(x, a, b, height(x, a), height(x, 0.5 * (a + b)), height(x, b),
                 8);
}

// A circle of two.
static double odd(const double *x, double y, int n);
static double even(const double *x, double y, int n) {
  if (n == 0)
    return y * x[0];
  return x[n % N] * odd(x, y * x[1], n - 1) + y;
}
static double odd(const double *x, double y, int n) {
  if (n < 2)
    return sin(y) * x[2];
  return 0.5 * even(x, cos(y), n - 1) - x[3] * even(x, y, n - 2);
}
static double circle(const double *x) { return even(x, x[4], 7); }

// A tree in memory, whose links may be null and whose leaves vary in kind.
typedef struct Node {
  double value;
  int kind;
  struct Node *left, *right;
} Node;
static double weigh(const Node *n, double scale) {
  if (!n)
    return 0.5 * scale;
  if (n->kind == 1)
    return n->value * scale;
  double sum = scale * n->value * n->value;
  if (n->left != n->right)
    sum -= weigh(n->right, scale * 0.7);
  return sum + weigh(n->left, scale * n->value);
}

// A result that is used twice, in a product: no sum.
static double squares(const double *x, int n) {
  if (n == 0)
    return x[0];
  double below = squares(x, n - 1);
  return below * below + x[n];
}
static double squared(const double *x) { return squares(x, 4); }

// The sum is looked at on the way, and sometimes thrown away.
static double guarded(const double *x, int n) {
  if (n == 0)
    return x[5];
  double sum = x[n];
  for (int i = 0; i < 3; ++i) {
    double part = guarded(x, n - 1) * x[i];
    if (part > 0.45)
      sum += part;
    if (sum > 3)
      break;
  }
  return sum;
}
static double guards(const double *x) { return guarded(x, 3); }

// The value of one call is the coefficient of the next.
static double chained(const double *x, int n) {
  if (n == 0)
    return x[0];
  double first = chained(x, n - 1);
  return first + 0.1 * first * chained(x, n / 2);
}
static double chains(const double *x) { return chained(x, 4); }

// A structure of results, and one number of it used by another's rule.
typedef struct {
  double a, b;
} Pair;
static Pair pairs(const double *x, double y, int n) {
  if (n == 0) {
    Pair p = {x[0] * y, x[1]};
    return p;
  }
  Pair q = pairs(x, y * x[2], n - 1);
  Pair p = {q.a * x[3] + x[n % N], q.b + y};
  return p;
}
static double paired(const double *x) {
  Pair p = pairs(x, x[5], 5);
  return p.a * p.b;
}

// In a loop of the caller, over a local array, and with the value used as well.
static double sumOf(const double *x, int n) {
  return n == 0   ? 0
         : n == 1 ? x[0] * x[0]
                  : sumOf(x, n / 2) + sumOf(x + n / 2, n - n / 2);
}
static double locals(const double *x) {
  double y[N], total = 1;
  for (int i = 0; i < N; ++i)
    y[i] = x[i] * x[(i + 1) % N];
  for (int i = 2; i < N; ++i)
    total *= sumOf(y, i) + x[i];
  return total;
}

// Memory is overwritten after the call.
static double changed(double *x) {
  double y[N], s = 0;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < N; ++i)
      y[i] = x[i] * (k + 1) + s;
    s += 0.1 * sumOf(y, N);
  }
  return s;
}

// One of two local arrays, which only the verso of the call reads in the end.
static double chosen(const double *x) {
  double y[N], z[N], s = 0;
  for (int i = 0; i < N; ++i) {
    y[i] = x[i] * x[(i + 1) % N];
    z[i] = sin(x[i]);
  }
  for (int i = 1; i < N; ++i)
    s += sumOf(x[i] > 0.7 ? y : z, i);
  return s;
}

#define CHECK_STRUCTURED(F)                                                    \
  do {                                                                         \
    double x[N] = {0.9, 1.2, 0.4, 1.1, 0.8, 0.6}, dx[N] = {0};                 \
    __verso_grad_void(F, verso_dup, x, dx);                                    \
    for (int i = 0; i < N; ++i) {                                              \
      double t[N] = {0};                                                       \
      t[i] = 1;                                                                \
      CHECK_CLOSE(dx[i], __verso_jvp(F, verso_dup, x, t), 1e-11);              \
    }                                                                          \
  } while (0)

static void tree(void) {
  enum { M = 7 };
  Node n[M], d[M], t[M];
  for (int k = 0; k < M; ++k) {
    n[k] = (Node){0.5 + 0.1 * k, k == 4, 0, 0};
    if (2 * k + 1 < M)
      n[k].left = &n[2 * k + 1];
    if (2 * k + 2 < M)
      n[k].right = &n[2 * k + 2];
    for (int s = 0; s < 2; ++s) {
      Node *other = s ? t : d;
      other[k] = (Node){0, 0, 0, 0};
      if (n[k].left)
        other[k].left = &other[2 * k + 1];
      if (n[k].right)
        other[k].right = &other[2 * k + 2];
    }
  }
  // A part of the tree without a shadow.
  d[2].right = t[2].right = 0;
  double ds = __verso_grad(weigh, verso_dup, n, d, verso_out, 1.3);
  CHECK_CLOSE(ds, __verso_jvp(weigh, verso_dup, n, t, verso_dup, 1.3, 1.0),
              1e-12);
  for (int k = 0; k < M; ++k) {
    t[k].value = 1;
    double expected =
        k == 6 ? 0 : __verso_jvp(weigh, verso_dup, n, t, verso_dup, 1.3, 0.0);
    CHECK_CLOSE(d[k].value, expected, 1e-12);
    t[k].value = 0;
  }
}

int main(void) {
  CHECK_STRUCTURED(determinant);
  CHECK_STRUCTURED(forests);
  CHECK_STRUCTURED(quadrature);
  CHECK_STRUCTURED(circle);
  CHECK_STRUCTURED(squared);
  CHECK_STRUCTURED(guards);
  CHECK_STRUCTURED(chains);
  CHECK_STRUCTURED(paired);
  CHECK_STRUCTURED(locals);
  CHECK_STRUCTURED(changed);
  CHECK_STRUCTURED(chosen);
  tree();
  return check_status();
}
