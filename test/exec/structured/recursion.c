//===- recursion.c - recursion becomes a loop with frames -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive functions of every shape can be structured, where the user wants it,
// and their gradients are those of forward mode.
//
// STRATEGY: structured
// UNCHECKED: what a search comes to does not depend on some numbers but by rounding
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

enum { N = 6 };

// One call, nothing after it but a product.
static double power(double x, int n) {
  if (n == 0)
    return 1;
  double half = power(x, n / 2);
  return n % 2 ? x * half * half : half * half;
}
static double powers(const double *x) { return power(x[0], 13) * power(x[1], 6); }

// A value of before the call is used behind it, and a pointer steps.
static double horner(const double *x, int n) {
  if (n == 0)
    return 1;
  double s = sin(*x);
  return s * horner(x + 1, n - 1) + s * s;
}
static double nested(const double *x) { return horner(x, N); }

// A circle of three, with different parameters and results.
static double third(const double *x, int n);
static double first(const double *x, double y, int n) {
  return n ? y * third(x, n - 1) + x[n % N] : x[0];
}
static void second(const double *x, double *result, int n) {
  if (n == 0) {
    *result = x[1] * x[2];
    return;
  }
  *result = first(x, x[n % N], n - 1) * 0.5;
}
static double third(const double *x, int n) {
  double r;
  second(x, &r, n > 0 ? n - 1 : 0);
  return r + x[3];
}
static double circle(const double *x) { return first(x, x[4], 9); }

// Left in the middle, at a depth that depends on the numbers.
static double search(const double *x, double target, int k, double *best) {
  double d = (x[k] - target) * (x[k] - target);
  if (d < 0.05)
    return d + *best;
  *best = *best * 0.5 + d;
  if (k + 1 < N) {
    double r = search(x, target, k + 1, best);
    if (r > 1.5)
      return r * x[k];
  }
  double again = search(x, target + 0.3 * (x[k] - target), k, best);
  return again + d * x[k];
}
static double searches(const double *x) {
  double best = x[2];
  return search(x, 0.7, 0, &best) + best;
}

// The depth is what an inner recursion returns.
static double ackermann(int m, int n, const double *x, int *result) {
  if (m == 0) {
    *result = n + 1;
    return x[n % N];
  }
  int inner = 1;
  double a = 0;
  if (n > 0)
    a = ackermann(m, n - 1, x, &inner);
  double b = ackermann(m - 1, inner, x, result);
  return 0.5 * b + 0.1 * a * x[m];
}
static double deep(const double *x) {
  int result;
  return ackermann(2, 3, x, &result) * result;
}

// An array of each frame's own, which the callee writes to.
static void split(const double *x, int n, double *out) {
  double low[N], high[N];
  if (n == 1) {
    out[0] = x[0] * x[0];
    return;
  }
  split(x, n / 2, low);
  split(x + n / 2, n - n / 2, high);
  for (int i = 0; i < n / 2; ++i)
    out[i] = low[i] * high[0];
  for (int i = n / 2; i < n; ++i)
    out[i] = high[i - n / 2] + out[i - n / 2] * low[0];
}
static double arrays(const double *x) {
  double out[N], s = 0;
  split(x, N, out);
  for (int i = 0; i < N; ++i)
    s += out[i] * (i + 1);
  return s;
}

// A chain of frames through pointers.
typedef struct Link {
  double value;
  struct Link *up;
} Link;
static double chain(const double *x, int n, Link *up) {
  Link mine = {x[n], up};
  if (n == 0) {
    double product = 1;
    for (Link *l = &mine; l; l = l->up) {
      product *= l->value;
      l->value = sin(l->value);
    }
    return product;
  }
  double below = chain(x, n - 1, &mine);
  return below * mine.value;
}
static double chains(const double *x) { return chain(x, N - 1, 0); }

// Calls in a loop, which is also gone on with.
static double minors(const double *x, int row, unsigned used) {
  if (row == 4)
    return 1;
  double sum = 0;
  int negative = 0;
  for (int j = 0; j != 4; ++j) {
    if (used >> j & 1)
      continue;
    double term =
        x[(row * 3 + j) % N] * x[j] * minors(x, row + 1, used | 1u << j);
    sum = negative ? sum - term : sum + term;
    negative = !negative;
  }
  return sum;
}
static double determinant(const double *x) { return minors(x, 0, 0); }

// A struct by value, one returned, and a loop without calls inside one with.
typedef struct {
  double a, b;
} Pair;
static Pair fold(Pair p, int n, const double *x) {
  if (n == 0)
    return p;
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < 3; ++j)
      s += x[j] * p.a;
    Pair q = {p.b * 0.5 + s, p.a};
    q = fold(q, n - 1, x);
    p.a = 0.3 * q.b + cos(q.a);
  }
  p.b *= x[5];
  return p;
}
static double folded(const double *x) {
  Pair p = {x[0], x[1]};
  p = fold(p, 3, x);
  return p.a * p.b;
}

// Recursion in a loop, and in a recursion.
static double outer(const double *x, int n) {
  if (n == 0)
    return power(x[0], 3);
  return outer(x, n - 1) * power(x[n], n) + 1;
}
static double twice(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; ++i)
    s += outer(x, i) * horner(x, i + 2);
  return s;
}

// Recursion that ends in a list on the heap.
static Link *list(const double *x, int n) {
  if (n == 0)
    return 0;
  Link *l = (Link *)malloc(sizeof(Link));
  l->up = list(x + 1, n - 1);
  l->value = *x * (l->up ? l->up->value : 1);
  return l;
}
static double drop(Link *l) {
  if (!l)
    return 0;
  double v = l->value;
  double s = drop(l->up);
  free(l);
  return s * 0.5 + v;
}
static double lists(const double *x) { return drop(list(x, N)); }

#define CHECK_STRUCTURED(F)                                                    \
  do {                                                                         \
    double x[N] = {0.9, 1.2, 0.4, 1.1, 0.8, 0.6}, dx[N] = {0};                 \
    __verso_grad_void(F, verso_dup, x, dx);                                    \
    for (int i = 0; i < N; ++i) {                                              \
      double t[N] = {0};                                                       \
      t[i] = 1;                                                                \
      CHECK_CLOSE(dx[i], __verso_jvp(F, verso_dup, x, t), 1e-12);              \
    }                                                                          \
  } while (0)

int main(void) {
  CHECK_STRUCTURED(powers);
  CHECK_STRUCTURED(nested);
  CHECK_STRUCTURED(circle);
  CHECK_STRUCTURED(searches);
  CHECK_STRUCTURED(deep);
  CHECK_STRUCTURED(arrays);
  CHECK_STRUCTURED(chains);
  CHECK_STRUCTURED(determinant);
  CHECK_STRUCTURED(folded);
  CHECK_STRUCTURED(twice);
  CHECK_STRUCTURED(lists);
  return check_status();
}
