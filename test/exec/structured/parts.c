//===- parts.c - functions that are reversed once for all calls -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -mllvm -verso-parts=always
//
// What a part reads may be overwritten after the call, or before it is
// reversed; what it writes may be unused, constant, or its caller's input; its
// numbers may vary in one call and not in another; it finds pointers in
// structures, has memory of its own, calls other parts, and is called in loops
// and branches.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 6 };

/// In place: what is read is overwritten by the part itself.
CHECK_NOINLINE static void squash(double *x, int n, double w) {
  for (int i = 0; i < n; ++i)
    x[i] = sin(w * x[i]) + x[i] * x[(i + 1) % n];
}
CHECK_NOINLINE static double in_place(double *x) {
  double y[N], sum = 0;
  for (int i = 0; i < N; ++i)
    y[i] = x[i];
  squash(y, N, 0.5);
  squash(y, N, x[2]);
  squash(y + 1, N - 2, y[0]);
  for (int i = 0; i < N; ++i)
    sum += y[i] * (i + 1);
  return sum;
}

/// What it reads is overwritten later, in some calls.
CHECK_NOINLINE static void product(double *to, const double *a, const double *b,
                                   int n) {
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j <= i; ++j)
      s += a[j] * b[i - j];
    to[i] = s;
  }
}
CHECK_NOINLINE static double overwritten_later(double *x) {
  double a[N], b[N], c[N], sum = 0;
  for (int i = 0; i < N; ++i) {
    a[i] = x[i];
    b[i] = x[N - 1 - i] + 1;
  }
  for (int k = 0; k < 3; ++k) {
    product(c, a, b, N);
    product(b, c, a, N);
    for (int i = 0; i < N; ++i)
      a[i] = 0.25 * c[i] + k;
  }
  product(a, b, b, N);
  for (int i = 0; i < N; ++i)
    sum += a[i] + b[i];
  return sum;
}

/// The same memory twice, and a caller's own argument.
CHECK_NOINLINE static double aliasing(double *x) {
  double c[N];
  product(c, x, x, N);
  product(c, c + 1, x, N - 1);
  return c[N - 2] * c[1];
}

/// A result, an output and numbers that vary in one call, not in the other.
CHECK_NOINLINE static double scaled(double *to, double a, double b) {
  *to = a * a * b;
  return a * b + exp(-a);
}
CHECK_NOINLINE static double some_vary(double *x) {
  double unused, used, constant;
  double first = scaled(&unused, x[0], 3);
  double second = scaled(&used, 2, x[1]);
  double third = scaled(&constant, 1.5, 2.5);
  scaled(&used, used * x[2], second);
  return first * second + third * x[3] + used * constant;
}

/// Pointers in structures, of which the part reads and writes what they lead
/// to.
struct layer {
  double *weights, *out;
  int rows, columns;
};
CHECK_NOINLINE static void forward(const struct layer *l, const double *in) {
  for (int i = 0; i < l->rows; ++i) {
    double s = 0;
    for (int j = 0; j < l->columns; ++j)
      s += l->weights[i * l->columns + j] * in[j];
    l->out[i] = tanh(s);
  }
}
CHECK_NOINLINE static double layers(double *x) {
  double h[3][3];
  struct layer l[3] = {{x, h[0], 3, 2}, {x + 1, h[1], 1, 3}, {x, h[2], 2, 1}};
  const double in[] = {0.5, -1.5};
  const double *from = in;
  for (int k = 0; k < 3; ++k) {
    forward(&l[k], from);
    from = l[k].out;
  }
  return h[2][0] + h[0][1] * h[2][1];
}

/// Memory of its own, released by it, and parts in parts.
CHECK_NOINLINE static void twice(double *x, int n) {
  double *copy = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i)
    copy[i] = x[i] * x[i];
  squash(copy, n, 0.7);
  for (int i = 0; i < n; ++i)
    x[i] = 0.5 * x[i] + copy[n - 1 - i];
  free(copy);
}
CHECK_NOINLINE static double own_memory(double *x) {
  double y[N], sum = 0;
  memcpy(y, x, sizeof y);
  for (int k = 0; k < 3; ++k) {
    twice(y, N - k);
    if (y[0] > 0.25 * k)
      squash(y, N, y[1]);
  }
  for (int i = 0; i < N; ++i)
    sum += y[i];
  return sum;
}

/// Copies and clearing of memory of others.
CHECK_NOINLINE static void shift(double *to, const double *from, int n) {
  memmove(to, from, (n - 1) * sizeof(double));
  memset(to + n - 1, 0, sizeof(double));
  to[0] *= from[1];
}
CHECK_NOINLINE static double copies(double *x) {
  double y[N], z[N];
  for (int i = 0; i < N; ++i)
    y[i] = z[i] = x[i];
  shift(z, y, N);
  shift(y + 1, z + 1, N - 2);
  return z[0] * z[1] + y[1] * y[2] + y[N - 2] * x[0];
}

/// Several numbers by value; floats; integers that it returns and counts.
struct pair {
  double a, b;
};
CHECK_NOINLINE static struct pair rotated(double a, double b, double by) {
  struct pair r = {a * cos(by) - b * sin(by), a * sin(by) + b * cos(by)};
  return r;
}
CHECK_NOINLINE static int root(double *x, double of) {
  int count = 0;
  for (double d = 1; fabs(d) > 1e-14 && count < 50; ++count) {
    d = (*x * *x - of) / (2 * *x);
    *x -= d;
  }
  return count;
}
CHECK_NOINLINE static float single(const float *x, float by, long *calls) {
  ++*calls;
  return x[0] * by + x[1];
}
CHECK_NOINLINE static double values(double *x) {
  struct pair p = rotated(x[0], x[1], x[2]);
  p = rotated(p.a, x[3], p.b);
  double r = 1, s = 2;
  int n = root(&r, x[4] * x[4] + 1) + root(&s, x[5] + 3);
  long calls = 0;
  float f[] = {(float)x[0], (float)x[1]};
  float g = single(f, (float)x[2], &calls);
  f[0] = g;
  g = single(f, 0.5f, &calls);
  return p.a * p.b + r * s + (n > 2) + (double)g * calls;
}

/// Ways out, and calls that are not made.
CHECK_NOINLINE static double search(const double *x, int n, double *found) {
  for (int i = 0; i < n; ++i) {
    if (x[i] > 1) {
      *found = x[i] * x[i];
      return x[i];
    }
    if (x[i] < -5)
      return 0;
  }
  *found = 1;
  return x[0] * x[n - 1];
}
CHECK_NOINLINE static double ways(double *x) {
  double sum = 0;
  for (int k = 0; k < N; ++k) {
    double found = x[k];
    double s = k % 2 ? search(x, k, &found) : 1;
    sum += s * found + search(x + k, N - k, &found) * found;
  }
  return sum;
}

/// A local array of a part, which another part is given.
CHECK_NOINLINE static double dotted(const double *t, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += sin(t[i]) * t[i];
  return s;
}
CHECK_NOINLINE static double squared(const double *x, int n) {
  double t[N];
  for (int i = 0; i < n; ++i)
    t[i] = x[i] * x[i];
  return dotted(t, n);
}
CHECK_NOINLINE static double own_array(double *x) {
  double s = squared(x, N);
  return s + squared(x + 1, N - 1) * s;
}

/// What only clears, and what adds to a cell whose adjoint was just cleared.
CHECK_NOINLINE static void clear(double *a) { memset(a, 0, sizeof *a); }
CHECK_NOINLINE static double scale(double v, const double *g) {
  return sin(*g) * v;
}
CHECK_NOINLINE static void rescale(double *g) { *g = scale(*g, g); }
CHECK_NOINLINE static double cleared(double *x) {
  double y[2] = {x[0] * x[1], x[2]};
  double s = y[0] * y[1];
  clear(y);
  rescale(y + 1);
  rescale(y + 1);
  return s + y[0] + y[1];
}

/// A variable of the program beside pointers in a structure, and numbers that
/// are cleared beside a pointer.
struct box {
  double held[3];
  const double *from;
};
static double shared[4];
CHECK_NOINLINE static double found(double v, const struct box *b) {
  return sin(v - b->from[3]) * b->held[1];
}
CHECK_NOINLINE static void empty(struct box *b) {
  memset(b->held, 0, sizeof b->held);
}
CHECK_NOINLINE static double boxes(double *x) {
  struct box b = {{0.3, x[4], x[5]}, x};
  shared[0] = found(x[0], &b);
  shared[1] = b.held[2] * b.from[1];
  empty(&b);
  b.held[1] = x[2];
  shared[2] = found(x[1], &b);
  return shared[0] * shared[0] + shared[1] * shared[2] + b.held[2];
}

/// A table without a derivative, which changes between the calls.
__attribute__((annotate("verso_inactive"))) static double table[N];
__attribute__((annotate("verso_inactive"))) static int order[N];
CHECK_NOINLINE static double weighed(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += table[i] * x[order[i]] * x[i];
  return s;
}
CHECK_NOINLINE static double inactive_tables(double *x) {
  double s = 0;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < N; ++i) {
      table[i] = i * k - 1;
      order[i] = (i + k) % N;
    }
    s += weighed(x, N - k) * (k + 1);
  }
  return s;
}

double __verso_jvp(void *, ...);

static const double start[N] = {0.9, 0.4, 1.3, -0.7, 1.1, 0.6};

/// Against forward mode, which knows nothing of parts.
#define CHECK_ONE(F, TOLERANCE)                                                \
  do {                                                                         \
    double x[N], dx[N] = {0};                                                  \
    memcpy(x, start, sizeof x);                                                \
    __verso_grad_void((void *)F, verso_dup, x, dx);                            \
    for (int i = 0; i < N; ++i) {                                              \
      double e[N] = {0};                                                       \
      e[i] = 1;                                                                \
      CHECK_CLOSE(dx[i], __verso_jvp((void *)F, verso_dup, x, e), TOLERANCE);  \
    }                                                                          \
  } while (0)

int main(void) {
  CHECK_ONE(in_place, 1e-13);
  CHECK_ONE(overwritten_later, 1e-13);
  CHECK_ONE(aliasing, 1e-13);
  CHECK_ONE(some_vary, 1e-13);
  CHECK_ONE(layers, 1e-13);
  CHECK_ONE(own_memory, 1e-13);
  CHECK_ONE(copies, 1e-13);
  CHECK_ONE(values, 1e-6); // Floats.
  CHECK_ONE(ways, 1e-13);
  CHECK_ONE(own_array, 1e-13);
  CHECK_ONE(cleared, 1e-13);
  CHECK_ONE(boxes, 1e-13);
  CHECK_ONE(inactive_tables, 1e-13);
  return check_status();
}
