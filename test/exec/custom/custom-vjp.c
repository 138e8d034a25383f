//===- custom-vjp.c - functions of memory whose VJP is given --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VERSO_CUSTOM_VJP: a linear solver, by the adjoint of its solution; an update
// in place; numbers by value, a result and a status; floats; a function of a
// loop, with as many numbers as it says. The same programs, whose functions are
// differentiated by what they do, say what is right: gradient, J v, second
// derivatives. That the program's VJP is called is counted.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <verso/verso.h>

enum { N = 5 };
static int vjps, jvps;

// M x = b, for n numbers each.
CHECK_NOINLINE static int plain_solve(const double *m, const double *b,
                                      double *x, int n) {
  double a[N * N], y[N];
  memcpy(a, m, n * n * sizeof *a);
  memcpy(y, b, n * sizeof *y);
  for (int k = 0; k < n; ++k) {
    if (a[k * n + k] == 0)
      return 1;
    for (int i = k + 1; i < n; ++i) {
      double by = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; ++j)
        a[i * n + j] -= by * a[k * n + j];
      y[i] -= by * y[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    x[i] = y[i];
    for (int j = i + 1; j < n; ++j)
      x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i];
  }
  return 0;
}
CHECK_NOINLINE static int solve(const double *m, const double *b, double *x,
                                int n) {
  return plain_solve(m, b, x, n);
}
static void solve_counts(size_t *count, const double *m, const double *b,
                         double *x, int n) {
  count[0] = n * n;
  count[1] = count[2] = n;
}
static void solve_vjp(const double *m, double *dm, const double *b, double *db,
                      double *x, double *dx, int n) {
  double t[N * N], l[N];
  ++vjps;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      t[i * n + j] = m[j * n + i];
  solve(t, dx, l, n);
  for (int i = 0; i < n; ++i) {
    db[i] += l[i];
    for (int j = 0; j < n; ++j)
      dm[i * n + j] -= l[i] * x[j];
  }
}
static void solve_jvp(const double *m, double *dm, const double *b, double *db,
                      double *x, double *dx, int n) {
  double r[N];
  ++jvps;
  for (int i = 0; i < n; ++i) {
    r[i] = db[i];
    for (int j = 0; j < n; ++j)
      r[i] -= dm[i * n + j] * x[j];
  }
  solve(m, r, dx, n);
}
VERSO_CUSTOM_VJP(solve, double, "rrw-", solve_counts, solve_vjp, solve_jvp);

// x becomes a x + x y, and the sum of that is returned.
static double plain_blend(double a, double *x, const double *y, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    x[i] = a * x[i] + x[i] * y[i];
    sum += x[i];
  }
  return sum;
}
static double blend(double a, double *x, const double *y, long n) {
  return plain_blend(a, x, y, n);
}
static void blend_counts(size_t *count, double a, double *x, const double *y,
                         long n) {
  count[1] = count[2] = n;
}
static void blend_vjp(double a, double *da, const double *x, const double *to,
                      double *dx, const double *y, double *dy, long n,
                      double dsum) {
  for (long i = 0; i < n; ++i) {
    double d = dx[i] + dsum;
    *da += d * x[i];
    dy[i] += d * x[i];
    dx[i] = d * (a + y[i]);
  }
}
static double blend_jvp(double a, double da, const double *x, const double *to,
                        double *dx, const double *y, const double *dy, long n) {
  double dsum = 0;
  for (long i = 0; i < n; ++i) {
    dx[i] = da * x[i] + a * dx[i] + dx[i] * y[i] + x[i] * dy[i];
    dsum += dx[i];
  }
  return dsum;
}
VERSO_CUSTOM_VJP(blend, double, "rur-", blend_counts, blend_vjp, blend_jvp);

// The same of floats, with a factor that does not vary; nothing is returned.
static void plain_squares(float by, const float *x, float *to, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    to[i] = by * x[i] * x[i];
}
static void squares(float by, const float *x, float *to, unsigned n) {
  plain_squares(by, x, to, n);
}
static void squares_counts(size_t *count, float by, const float *x, float *to,
                           unsigned n) {
  count[1] = count[2] = n;
}
static void squares_vjp(float by, const float *x, float *dx, float *to,
                        float *dto, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    dx[i] += 2 * by * x[i] * dto[i];
}
static void squares_jvp(float by, const float *x, const float *dx, float *to,
                        float *dto, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    dto[i] = 2 * by * x[i] * dx[i];
}
VERSO_CUSTOM_VJP(squares, float, "-rw-", squares_counts, squares_vjp,
                 squares_jvp);

// What has no derivative, and has changed when the gradient is computed:
// indices are kept as they were, and so is what f writes there; a setting
// stays.
struct order {
  int from[N], calls;
};
static void plain_gather(const double *x, double *to, struct order *at,
                         const double *by) {
  for (int i = 0; i < N; ++i)
    to[i] = *by * x[at->from[i]] * x[i];
  ++at->calls;
}
static void gather(const double *x, double *to, struct order *at,
                   const double *by) {
  plain_gather(x, to, at, by);
}
static void gather_counts(size_t *count, const double *x, double *to,
                          struct order *at, const double *by) {
  count[0] = count[1] = N;
  count[2] = sizeof *at;
  count[3] = VERSO_STAYS;
}
static void gather_vjp(const double *x, double *dx, const double *to,
                       const double *dto, struct order *at, const double *by) {
  for (int i = 0; i < N; ++i) {
    dx[at->from[i]] += *by * x[i] * dto[i];
    dx[i] += *by * x[at->from[i]] * dto[i];
  }
  CHECK(at->calls > 0);
}
static void gather_jvp(const double *x, const double *dx, const double *to,
                       double *dto, struct order *at, const double *by) {
  for (int i = 0; i < N; ++i)
    dto[i] = *by * (dx[at->from[i]] * x[i] + x[at->from[i]] * dx[i]);
}
VERSO_CUSTOM_VJP(gather, double, "rw--", gather_counts, gather_vjp, gather_jvp);

// A program of each, by the function F.
static const double half = 0.5;
#define GATHERS(NAME, F)                                                       \
  static void NAME##_once(const double *x, double *to, int k) {                \
    struct order at = {{0}, 0};                                                \
    for (int i = 0; i < N; ++i)                                                \
      at.from[i] = (i * k + 1) % N;                                            \
    F(x, to, &at, &half);                                                      \
  }                                                                            \
  static double NAME(const double *p, int n) {                                 \
    double x[N], y[N], sum = 0;                                                \
    memcpy(x, p, sizeof x);                                                    \
    for (int k = 0; k < 6; ++k) {                                              \
      NAME##_once(x, y, k);                                                    \
      for (int i = 0; i < N; ++i)                                              \
        x[i] = y[i] + sin(p[i]);                                               \
    }                                                                          \
    for (int i = 0; i < n; ++i)                                                \
      sum += x[i] * x[i];                                                      \
    return sum;                                                                \
  }
GATHERS(by_gather, gather)
GATHERS(by_plain_gather, plain_gather)
#define SOLVES(NAME, F)                                                        \
  static double NAME(const double *p, int n) {                                 \
    double m[N * N], b[N], x[N], sum = 0;                                      \
    for (int i = 0; i < n; ++i) {                                              \
      b[i] = sin(p[i]);                                                        \
      for (int j = 0; j < n; ++j)                                              \
        m[i * n + j] = (i == j) * 7 + cos(p[i] * p[j]);                        \
    }                                                                          \
    for (int t = 0; t < 4; ++t) {                                              \
      if (F(m, b, x, n - t % 2))                                               \
        return 0;                                                              \
      for (int i = 0; i < n - t % 2; ++i)                                      \
        b[i] = x[i] * x[i] + p[i] + sin(b[i]);                                 \
      m[t] += x[0] * b[1];                                                     \
    }                                                                          \
    for (int i = 0; i < n; ++i)                                                \
      sum += b[i] * b[i];                                                      \
    return sum;                                                                \
  }
SOLVES(by_solve, solve)
SOLVES(by_plain_solve, plain_solve)
#define BLENDS(NAME, F)                                                        \
  static double NAME(const double *p, int n) {                                 \
    double x[N], sum = 0;                                                      \
    memcpy(x, p, n * sizeof *x);                                               \
    for (int k = 0; k < n; ++k)                                                \
      sum += F(p[k] * x[0], x + k / 2, p, n - k) * x[n - 1];                   \
    return sum * x[1];                                                         \
  }
BLENDS(by_blend, blend)
BLENDS(by_plain_blend, plain_blend)
#define SQUARES(NAME, F)                                                       \
  static double NAME(const double *p, int n) {                                 \
    float *x = malloc(2 * n * sizeof *x);                                      \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i)                                                \
      x[i] = (float)p[i];                                                      \
    F(3, x, x + n, n);                                                         \
    F(x[n], x + n, x, n);                                                      \
    for (int i = 0; i < n; ++i)                                                \
      sum += x[i] * p[i];                                                      \
    free(x);                                                                   \
    return sum;                                                                \
  }
SQUARES(by_squares, squares)
// What the factor's marker says.
static void detached_squares(float by, const float *x, float *to, unsigned n) {
  verso_detach(&by, sizeof by);
  plain_squares(by, x, to, n);
}
SQUARES(by_plain_squares, detached_squares)

// In a recursion, and through a pointer.
typedef int solver(const double *, const double *, double *, int);
#define RECURS(NAME, F)                                                        \
  static double NAME(const double *p, int n) {                                 \
    double m[N * N], x[N], below;                                              \
    if (n == 0)                                                                \
      return 1;                                                                \
    below = NAME(p, n - 1);                                                    \
    for (int i = 0; i < n * n; ++i)                                            \
      m[i] = (i % (n + 1) == 0) * 4 + p[i % N] * below;                        \
    solver *volatile f = F;                                                    \
    f(m, p, x, n);                                                             \
    return x[0] + x[n - 1] * below;                                            \
  }
RECURS(by_recursion, solve)
RECURS(by_plain_recursion, plain_solve)

typedef double function(const double *, int);
#define CHECK_SAME(F, PLAIN, TOLERANCE)                                        \
  do {                                                                         \
    double d[N] = {0}, e[N] = {0}, v[N] = {1, -0.5, 2, 0.25, -1};              \
    CHECK_CLOSE(F(p, N), PLAIN(p, N), TOLERANCE);                              \
    __verso_grad(F, verso_dup, p, d, verso_const, N);                          \
    __verso_grad(PLAIN, verso_dup, p, e, verso_const, N);                      \
    for (int i = 0; i < N; ++i)                                                \
      CHECK_CLOSE(d[i], e[i], TOLERANCE);                                      \
    CHECK_CLOSE(__verso_jvp(F, verso_dup, p, v, verso_const, N),               \
                __verso_jvp(PLAIN, verso_dup, p, v, verso_const, N),           \
                TOLERANCE);                                                    \
  } while (0)

int main(void) {
  double p[N] = {0.3, 0.5, 0.4, 0.7, 0.6};
  CHECK_SAME(by_solve, by_plain_solve, 1e-12);
  CHECK(vjps > 0 && vjps % 4 == 0);
  CHECK(jvps > 0);
  CHECK_SAME(by_blend, by_plain_blend, 1e-13);
  CHECK_SAME(by_squares, by_plain_squares, 1e-6);
  CHECK_SAME(by_recursion, by_plain_recursion, 1e-12);
  CHECK_SAME(by_gather, by_plain_gather, 1e-13);
  return check_status();
}
