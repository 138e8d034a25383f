//===- kernels.c - second derivatives of all kinds of code ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Second and third derivatives by every order of the modes agree where the inner
// gradient keeps columns and records in the arena, rows, shadows of local and of
// heap memory, frames, pointers: loops that are counted and not, local arrays,
// overwritten memory, calls, choices, structures, recursion.
//
// REQUIRES: unsanitized
// HEAVY: tapes of tapes
//
//===----------------------------------------------------------------------===//

#include "second.h"

/// A column of a counted loop.
static double chain(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s = s * cos(x[i]) + exp(0.1 * x[i] * s) / (1 + x[i] * x[i]);
  return s;
}
HESSIAN(chain)

/// Records of loops that nobody can count, which grow, and early exits.
static double iterations(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double a = 1 + x[i] * x[i], r = a;
    while (fabs(r * r - a) > 1e-13 * a) {
      r = 0.5 * (r + a / r);
      if (r > 1e6)
        return sum;
    }
    for (int k = 0; k < 70; ++k) {
      if (r * k > 55)
        break;
      sum += sin(r) * k / (1 + r);
      r += 0.01 * x[(i + k) % n];
    }
  }
  return sum;
}
HESSIAN(iterations)

/// Triangular loops over a local array that is overwritten.
static double factor(const double *x, int n) {
  enum { N = 4 };
  double a[N][N], sum = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      a[i][j] = x[(3 * i + j) % n] * x[(i + 3 * j) % n] + (i == j ? 9 : 0);
  for (int j = 0; j < N; ++j) {
    for (int k = 0; k < j; ++k)
      a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = sqrt(a[j][j]);
    for (int i = j + 1; i < N; ++i) {
      for (int k = 0; k < j; ++k)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    sum += log(a[j][j]);
  }
  return sum;
}
HESSIAN(factor)

/// Heap memory, in a loop and kept until the end; two buffers that change
/// places.
static double buffers(const double *x, int n) {
  double *now = malloc(n * sizeof *now), *next = malloc(n * sizeof *next);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    now[i] = x[i] * x[i];
  for (int step = 0; step < 5; ++step) {
    double *work = malloc(n * sizeof *work);
    for (int i = 0; i < n; ++i)
      work[i] = now[i] * (1 + sin(now[i]));
    for (int i = 0; i < n; ++i)
      next[i] = work[i] - 0.2 * work[(i + 1) % n] * now[i];
    free(work);
    double *swap = now;
    now = next;
    next = swap;
  }
  for (int i = 0; i < n; ++i)
    sum += now[i] * now[i];
  free(now);
  free(next);
  return sum;
}
HESSIAN(buffers)

/// An array of variable length, written in part.
static double variable_length(const double *x, int n) {
  double sum = 0;
  for (int k = 1; k < n; ++k) {
    double work[2 * k];
    for (int i = 0; i < k; ++i)
      work[2 * i] = x[i] * x[k];
    for (int i = 0; i < k; ++i)
      sum += work[2 * i] * work[2 * i] * exp(-work[2 * i]);
  }
  return sum;
}
HESSIAN(variable_length)

/// What loops compute is chosen or not, and they record.
static double choices(const double *x, int n) {
  double sum = 0, last = 0;
  for (int k = 0; k < n; ++k) {
    double least = 1e30, most = 0;
    for (int c = 0; c < 5; ++c) {
      double d = 0;
      for (int i = 0; i < n; ++i) {
        double t = x[i] - 0.3 * c - 0.1 * k * x[k];
        d += exp(t) * t * t / (1 + t * t);
      }
      if (d < least)
        least = d;
      most = fmax(most, d * x[c % n]);
    }
    double part = 0;
    for (int i = 0; i < k; ++i)
      part += sin(x[i] * x[k] + last) * x[i];
    last = part > 0.2 ? part : 0.01 * x[k];
    sum += least * most + last;
  }
  return sum;
}
HESSIAN(choices)

struct point {
  double position;
  int kind;
  double weight;
};
CHECK_NOINLINE static double energy(const struct point *a,
                                    const struct point *b) {
  double d = a->position - b->position;
  switch (a->kind + b->kind) {
  case 0:
    return a->weight * b->weight / (1 + d * d);
  case 1:
    return a->weight * exp(-d * d);
  case 2:
    return d * d * d * b->weight;
  default:
    return sqrt(1 + d * d);
  }
}
/// Structures, calls, a switch in a loop.
static double points(const double *x, int n) {
  struct point all[MOST];
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    all[i].position = x[i];
    all[i].kind = i % 3;
    all[i].weight = x[(i + 1) % n] * x[i];
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      sum += energy(&all[i], &all[j]);
  return sum;
}
HESSIAN(points)

struct node {
  double value;
  struct node *next;
};
/// A list that the function makes: pointers in memory.
static double list(const double *x, int n) {
  struct node nodes[MOST], *first = 0;
  for (int i = 0; i < n; ++i) {
    nodes[i].value = x[i] * x[i];
    nodes[i].next = first;
    first = &nodes[i];
  }
  double sum = 0;
  for (int round = 0; round < 3; ++round)
    for (struct node *p = first; p; p = p->next) {
      if (p->next)
        p->next->value *= 1 + 0.1 * p->value;
      sum += sin(p->value);
    }
  return sum;
}
HESSIAN(list)

static double halves(const double *x, int from, int to) {
  if (to - from == 1)
    return x[from] * x[from] * sin(x[from]);
  int middle = (from + to) / 2;
  double l = halves(x, from, middle), r = halves(x, middle, to);
  double s = 0;
  for (int i = from; i < to; ++i)
    s += x[i] * l;
  return l * r + cos(s) + r;
}
static double recursion(const double *x, int n) { return halves(x, 0, n); }
HESSIAN(recursion)

/// Sums of copies, floats.
static double copies(const double *x, int n) {
  double a[MOST], b[MOST];
  float f[MOST];
  memcpy(a, x, n * sizeof *x);
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    memcpy(b, a, n * sizeof *a);
    for (int i = 0; i < n; ++i) {
      a[i] = b[n - 1 - i] * b[i] + x[i];
      f[i] = i;
    }
    memmove(b, b + 1, (n - 1) * sizeof *b);
    for (int i = 0; i + 1 < n; ++i)
      sum += b[i] * a[i] * f[i];
  }
  return sum;
}
HESSIAN(copies)

static double square(double x) { return x * x; }
static double wave(double x) { return sin(3 * x); }
/// Calls through pointers.
static double pointers(const double *x, int n) {
  double (*table[2])(double) = {square, wave}, sum = 0;
  for (int i = 0; i < n; ++i)
    sum += table[i % 2](x[i] * x[(i + 1) % n]);
  return sum * sum;
}
HESSIAN(pointers)

int main(void) {
  check_chain(20, 1, -1, 1, 1e-12);
  check_iterations(9, 2, 0.5, 2, 1e-9);
  check_factor(7, 3, 0.2, 1, 1e-12);
  check_buffers(8, 4, 0.2, 1, 1e-11);
  check_variable_length(9, 5, 0.2, 1, 1e-12);
  check_choices(7, 6, 0.2, 1.5, 1e-12);
  check_points(10, 7, -1, 1, 1e-12);
  check_list(12, 8, 0.2, 1, 1e-12);
  check_recursion(11, 9, 0.2, 1, 1e-11);
  check_copies(6, 10, 0.2, 1, 1e-12);
  check_pointers(8, 11, 0.2, 1, 1e-12);
  return check_status();
}
