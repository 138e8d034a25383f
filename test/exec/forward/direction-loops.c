//===- direction-loops.c - loops of requests over directions --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops with a request a direction, which may become loops of wide requests,
// give what requests outside of loops give, also where they may not: shadows
// that overlap primals or each other, results that are stored where something
// is read, directions that depend on results, functions that keep state, print
// or update in place, loops that end early, tangents that are read in between.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

#include <errno.h>
#include <stdlib.h>

enum { N = 21, M = 5 };

CHECK_NOINLINE static double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * x[n - 1 - i];
  return s;
}

/// The same, where no loop is near.
CHECK_NOINLINE static double once(const double *x, const double *v, int n) {
  return __verso_jvp((void *)f, verso_dup, x, v, verso_const, n);
}

CHECK_NOINLINE static void unit(const double *x, double *J, int n) {
  double *v = calloc(n, sizeof *v);
  for (int k = 0; k < n; ++k) {
    v[k] = 1;
    J[k] = __verso_jvp((void *)f, verso_dup, x, v, verso_const, n);
    v[k] = 0;
  }
  free(v);
}

CHECK_NOINLINE static void filled(const double *x, double *J, int n) {
  double v[n];
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i)
      v[i] = i == k;
    J[k] = __verso_jvp((void *)f, verso_dup, x, v, verso_const, n);
  }
}

CHECK_NOINLINE static void rows(const double *x, const double *V, double *J,
                                int n) {
  for (int k = 0; k < n; ++k)
    J[k] = __verso_jvp((void *)f, verso_dup, x, V + k * n, verso_const, n);
}

CHECK_NOINLINE static double weighted(const double *x, const double *V,
                                      const double *w, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum +=
        w[k] * __verso_jvp((void *)f, verso_dup, x, V + k * n, verso_const, n);
  return sum;
}

/// Each direction is what the one before gave.
CHECK_NOINLINE static double chained(const double *x, double *v, int n) {
  double r = 1;
  for (int k = 0; k < n; ++k) {
    v[k] = r;
    r = 0.01 * __verso_jvp((void *)f, verso_dup, x, v, verso_const, n);
  }
  return r;
}

CHECK_NOINLINE static int until(const double *x, const double *V, double *J,
                                int n, double most) {
  int k = 0;
  for (; k < n; ++k) {
    J[k] = __verso_jvp((void *)f, verso_dup, x, V + k * n, verso_const, n);
    if (J[k] > most)
      break;
  }
  return k;
}

CHECK_NOINLINE static void some(const double *x, const double *V, double *J,
                                int n) {
  for (int k = 0; k < n; ++k)
    if (V[k * n] != 0)
      J[k] = __verso_jvp((void *)f, verso_dup, x, V + k * n, verso_const, n);
}

// What the loop computes is an argument of another request.
CHECK_NOINLINE static double square(double x) { return x * x; }

CHECK_NOINLINE static double followed(const double *x, const double *V) {
  double s = 0;
  for (int k = 0; k < 8; ++k)
    s += __verso_jvp((void *)f, verso_dup, x, V + k * N, verso_const, N);
  return __verso_jvp((void *)square, verso_dup, 3.0, s);
}

// Where the function reads is not known, but how large the direction is.
CHECK_NOINLINE static double pair(const double *x, const long *index) {
  return x[index[0]] * x[index[1]];
}

CHECK_NOINLINE static double pairs(const double *x, const long *index) {
  double v[16] = {0}, sum = 0;
  for (int k = 0; k < 16; ++k) {
    v[k] = 1;
    sum += __verso_jvp((void *)pair, verso_dup, x, v, verso_const, index);
    v[k] = 0;
  }
  return sum;
}

// A function of numbers sets errno.
CHECK_NOINLINE static double logarithm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += log(x[i]);
  return s;
}

CHECK_NOINLINE static int errors(const double *x, const double *V, double *J,
                                 int n) {
  int found = 0;
  for (int k = 0; k < n; ++k) {
    errno = 0;
    J[k] =
        __verso_jvp((void *)logarithm, verso_dup, x, V + k * n, verso_const, n);
    found += errno == EDOM;
  }
  return found;
}

/// The same, where nothing in the function says that it is errno.
CHECK_NOINLINE static int errorsAt(int *error, const double *x, const double *V,
                                   double *J, int n) {
  int found = 0;
  for (int k = 0; k < n; ++k) {
    *error = 0;
    J[k] =
        __verso_jvp((void *)logarithm, verso_dup, x, V + k * n, verso_const, n);
    found += *error == EDOM;
  }
  return found;
}

/// A counter of iterations is not errno.
CHECK_NOINLINE static double counted(const double *x, const double *V,
                                     double *J, int n) {
  int steps[2] = {0, 0};
  for (int k = 0; k < n; ++k) {
    steps[k % 2] += k;
    J[k] =
        __verso_jvp((void *)logarithm, verso_dup, x, V + k * n, verso_const, n);
  }
  return steps[0] * 100 + steps[1];
}

CHECK_NOINLINE static void set(double *p, double x) { *p = x; }

/// Nothing is overwritten in the end, but meanwhile.
CHECK_NOINLINE static double putBack(double *x) {
  double t = x[0];
  set(x, 0);
  double s = x[1] * x[1];
  set(x, t);
  return s;
}

CHECK_NOINLINE static void shifted(double *x, double *V, double *J, int n) {
  for (int k = 0; k < n; ++k)
    J[k] = __verso_jvp((void *)putBack, verso_dup, x, V + k);
}

CHECK_NOINLINE static double product(double x, double y) { return x * x * y; }

CHECK_NOINLINE static void scalars(double x, double y, const double *vx,
                                   const double *vy, double *J, int n) {
  for (int k = 0; k < n; ++k)
    J[k] =
        __verso_jvp((void *)product, verso_dup, x, vx[k], verso_dup, y, vy[k]);
}

/// y is written before it is read.
CHECK_NOINLINE static void squares(const double *A, const double *x, double *y,
                                   int n, int m) {
  for (int i = 0; i < m; ++i) {
    y[i] = 0;
    for (int j = 0; j < n; ++j)
      y[i] += A[i * n + j] * x[j] * x[j];
  }
}

CHECK_NOINLINE static void columns(const double *A, const double *x,
                                   const double *V, double *y, double *J, int n,
                                   int m, int step) {
  for (int k = 0; k < n; ++k)
    __verso_jvp_void((void *)squares, verso_const, A, verso_dup, x, V + k * n,
                     verso_dup, y, J + k * step, verso_const, n, verso_const,
                     m);
}

/// The tangents of each request are read before the next one.
CHECK_NOINLINE static void between(const double *A, const double *x,
                                   const double *V, double *y, double *J, int n,
                                   int m) {
  double *dy = calloc(m, sizeof *dy);
  for (int k = 0; k < n; ++k) {
    __verso_jvp_void((void *)squares, verso_const, A, verso_dup, x, V + k * n,
                     verso_dup, y, dy, verso_const, n, verso_const, m);
    for (int i = 0; i < m; ++i)
      J[i * n + k] = dy[i];
  }
  free(dy);
}

/// Runs once for each direction: y is updated.
CHECK_NOINLINE static void update(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] += x[i] * y[i];
}

CHECK_NOINLINE static void updates(const double *x, const double *V, double *y,
                                   double *J, int n) {
  for (int k = 0; k < n; ++k)
    __verso_jvp_void((void *)update, verso_dup, x, V + k * n, verso_dup, y,
                     J + k * n, verso_const, n);
}

static double state = 1;
CHECK_NOINLINE static double stateful(const double *x, int n) {
  state += 1;
  return state * f(x, n);
}

CHECK_NOINLINE static void states(const double *x, const double *V, double *J,
                                  int n) {
  for (int k = 0; k < n; ++k)
    J[k] =
        __verso_jvp((void *)stateful, verso_dup, x, V + k * n, verso_const, n);
}

static FILE *out;
CHECK_NOINLINE static double printing(const double *x, int n) {
  fputc('.', out);
  return f(x, n);
}

CHECK_NOINLINE static void prints(const double *x, const double *V, double *J,
                                  int n) {
  for (int k = 0; k < n; ++k)
    J[k] =
        __verso_jvp((void *)printing, verso_dup, x, V + k * n, verso_const, n);
}

/// Primals change while the loop runs.
CHECK_NOINLINE static void moving(double *x, const double *V, double *J,
                                  int n) {
  for (int k = 0; k < n; ++k) {
    J[k] = __verso_jvp((void *)f, verso_dup, x, V + k * n, verso_const, n);
    x[k] += 1;
  }
}

/// Reads what one index after another says.
CHECK_NOINLINE static double gather(const double *x, const int *index, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[index[i]] * x[index[n - 1 - i]];
  return s;
}

CHECK_NOINLINE static void gathers(const double *x, const int *index, double *J,
                                   int n) {
  double v[N] = {0};
  double r[N];
  for (int k = 0; k < n; ++k) {
    v[k] = 1;
    r[k] = __verso_jvp((void *)gather, verso_dup, x, v, verso_const, index,
                       verso_const, n);
    v[k] = 0;
  }
  memcpy(J, r, n * sizeof *r);
}

/// Stops at what it finds: less may be read than n says.
CHECK_NOINLINE static double upto(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n && x[i] < 100; ++i)
    s += x[i] * x[i];
  return s;
}

CHECK_NOINLINE static void ends(const double *x, double *J, int m, int n) {
  double *v = calloc(m, sizeof *v);
  for (int k = 0; k < m; ++k) {
    v[k] = 1;
    J[k] = __verso_jvp((void *)upto, verso_dup, x, v, verso_const, n);
    v[k] = 0;
  }
  free(v);
}

/// The result of the iteration before is stored behind that of this one, where
/// that may be the same place.
CHECK_NOINLINE static void followers(const double *x, const double *V,
                                     const int *index, double *out, int n) {
  double r[N], before = 5;
  for (int k = 0; k < n; ++k) {
    double now =
        __verso_jvp((void *)f, verso_dup, x, V + k * n, verso_const, n);
    r[k] = now;
    r[index[k]] = before;
    before = now;
  }
  memcpy(out, r, n * sizeof *r);
}

// The function itself reads the errno that it sets.
CHECK_NOINLINE static double doubled(const double *x, const int *error) {
  double scale = *error ? 2 : 1;
  return log(x[0]) > 0 ? 0 : scale * x[1] * x[1];
}

CHECK_NOINLINE static void twice(const double *x, const int *error,
                                 const double *V, double *J, int n) {
  for (int k = 0; k < n; ++k)
    J[k] = __verso_jvp((void *)doubled, verso_dup, x, V + 2 * k, verso_const,
                       error);
}

// Sizes that are too large for anything belong to what is not run.
CHECK_NOINLINE static void guarded(const double *x, double *y, size_t from,
                                   size_t bytes) {
  if (from < 100 && bytes < 100)
    memset((char *)y + from, 0, bytes);
  y[0] = x[0] * x[1];
}

CHECK_NOINLINE static void guards(const double *x, double *y, const double *V,
                                  double *D, size_t size, int n) {
  for (int k = 0; k < n; ++k)
    __verso_jvp_void((void *)guarded, verso_dup, x, V + 2 * k, verso_dup, y,
                     D + 2 * k, verso_const, size, verso_const, size);
}

// A function that was differentiated before has left the address of x.
static long address;
CHECK_NOINLINE static double leaves(const double *x) {
  address = (long)x;
  return x[0] * x[1];
}

CHECK_NOINLINE static double simple(const double *x) { return x[0] * x[1]; }

CHECK_NOINLINE static double left(const double *V, double *J, int n) {
  double x[2] = {3, 4}, sum = 0;
  for (int k = 0; k < n; ++k)
    sum += __verso_jvp((void *)leaves, verso_dup, x, V + 2 * k);
  double *p = (double *)address;
  for (int k = 0; k < n; ++k) {
    J[k] = __verso_jvp((void *)simple, verso_dup, x, V + 2 * k);
    p[0] += 1;
  }
  return sum;
}

// Eight more of these would not fit on the stack.
CHECK_NOINLINE static double large(const double *x, int n) {
  double w[200000];
  w[0] = x[0];
  for (int i = 1; i < n; ++i)
    w[i] = w[i - 1] + x[i & 1];
  return w[n - 1];
}

CHECK_NOINLINE static void larges(const double *x, const double *V, double *J,
                                  int n) {
  for (int k = 0; k < n; ++k)
    J[k] = __verso_jvp((void *)large, verso_dup, x, V + 2 * k, verso_const,
                       200000);
}

// A partial overflows where no tangent does.
CHECK_NOINLINE static double steep(const double *x) {
  return x[0] * x[1] * x[2];
}

CHECK_NOINLINE static void steeps(const double *x, const double *V, double *J,
                                  int n) {
  for (int k = 0; k < n; ++k)
    J[k] = __verso_jvp((void *)steep, verso_dup, x, V + 3 * k);
}

static double x[N], V[N * N], W[N * N], J[N], want[N], A[M * N];

static void start(void) {
  for (int i = 0; i < N; ++i)
    x[i] = 0.5 + 0.1 * i;
  fill_direction(W, N * N, 7);
  fill_direction(A, M * N, 9);
  memset(V, 0, sizeof V);
  for (int i = 0; i < N; ++i)
    V[i * N + i] = 1;
}

#define CHECK_ALL(have, n)                                                     \
  for (int k_ = 0; k_ < (n); ++k_)                                             \
  CHECK_CLOSE((have)[k_], want[k_], 1e-12)

static void from_rows(const double *v, int n) {
  for (int k = 0; k < n; ++k)
    want[k] = once(x, v + k * n, n);
}

static void without_overlaps(int n) {
  start();
  memset(V, 0, sizeof V);
  for (int i = 0; i < n; ++i)
    V[i * n + i] = 1;
  from_rows(V, n);
  unit(x, J, n);
  CHECK_ALL(J, n);
  memset(J, 0, sizeof J);
  filled(x, J, n);
  CHECK_ALL(J, n);
  from_rows(W, n);
  rows(x, W, J, n);
  CHECK_ALL(J, n);
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[k] * want[k];
  CHECK_CLOSE(weighted(x, W, A, n), sum, 1e-12);
  memset(J, 0, sizeof J);
  some(x, W, J, n);
  CHECK_ALL(J, n);
  scalars(2, 3, W, W + n, J, n);
  for (int k = 0; k < n; ++k)
    want[k] = 12 * W[k] + 4 * W[n + k];
  CHECK_ALL(J, n);
  double v[N] = {0}, u[N] = {0}, r = 1;
  for (int k = 0; k < n; ++k) {
    u[k] = r;
    r = 0.01 * once(x, u, n);
  }
  CHECK_CLOSE(chained(x, v, n), r, 1e-12);
  int stop = n / 2;
  rows(x, V, want, n);
  memset(J, 0, sizeof J);
  int first = 0;
  while (first < n && want[first] <= want[stop] - 1e-9)
    ++first;
  CHECK_EQUAL(until(x, V, J, n, want[stop] - 1e-9), first);
}

static void outputs(void) {
  start();
  double y[M], D[N * M + N], T[N * M];
  columns(A, x, V, y, D, N, M, M);
  between(A, x, V, y, T, N, M);
  for (int k = 0; k < N; ++k)
    for (int i = 0; i < M; ++i) {
      CHECK_CLOSE(D[k * M + i], 2 * A[i * N + k] * x[k], 1e-12);
      CHECK_CLOSE(T[i * N + k], 2 * A[i * N + k] * x[k], 1e-12);
    }
  // Each row overlaps the next one, which overwrites it.
  columns(A, x, V, y, D, N, M, 2);
  for (int k = 0; k < N; ++k)
    for (int i = 0; i < (k == N - 1 ? M : 2); ++i)
      CHECK_CLOSE(D[k * 2 + i], 2 * A[i * N + k] * x[k], 1e-12);
  // Tangents go where directions will be read: the last rows of V.
  double big[2 * N * N];
  memcpy(big, V, sizeof V);
  columns(A, x, big, y, big + N, N, M, N);
  for (int k = 0; k < N; ++k) {
    double v[N];
    memcpy(v, k ? big + k * N : V, sizeof v);
    for (int i = 0; i < M; ++i) {
      double sum = 0;
      for (int j = 0; j < N; ++j)
        sum += 2 * A[i * N + j] * x[j] * v[j];
      CHECK_CLOSE(big[(k + 1) * N + i], sum, 1e-12);
    }
  }
  // Updates in place are made as often as there are requests.
  double u[N], t[N * N];
  for (int i = 0; i < N; ++i)
    u[i] = 1;
  memset(t, 0, sizeof t);
  for (int i = 0; i < N; ++i)
    x[i] = 0.01 * i;
  updates(x, V, u, t, N);
  for (int i = 0; i < N; ++i) {
    CHECK_CLOSE(u[i], pow(1 + x[i], N), 1e-12);
    CHECK_CLOSE(t[i * N + i], pow(1 + x[i], i), 1e-12);
  }
}

static void overlaps(void) {
  // Results go to the primals.
  start();
  double p[N], q[N];
  for (int k = 0; k < N * N; ++k)
    W[k] *= 0.01;
  memcpy(p, x, sizeof p);
  memcpy(q, x, sizeof q);
  for (int k = 0; k < N; ++k)
    q[k] = once(q, W + k * N, N);
  rows(p, W, p, N);
  for (int k = 0; k < N; ++k)
    CHECK_CLOSE(p[k], q[k], 1e-12);
  // Results go to directions that are still to be used.
  double D[N * N], E[N * N];
  memcpy(D, W, sizeof D);
  memcpy(E, W, sizeof E);
  for (int k = 0; k < N; ++k)
    E[3 * N + k] = once(x, E + k * N, N);
  rows(x, D, D + 3 * N, N);
  CHECK(!memcmp(D, E, 3 * N * sizeof *D));
  for (int k = 0; k < N * N; ++k)
    CHECK_CLOSE(D[k], E[k], 1e-12);
  // The shadow is the primal.
  for (int k = 0; k < N; ++k)
    want[k] = once(W, W + k * N, N);
  rows(W, W, J, N);
  CHECK_ALL(J, N);
  memcpy(p, x, sizeof p);
  for (int k = 0; k < N; ++k) {
    want[k] = once(p, W + k * N, N);
    p[k] += 1;
  }
  moving(x, W, J, N);
  CHECK_ALL(J, N);
}

static void effects(void) {
  start();
  from_rows(W, N);
  for (int k = 0; k < N; ++k)
    want[k] *= k + 2;
  states(x, W, J, N);
  CHECK_ALL(J, N);
  CHECK_EQUAL(state, N + 1);
  from_rows(W, N);
  out = tmpfile();
  prints(x, W, J, N);
  CHECK_ALL(J, N);
  CHECK_EQUAL((double)ftell(out), N);
  fclose(out);
}

static void around(void) {
  start();
  double sum = 0, p[N];
  for (int k = 0; k < 8; ++k)
    sum += once(x, W + k * N, N);
  CHECK_CLOSE(followed(x, W), 6 * sum, 1e-13);
  const long index[2] = {3, 5};
  CHECK_CLOSE(pairs(x, index), x[3] + x[5], 1e-14);
  double at[2] = {3, 5}, along[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  shifted(at, along, J, 8);
  for (int k = 0; k < 8; ++k)
    CHECK_CLOSE(J[k], 10. * (k + 2), 1e-15);
  for (int i = 0; i < N; ++i)
    p[i] = -1 - i;
  CHECK(errors(p, W, J, N) == N);
  CHECK(errorsAt(&errno, p, W, J, N) == N);
  CHECK(counted(p, W, J, 6) == 609);
}

static void proofs(void) {
  start();
  int index[N];
  double two[2] = {-1, 3}, along[2 * N + 20], D[2 * N], y[1];
  for (int k = 0; k < N; ++k)
    index[k] = k;
  followers(x, W, index, J, N);
  CHECK_CLOSE(J[0], 5, 1e-15);
  for (int k = 1; k < N; ++k)
    CHECK_CLOSE(J[k], once(x, W + (k - 1) * N, N), 1e-12);
  for (int k = 0; k < 2 * N + 20; ++k)
    along[k] = k % 7;
  errno = 0;
  twice(two, &errno, along, J, N);
  for (int k = 0; k < N; ++k)
    CHECK_CLOSE(J[k], (k ? 12. : 6.) * along[2 * k + 1], 1e-15);
  // Where tangents go is read by the next request.
  double chain[2 * N + 2];
  memcpy(chain, along, sizeof chain);
  guards(two, y, chain, chain + 2, (size_t)1 << 62, N);
  memcpy(D, along, sizeof D);
  for (int k = 0; k < N; ++k) {
    double *v = along + 2 * k;
    v[2] = 3 * v[0] - v[1];
  }
  for (int k = 0; k < 2 * N; ++k)
    CHECK_CLOSE(chain[k], along[k], 1e-15);
  memcpy(along, D, sizeof D);
  double sum = 0;
  for (int k = 0; k < N; ++k)
    sum += 4 * along[2 * k] + 3 * along[2 * k + 1];
  CHECK_CLOSE(left(along, J, N), sum, 1e-14);
  for (int k = 0; k < N; ++k)
    CHECK_CLOSE(J[k], 4 * along[2 * k] + (3 + k) * along[2 * k + 1], 1e-15);
  double far[3] = {1e-300, 1e200, 1e200}, units[27] = {0};
  for (int k = 0; k < 9; ++k)
    units[3 * k + 1 + k % 2] = 1;
  steeps(far, units, J, 9);
  for (int k = 0; k < 9; ++k)
    CHECK_CLOSE(J[k] * 1e100, 1, 1e-12);
  larges(two, along, J, N);
  for (int k = 0; k < N; ++k)
    CHECK_CLOSE(J[k], 1e5 * along[2 * k + 1] + 1e5 * along[2 * k], 1e-12);
}

static void irregular(void) {
  start();
  int index[N];
  for (int i = 0; i < N; ++i)
    index[i] = i * 5 % N;
  memset(want, 0, sizeof want);
  for (int i = 0; i < N; ++i) {
    want[index[i]] += x[index[N - 1 - i]];
    want[index[N - 1 - i]] += x[index[i]];
  }
  gathers(x, index, J, N);
  CHECK_ALL(J, N);
  double *y = malloc(10 * sizeof *y);
  for (int i = 0; i < 10; ++i)
    y[i] = i == 9 ? 1000 : i;
  for (int i = 0; i < 10; ++i)
    want[i] = i == 9 ? 0 : 2 * i;
  ends(y, J, 10, 1 << 28);
  CHECK_ALL(J, 10);
  free(y);
}

/// Sums of products of few numbers, whose tangents are added up by partials: in
/// the same order in many directions as in one, to the last bit.
static double form(const double *restrict x) {
  double a = x[0], b = x[1], c = x[2], d = x[3];
  double p = a * a + b * b - c * c - d * d;
  double q = 2 * (a * c + b * d), r = 2 * (a * d - b * c);
  return p * a + q * b + r * c + (a * a - b * b + c * c - d * d) * d +
         2 * (b * d + a * c) * b + 2 * (c * d + a * b) * (a * a + b * b);
}
CHECK_NOINLINE static void forms(const double *restrict x,
                                 double (*restrict v)[4], double *restrict J) {
  for (int k = 0; k < 4; ++k)
    J[k] = __verso_jvp((void *)form, verso_dup, x, v[k]);
}
CHECK_NOINLINE static double one_form(const double *x, const double *v) {
  return __verso_jvp((void *)form, verso_dup, x, v);
}
static void bits(void) {
  for (int n = 0; n < 50; ++n) {
    double x[4], v[4][4], J[4];
    fill_direction(x, 4, n);
    fill_direction(v[0], 16, n + 100);
    forms(x, v, J);
    for (int k = 0; k < 4; ++k)
      CHECK_EQUAL(J[k], one_form(x, v[k]));
  }
}

int main(void) {
  for (int n = 1; n <= N; n += n < 10 ? 1 : 3)
    without_overlaps(n);
  outputs();
  overlaps();
  effects();
  around();
  proofs();
  irregular();
  bits();
  return check_failures != 0;
}
